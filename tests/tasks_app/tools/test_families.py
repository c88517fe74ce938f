"""Tool tasks hold what they promise: golds, graphs, panels and stages."""

from __future__ import annotations

from collections import Counter

import pytest

from core.draws import Draws
from tasks_app.tool_tasks import families, oracle
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.scores import score_calls
from tasks_app.tool_tasks.types import Item
from tasks_app.tools.data import ToolData, draw_data

FAMILIES.discover(families)
ITEMS = 60


def items(family: str, count: int = ITEMS) -> list[tuple[Item, ToolData]]:
    drawn = FAMILIES.get(family).draw
    return [
        (drawn(Draws("test", family, number), draw_data(number % 12)), draw_data(number % 12))
        for number in range(count)
    ]


@pytest.mark.parametrize("family", list(FAMILIES))
def test_golds_follow_in_another_way(family: str) -> None:
    for item, data in items(family):
        assert FAMILIES.get(family).check(item, data) == item.answer, item.text


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_graph_can_be_played_and_is_right_by_its_own_score(family: str) -> None:
    for item, data in items(family):
        for graph in item.graphs:
            assert all(result.is_ok for result in oracle.play(graph, data)), item.text
            score = score_calls(oracle.list_calls(graph), item.truth, data)
            assert score.needed == 1
            assert score.selection == (1 if graph else None)
            assert score.arguments == (1 if graph else None)
            assert (score.surplus, score.failed) == (0, 0)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_questions_differ_and_no_answer_is_common(family: str) -> None:
    drawn = [item for item, _ in items(family, 200)]
    assert len({item.text for item in drawn}) > 120
    (_, count), *_ = Counter(item.answer for item in drawn).most_common(1)
    assert count <= 20


def test_only_the_family_without_tools_needs_no_call() -> None:
    for family in FAMILIES:
        has_calls = {bool(graph) for item, _ in items(family) for graph in item.graphs}
        assert has_calls == {family != "no_tool"}


def test_each_stage_has_a_family_and_pipelines_have_two_to_four_calls() -> None:
    assert {family.stage for _, family in FAMILIES.items()} == {1, 2, 3, 4}
    lengths = {len(item.graphs[0]) for item, _ in items("pipeline")}
    assert lengths == {2, 3, 4}
    assert {len(item.graphs[0]) for item, _ in items("stop_in_time")} == {1, 2, 3, 4}


def test_traps_cannot_be_copied_from_the_question() -> None:
    """Some argument of every trap is written otherwise than the tool takes it."""
    for item, _ in items("trap_arguments"):
        (node,) = item.graphs[0]
        assert any(values[0] not in item.text for values in node.arguments.values()), item.text


def test_a_condition_of_stopping_does_not_tell_the_answer() -> None:
    near = sum(str(int(item.answer) - 1) in item.text for item, _ in items("stop_in_time", 200))
    assert near < 30


def test_one_tool_asks_for_each_tool() -> None:
    assert len({item.graphs[0][0].tool for item, _ in items("one_tool", 150)}) == 10
