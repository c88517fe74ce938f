"""The report's tables of tool use: planted policies of known rates, without a page and on one."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from palaestra.protocol.arms import ARMS
from tasks_app.models import Gold, Task
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.distances import FAULTS
from tasks_app.tool_tasks.oracle import list_calls
from tasks_app.tool_tasks.scores import NOTHING
from tasks_app.tool_tasks.types import Call, Truth
from tests import factories
from tests.reports.test_computation import assert_sound, correct_if, evaluation, tables_of
from tests.tool_policies import OTHERS, POLICIES
from trajectories.models import Episode, Report, SiteEvent
from trajectories.reports.builtin.tools import NO_FIELD
from trajectories.reports.estimators.accuracy import FEW_ITEMS

pytestmark = pytest.mark.django_db

DRAFTS = starter_drafts("tools")
TRUTHS = [msgspec.convert(draft.gold.extra, Truth) for draft in DRAFTS]
ARM = "text_agent"
Planted = Callable[[int], str]
"""The policy of an episode, by its number in its arm."""


def left_out(calls: list[Call]) -> list[Call]:
    """Without each call's first argument."""
    return [Call(call.tool, dict(list(call.arguments.items())[1:]), is_ok=False) for call in calls]


def made_up(calls: list[Call]) -> list[Call]:
    return [Call(call.tool, {**call.arguments, "<b>verbose": "yes"}, is_ok=False) for call in calls]


PLAYS: dict[str, Callable[[list[Call]], list[Call]]] = {
    **{name: policy.play for name, policy in POLICIES.items()},
    "left out": left_out,
    "made up": made_up,
}


def tools_task(place: int) -> Task:
    draft = DRAFTS[place]
    benchmark = factories.benchmark(
        id="tools", kind="tools", verifier_official="denotation-v1", verifier_training="denotation-v1"
    )
    fields: dict[str, Any] = {"payload": dict(draft.payload), "answer": draft.gold.answer}
    task = factories.task(benchmark=benchmark, kind="tools", tags=list(draft.tags), **fields)
    Gold.objects.filter(task=task).update(extra=dict(draft.gold.extra))
    return task


def played(group: Any, sample: int, place: int, policy: str, outcome: str) -> None:
    calls = PLAYS[policy](list_calls(TRUTHS[place].graphs[0]))
    episode = factories.episode(
        group=group, sample_index=sample, variation={"tools": DRAFTS[place].payload["tools"]}
    )
    for number, call in enumerate(calls, start=1):
        event_make(episode, call, number=number, is_ok=call.is_ok and policy != "wrong arguments")
    factories.verdict(episode, outcome, "answer" if outcome != "void" else "harness_error")


def event_make(episode: Episode, call: Call, *, number: int, is_ok: bool) -> None:
    data = {"tool": call.tool, "number": number, "arguments": dict(call.arguments), "is_ok": is_ok}
    SiteEvent.objects.create(episode=episode, seq=number, step=number, kind="tool_called", data=data)


def tables_played(arms: dict[str, Planted], *, samples: int = 10, copies: int = 1) -> dict[str, Any]:
    """Tables by id. Episodes are numbered by sample and then by family, of which there are ``copies``."""
    report = factories.report(
        plan={
            "arms": list(arms),
            "benchmarks": [{"slug": "tools", "split": "test", "limit": None, "task_ids": None}],
            "contrasts": [],
        }
    )
    tasks = [tools_task(place) for _ in range(copies) for place in range(len(DRAFTS))]
    for arm, planted in arms.items():
        run = factories.run(report=report)
        for place, task in enumerate(tasks):
            group = factories.group(run=run, task=task, arm=arm)
            for sample in range(samples):
                outcome = "correct" if sample % 2 else "incorrect"
                played(group, sample, place % len(DRAFTS), planted(sample), outcome)
    tables = tables_of(report)
    assert_sound(tables)
    return tables


