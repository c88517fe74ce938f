from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Episode
from trajectories.rollouts.judging import services
from trajectories.shell.text.values import VALUES_MOST, values_of

Lab = Callable[[User | None], LabClient]


def condition(kind: str, *, is_held: bool) -> dict[str, Any]:
    return {
        "kind": kind,
        "about": f"About-{kind}",
        "expected": factories.GOLD_CANARY,
        "actual": "<b>booked</b>",
        "is_held": is_held,
    }


CONDITIONS = [
    condition("goal", is_held=False),
    condition("frame", is_held=True),
    condition("allowed", is_held=True),
]


def test_a_verifier_that_disagrees_is_shown(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    opinions = {
        "math-v1": {"correct": True, "parsed_answer": "1/2", "parsed_gold": factories.GOLD_CANARY},
        "math_strict-v1": {"correct": False, "parsed_answer": "", "parsed_gold": factories.GOLD_CANARY},
    }
    factories.submission(episode, "0.5")
    factories.verdict(episode, verifier="math-v1", evidence={"verifiers": opinions, "answer": "0.5"})
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "math_strict-v1" in html
    assert factories.GOLD_CANARY not in html


@pytest.mark.parametrize("payload", [{}, {"fields": ["Total"]}], ids=["one answer", "fields"])
@pytest.mark.parametrize("address", ["/episodes/{}/", "/episodes/{}/progress"])
def test_the_gold_is_collapsed_by_default(
    lab: Lab, owner: User, address: str, payload: dict[str, Any]
) -> None:
    episode = factories.episode(task=factories.task(payload=payload))
    opinions = {"math-v1": {"correct": True, "parsed_answer": "1/2", "parsed_gold": factories.GOLD_CANARY}}
    evidence = {"verifiers": opinions, "answer": "0.5", "conditions": CONDITIONS}
    factories.verdict(episode, verifier="math-v1", evidence=evidence)
    html = lab(owner).get(address.format(episode.pk)).content.decode()
    assert factories.GOLD_CANARY in html
    folded = re.compile(r"<details(?:(?!<details).)*?</details>", re.DOTALL)
    while folded.search(html):
        html = folded.sub("", html)
    assert factories.GOLD_CANARY not in html


FIELDS = ["Total price", "House <code>"]


def episode_of_values(answer: str | list[str], parsed: str) -> Episode:
    task = factories.task(
        kind="site", answer=f"412.50|{factories.GOLD_CANARY}", payload={"text": "Find it.", "fields": FIELDS}
    )
    episode = factories.episode(task=task)
    factories.submission(episode, answer)
    opinion = {"correct": False, "parsed_answer": parsed, "parsed_gold": f"412.50|{factories.GOLD_CANARY}"}
    factories.verdict(
        episode, "incorrect", verifier="site_state-v1", evidence={"verifiers": {"site_state-v1": opinion}}
    )
    return episode


def rows_of(html: str) -> list[str]:
    """Rows of tables and innermost lists, as text."""
    rows = re.findall(r"<tr>((?:(?!<tr>).)*?)</tr>", html, re.DOTALL)
    facts = re.findall(r"<dt>(?:(?!<dt>).)*?</dd>", html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in (*rows, *facts)]


@pytest.mark.parametrize("address", ["/episodes/{}/", "/episodes/{}/progress"])
@pytest.mark.parametrize("answer", ["17 euros|L-1", ["17 euros", "L-1"]])
def test_several_values_are_listed_under_their_field_names(
    lab: Lab, annotator: User, address: str, answer: str | list[str]
) -> None:
    episode = episode_of_values(answer, "17 euros|L-1")
    html = lab(annotator).get(address.format(episode.pk)).content.decode()
    received_and_read = 2
    assert rows_of(html).count("House &lt;code&gt; L-1") == received_and_read
    assert "17 euros|L-1" not in html
    assert factories.GOLD_CANARY not in html


def test_gold_readers_see_the_read_and_the_expected_value_once_each(lab: Lab, owner: User) -> None:
    episode = episode_of_values(["18 euros"], "17 euros")
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    rows = rows_of(html.partition('class="table table-dense"')[2].partition("</table>")[0])
    assert (rows.count("Total price 17 euros"), rows.count("Total price 412.50")) == (1, 1)
    assert "Total price 18 euros" in rows_of(html)
    assert "Total price 17 euros 412.50" not in rows_of(html)


@pytest.mark.parametrize("arm", ["gym", "text_zero_shot"])
def test_compared_values_are_listed_under_their_field_names(lab: Lab, annotator: User, arm: str) -> None:
    one = episode_of_values("17 euros|L-1", "17 euros|L-1")
    other = factories.episode(task=one.task, arm=arm)
    html = lab(annotator).get(f"/compare?episodes={one.pk},{other.pk}").content.decode()
    assert {"Total price 17 euros", "House &lt;code&gt; L-1"} <= set(rows_of(html))
    assert "17 euros|L-1" not in html


def test_an_export_with_golds_has_each_given_value_beside_the_expected_one(lab: Lab, owner: User) -> None:
    episode = episode_of_values(["17 euros"], "17 euros")
    html = b"".join(lab(owner).get(f"/episodes/{episode.pk}/export.html?golds=1")).decode()
    assert "Total price 17 euros 412.50" in rows_of(html)
    assert f"House &lt;code&gt; nothing {factories.GOLD_CANARY}" in rows_of(html)


def test_the_gold_of_a_task_names_its_values(lab: Lab, owner: User) -> None:
    task = episode_of_values("1|2", "1|2").task
    assert "Total price 412.50" in rows_of(lab(owner).get(f"/tasks/{task.pk}/").content.decode())


def test_a_value_without_a_field_is_labelled_so() -> None:
    values = values_of(["Day"], given="1|2", expected="3")
    assert [(one.field, one.given, one.expected) for one in values] == [("Day", "1", "3"), ("", "2", None)]


def test_an_empty_answer_gives_no_values() -> None:
    assert [one.given for one in values_of(["Day", "House"], given="")] == [None, None]


@pytest.mark.parametrize("address", ["/episodes/{}/", "/episodes/{}/export.html"])
def test_too_many_values_are_shown_as_one_text(lab: Lab, annotator: User, address: str) -> None:
    answer = "7|" * VALUES_MOST
    html = b"".join(lab(annotator).get(address.format(episode_of_values(answer, answer).pk))).decode()
    assert html.count(answer) >= 2  # received, and read
    assert "House &lt;code&gt;" not in html.split("Answer", 1)[1]
    assert len(values_of(FIELDS, given="7|" * (VALUES_MOST - 1))) == VALUES_MOST


def done_episode(**evidence: Any) -> Episode:
    task = factories.task(kind="site", tags=["family:cancel_and_rebook", "level-1"])
    episode = factories.episode(task=task)
    factories.submission(episode, ["15.00"])
    factories.verdict(
        episode, "incorrect", verifier="site_state-v1", evidence={"answer": ["15.00"], **evidence}
    )
    return episode


@pytest.mark.parametrize(
    "address", ["/episodes/{}/", "/episodes/{}/progress", "/episodes/{}/export.html?golds=1"]
)
def test_gold_readers_see_each_condition_with_expected_and_actual_state(
    lab: Lab, owner: User, address: str
) -> None:
    episode = done_episode(conditions=CONDITIONS)
    response = lab(owner).get(address.format(episode.pk))
    html = b"".join(response).decode()
    for text in ("About-goal", "About-frame", "About-allowed", "&lt;b&gt;booked&lt;/b&gt;", "not held"):
        assert text in html
    assert html.count(factories.GOLD_CANARY) >= len(CONDITIONS)


def test_others_see_only_which_kind_of_condition_failed(lab: Lab, annotator: User) -> None:
    html = lab(annotator).get(f"/episodes/{done_episode(conditions=CONDITIONS).pk}/").content.decode()
    goal, frame = html.split("Requested changes")[1].split("Everything else unchanged")
    assert "not held" in goal
    assert "not held" not in frame.split("</ul>")[0]
    assert factories.GOLD_CANARY not in html
    assert "About-" not in html


def test_a_verdict_stored_without_conditions_says_so(lab: Lab, owner: User) -> None:
    assert (
        "stored without a condition-by-condition comparison"
        in lab(owner).get(f"/episodes/{done_episode().pk}/").content.decode()
    )
    whole = done_episode(conditions=CONDITIONS)
    assert (
        "stored without a condition-by-condition comparison"
        not in lab(owner).get(f"/episodes/{whole.pk}/").content.decode()
    )


def test_no_state_comparison_is_mentioned_where_no_verdict_makes_one(lab: Lab, owner: User) -> None:
    task = factories.task(kind="site", tags=["family:total_price"])
    read_only = factories.episode(task=task)
    factories.verdict(read_only, verifier="site_state-v1", evidence={"conditions": []})
    void = factories.episode(task=factories.task(kind="site", tags=["family:book_stay"]))
    unanswered = factories.episode(task=factories.task(kind="site", tags=["family:book_stay"]))
    factories.verdict(unanswered, "incorrect", reason="no_submission")
    factories.verdict(void, "void", reason="verifier_error")
    for episode in (read_only, unanswered, void):
        html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
        assert "without a condition-by-condition" not in html
        assert "Expected and final state" not in html


def test_a_copy_is_shown_with_its_distance_and_what_differs(lab: Lab, annotator: User) -> None:
    shown = "Which of the two cats is older?"
    episode = factories.episode(arm="probe_read", answer_channel="api", variation={"transcript": shown})
    factories.submission(episode, "Which of the two dogs is older?")
    assert services.submission_judge(episode_id=episode.pk)
    page = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "distance 0.097" in page
    assert re.search(r"<del>.*cats.*</del>", page)
    assert re.search(r"<ins>.*dogs.*</ins>", page)
    assert factories.GOLD_CANARY not in page
