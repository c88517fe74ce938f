"""The milestone of locating the row with the answer, with the page's tools or in the thoughts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.ladder.registry import RUNGS, TAG, Rows, discover
from tasks_app.table_views import Table, TableView, table_view
from tasks_app.variation import get_tools
from trajectories.rewards.milestones._addresses import parameters_of
from trajectories.rewards.registry import milestone
from trajectories.rewards.types import Reading, Values
from verifiers.denotations import normalise, split_cell

FIRST_ROWS = 5
"""Sorting or searching has located a row if the row is then among this many first rows."""
NUMBER = re.compile(r"\d+", re.ASCII)
Pair = tuple[str, str]

discover()


@milestone(
    "located_right_row",
    description=(
        "In a table with tools, sorting, searching or paging brought up a row with the answer. In the "
        "ladder's lists, the last row that the thoughts name with its number is the right one."
    ),
    kinds=frozenset({kinds.TABLE}),
    benchmarks=frozenset({"ladder"}),
)
def located_right_row(reading: Reading) -> Values | None:
    if reading.gold is None:
        return None
    if reading.kind == kinds.TABLE:
        return _by_view(reading, reading.gold)
    rows = rows_of(reading)
    return None if rows is None else _by_thought(reading, rows)


# ---- lists on the ladder
def thought_tags() -> list[str]:
    """Return the tags of the tasks for which thoughts are read."""
    return [f"{TAG}{name}" for name, rung in RUNGS.items() if rung.rows is not None]


def rows_of(reading: Reading) -> Rows | None:
    """Return the rows of a ladder task whose answer is in one of them; None for other tasks."""
    names = (tag.removeprefix(TAG) for tag in reading.tags if tag.startswith(TAG))
    rung = next((RUNGS.get(name) for name in names if name in RUNGS), None)
    return None if rung is None or rung.rows is None else rung.rows(reading.payload)


def _by_thought(reading: Reading, rows: Rows) -> Values | None:
    """Credit the first step from which on the thoughts name only the right row.

    Naming all rows is therefore no better than a guess.
    """
    if any(step.thought is None for step in reading.own_steps):
        return None
    right, at = (rows.right, rows.values[rows.right]), None
    for step in reading.own_steps:
        pairs = list(_pairs(step.thought or "", rows.values))
        if pairs and pairs[-1] != right:
            at = None
        elif pairs and at is None:
            at = step.index
    return Values(0.0) if at is None else Values(1.0, {at: 1.0})


def _pairs(text: str, values: Mapping[str, str]) -> Iterator[Pair]:
    """Yield each row name in a text with the number next to it, which may come first or second."""
    names = "|".join(map(re.escape, values))
    words = re.findall(rf"\b(?:{names}|\d+)\b", text.casefold(), re.ASCII)
    place = 0
    while place + 1 < len(words):
        first, second, *rest = words[place : place + 3]
        is_number = NUMBER.fullmatch(first), NUMBER.fullmatch(second)
        if second in values and is_number[0] and not (rest and NUMBER.fullmatch(rest[0])):
            yield second, first
            place += 2
        elif first in values and is_number[1]:
            yield first, second
            place += 2
        else:
            place += 1


# ---- tables with tools
def _by_view(reading: Reading, gold: str) -> Values | None:
    """Credit the step that led to the first view with a right row.

    The row must either be missing from the first page, or be brought to the top by sorting or searching.
    Searching for the answer itself does not count.
    """
    tools, table = get_tools(reading.variation), reading.payload["table"]
    if not ARMS[reading.arm].has_page or not tools & {"sort", "find", "paging"}:
        return None
    answers = {normalise(one) for one in split_cell(gold)}
    whole = Table(table["header"], table["rows"])
    plain = _place(table_view(whole, {}, tools), answers)
    if not _holds(whole, answers) or (plain is not None and plain < FIRST_ROWS):
        return None
    for step, then in pairwise(reading.steps):
        if step.actor == "person" or then.page == step.page:
            continue
        view = table_view(whole, parameters_of(then.page), tools)
        place = _place(view, answers)
        is_at_hand = place is not None and (plain is None or place < FIRST_ROWS)
        if is_at_hand and view.query != view.plain and normalise(view.query.find) not in answers:
            return Values(1.0, {step.index: 1.0})
    return Values(0.0)


def _holds(table: Table, answers: set[str]) -> bool:
    """Return True if every answer is in a cell of the table."""
    return answers <= {normalise(cell) for row in table.rows for cell in row}


def _place(view: TableView, answers: set[str]) -> int | None:
    """Return the index of a view's first row that contains an answer; None if no row does."""
    is_right = (any(normalise(cell) in answers for cell in row) for row in view.rows)
    return next((place for place, right in enumerate(is_right) if right), None)