def report_of(arms: dict[str, Planted], *, samples: int = 10) -> dict[str, Any]:
    """The rows of use by arm."""
    return {row["arm"]: row for row in tables_played(arms, samples=samples)["tools"]["rows"]}


NEEDING = sum(all(truth.graphs) for truth in TRUTHS)


@pytest.mark.parametrize("arm", ["text_agent", "gym"])
@pytest.mark.parametrize(
    ("policy", "column", "value"),
    [
        ("oracle", "recall", 100),
        ("never", "recall", 60),
        ("wrong tool", "recall", 100),
        ("wrong arguments", "execution", 60),
    ],
)
def test_a_fault_in_two_fifths_of_the_episodes_is_recovered(
    arm: str, policy: str, column: str, value: float
) -> None:
    row = report_of({arm: lambda sample: policy if sample < 4 else "oracle"})[arm]
    assert row["episodes"] == 10 * len(DRAFTS)
    assert row["needing"] == 10 * NEEDING
    assert row[column] == value
    assert row["precision"] == 100
    others = {"recall", "selection", "arguments", "execution"} - {column}
    faulty = {"wrong tool": {"selection"}, "wrong arguments": {"arguments"}}.get(policy, set())
    assert all(row[name] == 100 for name in others - faulty)
    assert all(row[name] < 100 for name in faulty)


def test_needless_calls_lower_precision_and_are_counted() -> None:
    row = report_of({ARM: lambda _: "always"})[ARM]
    needless = len(DRAFTS) - NEEDING
    assert row["precision"] == pytest.approx(100 * NEEDING / len(DRAFTS), abs=1e-4)
    assert row["surplus"] == 10 * needless
    assert row["calling"] == row["episodes"]


def test_arms_stand_side_by_side_in_the_ladders_order() -> None:
    rows = report_of({"text_agent": lambda _: "oracle", "gym": lambda _: "never"}, samples=2)
    assert list(rows) == ["text_agent", "gym"]
    assert (rows["text_agent"]["recall"], rows["gym"]["recall"]) == (100, 0)
    assert rows["gym"]["selection"] is rows["gym"]["arguments"] is rows["gym"]["execution"] is None
    assert rows["gym"]["calls"] == 0


PLANTED = 0.4
COPIES = 5
FIRSTS = [truth.graphs[0] for truth in TRUTHS]


def sometimes(policy: str) -> Planted:
    draws = random.Random(3)
    return lambda _: policy if draws.random() < PLANTED else "oracle"


