"""The page of what a run's episodes are paid."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.conftest import LabClient
from tests.judges.run_rewards.scene import LOOSE, SHAPED, paid_run, stored
from tests.judges.scene import ONE, toml
from trajectories.judges.rates import Rate
from trajectories.judges.services import judge_store, source_of
from trajectories.models import Judge, JudgeCertification, Run
from trajectories.record.projects import Sight
from trajectories.rewards.store import components_write

pytestmark = pytest.mark.django_db
Read = Callable[..., str]


@pytest.fixture
def read(lab: Callable[[Any], LabClient], owner: Any) -> Read:
    """The page's text without markup, with its rows a line each."""
    client = lab(owner)

    def page(run: Run, query: str = "") -> str:
        response = client.get(f"/runs/{run.pk}/rewards/{query}")
        assert response.status_code == 200
        text = response.content.decode().partition("<main")[2]
        text = re.sub(r"\s+", " ", re.sub(r"</?(?:span|strong|code|time|a|th|td)\b[^>]*>", " ", text))
        return re.sub(r" +", " ", unescape(re.sub(r"<[^>]+>", "\n", text)))

    return page


def test_it_says_which_profile_paid_and_its_terms(read: Read) -> None:
    reference = stored(SHAPED)
    text = read(paid_run(settings={"reward_profile": reference}))

    assert f"{reference}\n" in text
    assert "This is the run’s own profile, which paid these episodes. Terms are combined by sum" in text
    assert "\n syntax syntax 0 to 1 – – 0.2 1 −1 \n" in text
    assert "\n executed executed 0 to 1 syntax at least 50% – 0.1 1 0 \n" in text


def test_outcomes_pay_a_run_that_names_no_profile(read: Read) -> None:
    text = read(paid_run())

    assert re.search(r"\n outcome-v1@\w{12} 0.6667 3 1 0 0 of 2 0 0 of 2 0 \n", text)
    assert "have at most one policy version" in text
    assert "rank correlation" not in text


