"""The report's table of tool use: planted policies of known rates, without a page and on one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from core.arms import ARMS
from tasks_app.models import Gold, Task
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.oracle import calls_of
from tasks_app.tool_tasks.types import Call, Truth
from tests import factories
from tests.reports.test_computation import assert_sound, correct_if, evaluation, tables_of
from tests.tool_policies import POLICIES
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db

DRAFTS = starter_drafts("tools")
TRUTHS = [msgspec.convert(draft.gold.extra, Truth) for draft in DRAFTS]
ARM = "text_agent"
Planted = Callable[[int], str]
"""The policy of an episode, by its number in its arm."""


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
    calls = POLICIES[policy].play(calls_of(TRUTHS[place].graphs[0]))
    episode = factories.episode(
        group=group, sample_index=sample, variation={"tools": DRAFTS[place].payload["tools"]}
    )
    for number, call in enumerate(calls, start=1):
        event_make(episode, call, number=number, is_ok=policy != "wrong arguments")
    factories.verdict(episode, outcome, "answer" if outcome != "void" else "harness_error")


def event_make(episode: Episode, call: Call, *, number: int, is_ok: bool) -> None:
    data = {"tool": call.tool, "number": number, "arguments": dict(call.arguments), "is_ok": is_ok}
    SiteEvent.objects.create(episode=episode, seq=number, step=number, kind="tool_called", data=data)


def report_of(arms: dict[str, Planted], *, samples: int = 10) -> dict[str, Any]:
    """The table's rows by arm; episodes are numbered by sample and then by family."""
    report = factories.report(
        plan={
            "arms": list(arms),
            "benchmarks": [{"slug": "tools", "split": "test", "limit": None, "task_ids": None}],
            "contrasts": [],
        }
    )
    tasks = [tools_task(place) for place in range(len(DRAFTS))]
    for arm, planted in arms.items():
        run = factories.run(report=report)
        for place, task in enumerate(tasks):
            group = factories.group(run=run, task=task, arm=arm)
            for sample in range(samples):
                played(group, sample, place, planted(sample), "correct" if sample % 2 else "incorrect")
    tables = tables_of(report)
    assert_sound(tables)
    return {row["arm"]: row for row in tables["tools"]["rows"]}


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


def test_a_report_without_a_benchmark_of_tools_has_no_table_of_them() -> None:
    arms = {arm: correct_if(lambda item, _: item % 2 > 0) for arm in ("text_zero_shot", "gym")}
    assert "tools" not in tables_of(evaluation(arms, items=12)[0])


def test_the_starters_are_as_the_tests_take_them() -> None:
    assert ARMS[ARM].calls_tools
    assert 0 < NEEDING < len(DRAFTS)
    assert all(all(truth.graphs) or not any(truth.graphs) for truth in TRUTHS)