def tables_with(policy: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table, of an arm that has a policy's fault in two fifths of 120 episodes."""
    tables = tables_played({ARM: sometimes(policy)}, samples=4, copies=COPIES)
    return {table["id"]: table["rows"] for table in tables.values()}


def holds(row: dict[str, Any], name: str, value: float, *, prefix: str = "") -> bool:
    """Whether the interval of a rate holds ``value``, in percent, and is not wide enough to hold anything."""
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    return low <= value <= high and low <= row[name] <= high and high - low < 45


@pytest.mark.parametrize(
    ("policy", "column", "value"),
    [
        ("never", "recall", 1 - PLANTED),
        ("always", "precision", NEEDING / (NEEDING + PLANTED * (len(DRAFTS) - NEEDING))),
        ("wrong tool", "selection", 1 - PLANTED),
        ("wrong arguments", "execution", 1 - PLANTED),
    ],
)
def test_the_interval_of_a_rate_holds_what_was_planted(policy: str, column: str, value: float) -> None:
    (row,) = tables_with(policy)["tools"]
    assert holds(row, column, 100 * value, prefix=f"{column}_")
    if policy == "never":
        assert (row["precision"], row["precision_high"]) == (100, 100)
        assert row["precision_low"] < 95  # each of twenty-five items counts once


def test_tools_that_were_confused_are_named_the_most_frequent_first() -> None:
    rows = tables_with("wrong tool")["tool_confusions"]
    times = [row["times"] for row in rows]
    assert times == sorted(times, reverse=True)
    assert {(row["needed"], row["called"]) for row in rows} == {
        (node.tool, OTHERS.get(node.tool, "travel_time")) for graph in FIRSTS for node in graph
    }
    assert all(holds(row, "share", 100 * PLANTED) for row in rows if row["low"] is not None)
    assert all(row["low"] is not None or row["note"] == FEW_ITEMS for row in rows)
    assert all(row["links"]["times"].startswith("/search?episodes=") for row in rows)


def test_calls_that_are_missing_or_needless_are_confused_with_no_tool() -> None:
    missing = tables_with("never")["tool_confusions"]
    assert {(row["needed"], row["called"]) for row in missing} == {
        (node.tool, NOTHING) for graph in FIRSTS for node in graph
    }
    (needless,) = tables_with("always")["tool_confusions"]
    assert (needless["needed"], needless["called"], needless["share"]) == (NOTHING, "handbook", None)
    assert needless["times"] > 0


def test_the_oracle_confuses_nothing_and_has_no_wrong_argument() -> None:
    tables = tables_played({ARM: lambda _: "oracle"}, samples=2, copies=COPIES)
    assert tables["tool_confusions"]["rows"] == []
    assert {row["wrong"] for row in tables["tool_arguments"]["rows"]} == {0}
    assert all("wrong" not in row["links"] for row in tables["tool_arguments"]["rows"])


@pytest.mark.parametrize(
    ("policy", "fault"), [("wrong arguments", "other"), ("left out", "missing"), ("made up", "extra")]
)
def test_wrong_arguments_have_their_field_and_what_differs(policy: str, fault: str) -> None:
    rows = tables_with(policy)["tool_arguments"]
    wrong = [row for row in rows if row["wrong"] > 0]
    assert wrong
    assert [row["wrong"] for row in rows] == sorted((row["wrong"] for row in rows), reverse=True)
    for row in wrong:
        faults = {name: row[name] for name in FAULTS}
        assert faults == {**dict.fromkeys(FAULTS, 0), fault: round(row["calls"] * row["wrong"] / 100)}
        assert row["wrong_low"] is None or holds(row, "wrong", 100 * PLANTED, prefix="wrong_")
    fields = {(node.tool, name) for graph in FIRSTS for node in graph for name in node.arguments}
    named = {(row["tool"], row["field"]) for row in rows}
    assert fields <= named
    assert {field for _, field in named - fields} == ({NO_FIELD} if fault == "extra" else set())


def test_an_arm_that_mixes_set_ups_has_counts_and_no_rates() -> None:
    """As with accuracy."""
    tables = tables_played({ARM: lambda _: "never"}, samples=2)
    report = Report.objects.get()
    other = factories.run(report=report, model="another")
    task = Task.objects.order_by("pk").last()
    played(factories.group(run=other, task=task, arm=ARM), 0, len(DRAFTS) - 1, "never", "incorrect")
    assert tables["tools"]["rows"][0]["recall"] == 0

    tables = tables_of(report)

    (row,) = tables["tools"]["rows"]
    assert (row["episodes"], row["recall"]) == (2 * len(DRAFTS) + 1, None)
    assert "mixture of set-ups" in row["note"]
    assert tables["tool_confusions"]["rows"] == []


def test_a_report_without_a_benchmark_of_tools_has_no_table_of_them() -> None:
    arms = {arm: correct_if(lambda item, _: item % 2 > 0) for arm in ("text_zero_shot", "gym")}
    assert "tools" not in tables_of(evaluation(arms, items=12)[0])


def test_the_starters_are_as_the_tests_take_them() -> None:
    assert ARMS[ARM].calls_tools
    assert 0 < NEEDING < len(DRAFTS)
    assert all(all(truth.graphs) or not any(truth.graphs) for truth in TRUTHS)