def test_void_episodes_count_apart_from_such_as_could_not_be_computed(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.rewards.selectors.rows_of", lambda _: ({"syntax": None}, {}))
    text = read(paid_run(), f"?profile={stored(SHAPED)}")

    assert re.search(r"\n shaped@\w{12} – 0 1 3 0 of 0 0 0 of 0 0 \n", text)


def test_every_term_is_shown_over_policy_versions(read: Read) -> None:
    text = read(paid_run(versions=2), f"?profile={stored(LOOSE)}")

    # The weight of syntax falls to a quarter with version 2: readable are half, all and all.
    assert "\n 2 0.75 n = 3 0.3333 n = 3 0.4167 n = 3 \n" in text
    assert "\n 1 2 n = 3 0.3333 n = 3 1.667 n = 3 \n" in text
    assert "\n All 1.375 n = 6 0.3333 n = 6 1.042 n = 6 \n" in text
    assert "Total by policy version" in text
    assert "syntax by policy version" in text
    assert re.search(r"loose@\w+, version 1: 2, 3 episodes", text)


def test_older_versions_than_are_shown_are_mentioned(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajectories.judges.run_rewards.page.VERSIONS_SHOWN", 2)
    text = read(paid_run(versions=3))

    assert "Only the newest 2 versions are shown." in text
    assert "\n 2 0.6667 n = 3 0.6667 n = 3 \n" in text
    assert "\n 1 0.6667 n = 3" not in text
    assert "\n All 0.6667 n = 9 0.6667 n = 9 \n" in text


def test_episodes_without_a_version_come_last_and_are_not_drawn(read: Read) -> None:
    run = paid_run(versions=2, samples=2)
    factories.verdict(factories.episode(run=run), "correct")
    text = read(run)

    assert "\n 1 0.5 n = 2 0.5 n = 2 \n \n none 1 n = 1 1 n = 1 \n" in text
    assert "Means of versions 1 to 2." in text


@pytest.mark.parametrize(
    ("body", "row"),
    [
        (
            {"combination": "blend", "terms": [{"trust": 0.75}, {"component": "syntax", "trust": 0.25}]},
            "syntax syntax 0 to 1 – – 0.25 1 1 0",
        ),
        (
            {"combination": "cascade", "terms": [{}, {"component": "syntax", "decides_above": 0.9}]},
            "syntax syntax 0 to 1 – – at most 0%, at least 90% 1 1 0",
        ),
        (
            {"terms": [{}, {"component": "length", "weight": 0.1, "positive": -1, "high": 4000}]},
            "length length 0 to 4000 – – 0.1 −1 0",
        ),
        ({"terms": [{}, LOOSE["terms"][1]]}, "syntax syntax 0 to 1 – × 0.25 from 1,000 2 1 0"),
    ],
)
def test_terms_of_every_combination_are_shown(read: Read, body: dict[str, Any], row: str) -> None:
    first, other = body["terms"]
    profile = {
        **body,
        "terms": [{"component": "outcome", **first}, other],
        "allow_shaping_over_outcome": True,
    }
    text = read(paid_run(), f"?profile={stored({'name': 'other', **profile})}")

    assert f"\n {row} \n" in text


def test_another_profile_is_ranked_beside_the_run_s(read: Read) -> None:
    run = paid_run(samples=3)
    right, wrong, void = run.episodes.order_by("pk")
    text = read(run, f"?beside={stored(LOOSE)}")

    # outcome-v1 pays 1, 0; loose 1.5 and 2.
    assert "Spearman's rank correlation of the totals is −1 over 2 episodes" in text
    assert f"\n {wrong.pk} incorrect 0 2 2 → 1 \n" in text.partition("Gain most")[2].partition("Lose most")[0]
    assert f"\n {right.pk} correct 1 1.5 1 → 2 \n" in text.partition("Lose most")[2]
    assert re.search(r"\n outcome-v1@\w{12} 0.5 2 1 0 0 of 1 0 0 of 1 0 \n", text)
    assert re.search(r"\n loose@\w{12} 1.75 2 1 0 1 of 1 0 1 of 1 0 \n", text)
    assert f"\n {void.pk} " not in text


def test_pairs_of_different_groups_count_apart(read: Read) -> None:
    text = read(paid_run(versions=2, samples=2), f"?profile={stored(LOOSE)}")

    # Version 1 pays 1.5 and 2, version 2 0.75 and 0.5.
    assert re.search(r"\n loose@\w{12} 1.188 4 0 0 2 of 4 0 1 of 2 0 \n", text)


def test_without_a_rank_correlation_it_says_why(read: Read) -> None:
    reference = stored({**SHAPED, "terms": SHAPED["terms"][:2]})
    same = factories.run()
    for _ in range(2):
        factories.verdict(factories.episode(run=same), "correct")

    assert "one of the profiles pays all 2 episodes the same" in read(same, f"?beside={reference}")
    assert "fewer than two episodes" in read(paid_run(samples=1), f"?beside={reference}")


def test_a_run_without_ended_episodes_says_so(read: Read) -> None:
    run = factories.run()
    factories.episode(run=run)

    text = read(run, f"?beside={stored(SHAPED)}")
    assert "None of the selected episodes has ended yet" in text
    assert "outcome-v1@" in text


def test_void_episodes_alone_are_paid_nothing(read: Read) -> None:
    run = factories.run()
    factories.verdict(factories.episode(run=run, policy_version=3), "void", "lease_lost")

    text = read(run, f"?beside={stored(SHAPED)}")
    assert re.search(r"\n outcome-v1@\w{12} – 0 1 0 0 of 0 0 0 of 0 0 \n", text)
    assert "\n 3 – n = 0 – n = 0 \n" in text


def test_a_benchmark_s_episodes_can_be_read_alone(read: Read) -> None:
    run, other = paid_run(), factories.benchmark(id="math", title="MATH")
    factories.verdict(factories.episode(group=factories.group(run=run, task=factories.task(benchmark=other))))

    assert "All 5 ended episodes." in read(run)
    assert "All 1 ended episode." in read(run, "?benchmark=math")


def test_older_episodes_than_are_read_are_mentioned(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    run = paid_run(versions=2)
    assert "All 8 ended episodes." in read(run)
    monkeypatch.setattr("trajectories.judges.run_rewards.episodes.EPISODES_MAX", 5)
    monkeypatch.setattr("trajectories.judges.run_rewards.episodes.BATCH", 2)

    text = read(run)
    assert "The newest 5 ended episodes; older ones are not shown." in text
    assert "\n 1 1 n = 0" not in text
    assert re.search(r"\n outcome-v1@\w{12} 0.6667 3 2 0 ", text)


def test_a_name_alone_means_the_newest_of_its_profiles(read: Read) -> None:
    first, newest = stored(SHAPED), stored({**SHAPED, "clip": [0, 1]})

    text = read(paid_run(), "?profile=shaped")
    assert f"\n {newest}\n" in text or f"\n{newest}\n" in text
    assert f"{first}\n This is not the run’s own profile" not in text
    assert "clipped to 0 to 1" in text


OTHERS = "is not a reward profile that this run's project may name. This filter is ignored."


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?profile=none", f"Profile: “none” {OTHERS}"),
        ("?beside=shaped@0000000000", f"Compare with: “shaped@0000000000” {OTHERS}"),
        ("?profile=a%00b", OTHERS),
        ("?profile=" + "x" * 2000, OTHERS),
        ("?profile=%E2%80%AE@", OTHERS),
        ("?beside=outcome-v1", "is the same profile as the one shown"),
        ("?profile=shaped&beside=shaped", "is the same profile as the one shown"),
        ("?benchmark=none", "Benchmark: “none” is not among the choices"),
        ("?other=1", "“other” is not a filter of this page"),
        ("?profile=shaped&profile=outcome-v1", "“profile” is given 2 times"),
    ],
)
def test_bad_input_is_ignored_with_a_message(read: Read, query: str, message: str) -> None:
    stored(SHAPED)
    text = read(paid_run(), query)

    assert message in text
    assert "Right and wrong answers" in text


def test_profiles_of_another_project_are_not_seen(read: Read) -> None:
    theirs = stored(SHAPED, viewer=Sight(project="theirs"))

    text = read(paid_run(), f"?profile={theirs}")
    assert f"{theirs}” {OTHERS}" in text.replace("\n", "")
    assert text.count(theirs) == 1
    assert f"{theirs}\n" in read(paid_run(project="theirs"))


@pytest.mark.parametrize("setting", ["gone", "gone@0123456789ab", 7, {"a": 1}])
def test_a_run_that_names_a_profile_that_there_is_not_is_read_by_outcomes(read: Read, setting: Any) -> None:
    text = read(paid_run(settings={"reward_profile": setting}))

    assert "The run names it, so outcome-v1 is shown instead." in text
    assert re.search(r"outcome-v1@\w{12} 0.6667 3 1", text)


def test_a_run_that_there_is_not_is_not_found(lab: Callable[[Any], LabClient], owner: Any) -> None:
    assert lab(owner).get("/runs/999999/rewards/").status_code == 404


def test_the_page_of_every_run_leads_here(lab: Callable[[Any], LabClient], owner: Any) -> None:
    for kind in ("train", "eval"):
        run = factories.run(kind=kind)
        assert f'href="/runs/{run.pk}/rewards/"' in lab(owner).get(f"/runs/{run.pk}/").content.decode()


def judged_run(judge: Judge, *, met: int, of: int) -> Run:
    """A run with so many graded episodes, of which the judge says that so many meet its criterion."""
    run = factories.run()
    for place in range(of):
        episode = factories.episode(run=run)
        factories.verdict(episode, "correct")
        values = {f"judge/{judge.name}/grounded": float(place < met)}
        components_write(episode.pk, source=source_of(judge).pk, values=values, steps={})
    return run


def measured(judge: Judge, *, true_positive: float, true_negative: float) -> None:
    """As if people had labelled 200 units of either kind."""
    rates = [
        msgspec.to_builtins(Rate(value=share, low=share - 0.05, high=share + 0.05, units=200, size=200.0))
        for share in (true_positive, true_negative)
    ]
    figures = {"units": 400, "without_label": 0, "without_grade": 0}
    both = dict(zip(("true_positive", "true_negative"), rates, strict=True))
    JudgeCertification.objects.create(
        judge=judge,
        criterion="grounded",
        figures={**figures, "measurement": both},
        is_certified=min(true_positive, true_negative) >= 0.85,
    )


BY_JUDGE = {
    "name": "by-judge",
    "terms": [{"component": "outcome"}, {"component": "judge/strict/grounded", "weight": 0.5}],
}


def test_what_a_judge_says_is_shown_raw_and_corrected_by_its_errors(read: Read) -> None:
    judge, _ = judge_store(toml(criteria=ONE))
    measured(judge, true_positive=0.9, true_negative=0.9)
    run = judged_run(judge, met=5, of=10)
    for outcome in ("correct", "incorrect", "void"):
        factories.verdict(factories.episode(run=run), outcome)

    assert "Judges’ grades" not in read(run)
    text = " ".join(read(run, f"?beside={stored(BY_JUDGE)}").split())
    # Half as graded is half in truth, where both errors are alike.
    assert re.search(
        r"judge/strict/grounded certified 50\.0% 22\.7% to 77\.3% n = 10 "
        r"50\.0% [\d.]+% to [\d.]+% n = 10 0 2 ",
        text,
    )


def test_a_judge_that_is_not_certified_is_marked_and_one_not_measured_corrects_nothing(read: Read) -> None:
    judge, _ = judge_store(toml(criteria=ONE))
    run = judged_run(judge, met=8, of=10)
    query = f"?profile={stored(BY_JUDGE)}"
    assert "judge/strict/grounded not measured 80.0%" in " ".join(read(run, query).split())
    assert "not known" in read(run, query)
    measured(judge, true_positive=0.9, true_negative=0.7)
    # (0.8 + 0.7 - 1) / (0.9 + 0.7 - 1)
    assert re.search(r"grounded not certified 80\.0% .* n = 10 83\.3% ", " ".join(read(run, query).split()))


def test_more_episodes_cost_no_more_queries(lab: Callable[[Any], LabClient], owner: Any) -> None:
    client, counts, beside = lab(owner), [], stored(SHAPED)
    for samples in (2, 8):
        run = paid_run(samples=samples, versions=samples // 2)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/runs/{run.pk}/rewards/?beside={beside}")
        counts.append(len(queries))
    assert counts[0] == counts[1]
