"""Reports over recorded episodes."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests import factories
from trajectories.models import Episode, Report, Run
from trajectories.reports import exports, services
from trajectories.reports.jobs import REPORTS

pytestmark = pytest.mark.django_db
LOOKS = 8
Outcomes = Sequence[str]


def episodes(
    run: Run, arm: str, tasks: Sequence[Any], outcomes: Callable[[int, int], str], samples: int
) -> None:
    """``samples`` judged episodes per task, sample k in look k; ``outcomes(item, sample)`` is "" for open."""
    for item, task in enumerate(tasks):
        group = factories.group(run=run, task=task, arm=arm)
        for sample in range(samples):
            look = f"look-{sample % LOOKS}"
            made = factories.episode(group=group, sample_index=sample, presentation_hash=look)
            if outcome := outcomes(item, sample):
                reason = "answer" if outcome != "void" else "harness_error"
                factories.verdict(made, outcome, reason)


def correct_if(is_correct: Callable[[int, int], bool]) -> Callable[[int, int], str]:
    return lambda item, sample: "correct" if is_correct(item, sample) else "incorrect"


def evaluation(
    arms: Mapping[str, Callable[[int, int], str]], *, items: int = 40, samples: int = 1, **plan: Any
) -> tuple[Report, Mapping[str, Run], Sequence[Any]]:
    report = factories.report(plan={"arms": list(arms), "samples": samples, **plan})
    tasks = [factories.task() for _ in range(items)]
    named = {planned: planned.partition(":") for planned in arms}
    runs = {
        planned: factories.run(report=report, observation=own or "axtree-v2")
        for planned, (_, _, own) in named.items()
    }
    for planned, outcomes in arms.items():
        episodes(runs[planned], named[planned][0], tasks, outcomes, samples)
    return report, runs, tasks


def tables_of(report: Report) -> dict[str, Any]:
    services.report_request(report.pk)
    assert REPORTS.run(report.pk)
    report.refresh_from_db()
    assert (report.state, report.progress, report.requested_at) == ("ready", 1.0, None)
    return {table["id"]: table for table in report.result["tables"]}


def numbers_in(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers_in(part)]
    if isinstance(value, list):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


def assert_sound(tables: Mapping[str, Any]) -> None:
    """No NaN, no interval without width, and a reason wherever a number is missing."""
    assert all(map(math.isfinite, numbers_in(list(tables.values()))))
    for table in tables.values():
        for row in table["rows"]:
            if "low" in row and row["low"] is not None:
                assert row["low"] < row["high"], row
            value = next((name for name in ("accuracy", "gap", "pass_at_k") if name in row), None)
            if value and (row[value] is None or row.get("low") is None):
                assert row["note"], row


def test_a_gap_is_the_difference_of_item_means_with_an_interval_and_links() -> None:
    report, runs, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 4 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        }
    )

    tables = tables_of(report)

    text, gym = tables["accuracy"]["rows"]
    assert (text["accuracy"], gym["accuracy"], text["items"]) == (75.0, 50.0, 40)
    (gap,) = tables["gaps"]["rows"]
    assert (gap["gap"], gap["first_better"], gap["second_better"]) == (25.0, 10, 0)
    assert gap["low"] < 25 < gap["high"]
    assert gap["p"] < 0.01
    assert gap["p_mcnemar"] < 0.01
    assert gap["odds_ratio"] == pytest.approx(3.0)
    assert f"run={runs['gym'].pk}" in gym["links"]["accuracy"]
    assert_sound(tables)


def test_arms_of_different_token_budgets_are_no_gap() -> None:
    arms = {
        "text_zero_shot": correct_if(lambda item, _: item % 4 > 0),
        "gym": correct_if(lambda item, _: item % 2 > 0),
    }
    report, runs, _ = evaluation(arms, token_budget=2048)
    Episode.objects.filter(run=runs["text_zero_shot"]).update(token_budget=2048)
    Episode.objects.filter(run=runs["gym"]).update(token_budget=512)

    tables = tables_of(report)

    (gap,) = tables["gaps"]["rows"]
    assert gap["gap"] is None
    assert "token budget 2048 and 512" in gap["note"]
    assert [row["token_budget"] for row in tables["setups"]["rows"]] == ["2048", "512"]
    assert [row["deviation"] for row in tables["deviations"]["rows"]] == ["token budget is 512, planned 2048"]


def test_the_rungs_add_up_to_the_total() -> None:
    arms = {
        "text_zero_shot": correct_if(lambda item, _: item % 10 < 8),
        "text_agent": correct_if(lambda item, _: item % 10 < 7),
        "gym_with_text": correct_if(lambda item, _: item % 10 < 6),
        "gym": correct_if(lambda item, _: item % 10 < 3),
    }
    report, _, _ = evaluation(arms, items=100)

    *rungs, total = tables_of(report)["rungs"]["rows"]

    assert [(row["rung"], row["gap"]) for row in rungs] == [
        ("agent format", 10.0),
        ("interaction", 10.0),
        ("finding and reading", 30.0),
    ]
    assert (total["rung"], total["gap"]) == ("total", 50.0)


def test_void_episodes_are_left_out_and_bound_the_gap() -> None:
    report, _, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 2 > 0),
            "gym": lambda item, _: "void" if item < 10 else "correct" if item % 2 else "incorrect",
        }
    )

    tables = tables_of(report)

    (gap,) = tables["gaps"]["rows"]
    assert (gap["items"], gap["gap"], gap["low"]) == (30, 0.0, None)
    assert (gap["void_low"], gap["void_high"]) == (-12.5, 12.5)
    assert "no item differs" in gap["note"]
    assert tables["accuracy"]["rows"][1]["void"] == 10


@pytest.mark.parametrize(
    ("arms", "reason"),
    [
        ({"text_zero_shot": lambda *_: "correct", "gym": lambda *_: "correct"}, "no item differs"),
        ({"text_zero_shot": lambda *_: "incorrect", "gym": lambda *_: "incorrect"}, "no item differs"),
        ({"text_zero_shot": lambda *_: "void", "gym": lambda *_: "void"}, "share no item"),
        ({"text_zero_shot": lambda *_: "", "gym": lambda *_: ""}, "share no item"),
        (
            {
                "text_zero_shot": lambda item, _: "correct" if item < 20 else "void",
                "gym": lambda item, _: "correct" if item >= 20 else "void",
            },
            "share no item",
        ),
    ],
    ids=["all right", "all wrong", "all void", "all open", "no shared item"],
)
@pytest.mark.parametrize("samples", [1, 3])
def test_a_number_that_cannot_be_stated_has_a_reason(arms: Any, reason: str, samples: int) -> None:
    report, _, _ = evaluation(arms, samples=samples, margin=5)

    tables = tables_of(report)

    (gap,) = tables["gaps"]["rows"]
    assert gap["low"] is None
    assert reason in gap["note"]
    assert_sound(tables)


def test_a_report_without_any_episode_says_so() -> None:
    report = factories.report()

    tables = tables_of(report)

    assert tables["gaps"]["rows"][0]["note"] == "no episode of Text, zero-shot has begun"
    assert [row["deviation"] for row in tables["deviations"]["rows"]] == ["no episode has begun"] * 2
    assert_sound(tables)


def test_few_looks_are_named() -> None:
    report, _, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, sample: (item + sample) % 4 > 0),
            "gym": correct_if(lambda item, sample: (item + sample) % 5 > 1),
        },
        samples=3,
    )

    tables = tables_of(report)

    assert "these looks only" in tables["gaps"]["rows"][0]["note"]
    assert "these looks only" in tables["accuracy"]["rows"][1]["note"]


def test_another_set_up_is_a_difference_of_set_ups_and_no_gap() -> None:
    report, runs, _ = evaluation(
        {
            "gym_with_text": correct_if(lambda item, _: item % 4 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        }
    )
    Run.objects.filter(pk=runs["gym"].pk).update(history="last_k:3", observation="screenshot-v2")

    tables = tables_of(report)

    (gap,) = tables["gaps"]["rows"]
    assert gap["gap"] is None
    assert "history full and last_k:3; observation axtree-v2 and screenshot-v2" in gap["note"]
    (apart,) = tables["setup_differences"]["rows"]
    assert apart["gap"] == 25.0


def test_a_mixture_within_an_arm_is_refused() -> None:
    report, _runs, tasks = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 4 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        }
    )
    other = factories.run(report=report, observation="som-v1", model="another")
    episodes(other, "gym", tasks[:2], lambda *_: "correct", 1)

    tables = tables_of(report)

    assert tables["accuracy"]["rows"][1]["accuracy"] is None
    assert "mixture of set-ups: model another and model" in tables["accuracy"]["rows"][1]["note"]
    assert "mixture" in tables["gaps"]["rows"][0]["note"]
    deviations = [row["deviation"] for row in tables["deviations"]["rows"]]
    assert "model is another, planned model" in deviations


def test_missing_items_and_open_episodes_are_deviations() -> None:
    report, _, _ = evaluation(
        {"text_zero_shot": lambda *_: "correct", "gym": lambda item, _: "" if item < 3 else "correct"},
        benchmarks=[{"slug": "gsm8k", "split": "train", "limit": 50}],
        retest=True,
    )

    rows = tables_of(report)["deviations"]["rows"]

    assert {(row["arm"], row["deviation"], row["episodes"]) for row in rows} == {
        ("", "no arm was played a second time", None),
        ("text_zero_shot", "fewer items than planned (40 of 50)", 10),
        ("gym", "fewer items than planned (37 of 50)", 13),
        ("gym", "episodes still open", 3),
    }


def test_items_that_are_not_gap_eligible_and_disputed_golds_are_counted_apart() -> None:
    report, _, tasks = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 4 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        }
    )
    for task in tasks[:4]:
        type(task).objects.filter(pk=task.pk).update(gap_eligible=False)
    for task in tasks[4:6]:
        task.golds.update(status="disputed")

    tables = tables_of(report)

    assert [row["items"] for row in tables["sensitivity"]["rows"]] == [36, 34, 40]
    assert "gsm8k: items that are not gap-eligible are left out (4)." in tables["accuracy"]["notes"]


def test_a_report_requested_again_meanwhile_stays_due() -> None:
    report = factories.report()
    services.report_request(report.pk)
    Report.objects.filter(pk=report.pk).update(state="computing")

    services.report_request(report.pk)

    assert Report.objects.get(pk=report.pk).state == "waiting"
    assert REPORTS.run(report.pk)
    assert not REPORTS.run(report.pk)


def test_where_it_was_lost_opens_the_episodes_of_each_class() -> None:
    report, runs, tasks = evaluation(
        {"text_zero_shot": lambda *_: "correct", "gym": correct_if(lambda item, _: item >= 12)},
        items=24,
        samples=2,
    )
    probe = factories.run(report=report, observation="axtree-v2")
    for task in tasks:
        made = factories.episode(
            group=factories.group(run=probe, task=task, arm="probe_read"), presentation_hash="look-0"
        )
        share = 0.5 if task == tasks[0] else 1.0
        factories.verdict(made, "incorrect" if share < 1 else "correct", score=share)
    lost = list(runs["gym"].episodes.filter(task__in=tasks[:3], sample_index=0).order_by("pk"))
    for episode in lost[1:]:
        shown = episode.task.prompt if episode == lost[1] else "something else"
        thought = f"{episode.task.prompt} The answer is 7."
        factories.step(episode, thought=thought, observation_text=shown, observation_kind="axtree-v2")

    tables = tables_of(report)

    classes = {row["class_id"]: row for row in tables["losses"]["rows"]}
    assert {kind: row["episodes"] for kind, row in classes.items() if row["episodes"]} == {
        "misread": 1,
        "reasoning": 1,
        "never_observed": 1,
        "undetermined": 21,
    }
    assert classes["misread"]["links"]["episodes"] == f"/search?episodes={lost[0].pk}"
    (reading,) = tables["reading"]["rows"]
    assert (reading["items"], reading["reading"]) == (24, pytest.approx(100 * (24 - 0.5) / 24))
    (worst,) = tables["reading_items"]["rows"]
    assert (worst["task"], worst["reading"], worst["page"]) == (str(tasks[0].pk), 50.0, 0.0)
    (again,) = tables["discordance"]["rows"]
    assert (again["items"], again["wrong_again"], again["wrong_page"], again["gap"]) == (24, 0.0, 50.0, 50.0)
    assert_sound(tables)

    rows = [
        json.loads(line)
        for part in exports.rows_export(report, "jsonl", splits=())
        for line in part.splitlines()
    ]
    exported = Counter(row["loss"] for row in rows)
    assert exported.pop(None) == len(rows) - 24
    assert exported == {kind: row["episodes"] for kind, row in classes.items() if row["episodes"]}
    assert {row["episode"] for row in rows if row["loss"] == "misread"} == {lost[0].pk}
