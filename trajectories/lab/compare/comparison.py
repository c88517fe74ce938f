"""Two to four episodes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from trajectories.lab.compare import selectors
from trajectories.lab.compare.alignment import Key, Row, align, first_divergence
from trajectories.lab.queries.steps import step_counts
from trajectories.lab.text.values import Value, values_of
from trajectories.models import Episode, Submission

EPISODES_MAX = 4
ROWS_PER_PAGE = 100
# Shorter stretches of equal rows stay open.
FOLDED_MIN = 3
LETTERS = "ABCD"


@dataclass(frozen=True, kw_only=True)
class Column:
    """An episode; ``values`` are its answers by name, where its task names them.

    An episode that answered in one step, without a page, is a completion: it is shown beside all rows.
    """

    letter: str
    episode: Episode
    answers: list[str]
    values: list[Value]
    steps: int
    is_completion: bool

    @property
    def is_truncated(self) -> bool:
        return self.steps > selectors.STEPS_MAX


@dataclass(frozen=True, kw_only=True)
class Cell:
    """``step`` is None where the episode has no step in the row."""

    column: Column
    step: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    number: int
    kind: str
    cells: list[Cell]
    is_first_divergence: bool


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Neighbouring rows; folded where they are equal and more than a few."""

    rows: list[ShownRow]
    is_folded: bool


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One page of rows, in ``stretches``; row numbers begin at 1, and ``differing`` counts all rows."""

    columns: list[Column]
    completions: list[Cell]
    steppers: list[Column]
    stretches: list[Stretch] = field(default_factory=list)
    rows: int = 0
    differing: int = 0
    first: int = 1
    divergence: int | None = None

    @property
    def divergence_page(self) -> int | None:
        return None if self.divergence is None else page_of(self.divergence)

    @property
    def has_folds(self) -> bool:
        return any(stretch.is_folded for stretch in self.stretches)

    @property
    def earlier(self) -> int | None:
        return max(1, self.first - ROWS_PER_PAGE) if self.first > 1 else None

    @property
    def later(self) -> int | None:
        next_page = self.first + ROWS_PER_PAGE
        return next_page if next_page <= self.rows else None


def page_of(number: int) -> int:
    """The first row of the page that contains a row."""
    return (number - 1) // ROWS_PER_PAGE * ROWS_PER_PAGE + 1


def compare(episodes: Sequence[Episode], *, first: int = 1) -> Comparison:
    """The comparison, with the page of rows that contains row ``first``."""
    columns = columns_of(episodes)
    steppers = [column for column in columns if not column.is_completion]
    keyed = [selectors.step_keys(column.episode) for column in steppers]
    rows = align([keys for _, keys in keyed]) if len(steppers) > 1 else _alone([keys for _, keys in keyed])
    divergence = first_divergence(rows)
    start = page_of(max(1, min(first, len(rows))))
    numbers = [indexes for indexes, _ in keyed]
    shown = _shown_rows(rows[start - 1 : start - 1 + ROWS_PER_PAGE], steppers, numbers, start, divergence)
    return Comparison(
        columns=columns,
        completions=_completions(columns),
        steppers=steppers,
        stretches=_stretches(shown),
        rows=len(rows),
        differing=sum(1 for row in rows if row.kind == "differs"),
        first=start,
        divergence=None if divergence is None else divergence + 1,
    )


def _alone(sequences: Sequence[Sequence[Key]]) -> list[Row]:
    """A single episode beside completions: it has no other steps to differ from."""
    return [Row(cells=(place,), kind="alike") for sequence in sequences for place in range(len(sequence))]


def columns_of(episodes: Sequence[Episode]) -> list[Column]:
    """Completions first: they are shown left of the rows."""
    ids = [episode.pk for episode in episodes]
    submissions, steps = Submission.objects.in_bulk(ids), step_counts(ids)
    fields = selectors.task_fields({episode.task_id for episode in episodes})
    ordered = sorted(episodes, key=lambda episode: not _is_completion(episode, steps.get(episode.pk, 0)))
    return [
        Column(
            letter=letter,
            episode=episode,
            answers=submission.answers if (submission := submissions.get(episode.pk)) else [],
            values=values_of(fields.get(episode.task_id, []), given=submission.answer) if submission else [],
            steps=steps.get(episode.pk, 0),
            is_completion=_is_completion(episode, steps.get(episode.pk, 0)),
        )
        for letter, episode in zip(LETTERS, ordered, strict=False)
    ]


def _is_completion(episode: Episode, steps: int) -> bool:
    return not episode.has_page and steps == 1


def _completions(columns: Sequence[Column]) -> list[Cell]:
    return [
        Cell(column=column, step=selectors.only_step(column.episode.pk))
        for column in columns
        if column.is_completion
    ]


def _shown_rows(
    rows: Sequence[Row],
    steppers: Sequence[Column],
    numbers: Sequence[Sequence[int]],
    start: int,
    divergence: int | None,
) -> list[ShownRow]:
    steps = selectors.steps_get(
        {
            column.episode.pk: [indexes[cell] for row in rows if (cell := row.cells[place]) is not None]
            for place, (column, indexes) in enumerate(zip(steppers, numbers, strict=True))
        }
    )
    return [
        ShownRow(
            number=number,
            kind=row.kind,
            is_first_divergence=number - 1 == divergence,
            cells=[
                Cell(
                    column=column,
                    step=None if cell is None else steps.get((column.episode.pk, indexes[cell])),
                )
                for column, indexes, cell in zip(steppers, numbers, row.cells, strict=True)
            ],
        )
        for number, row in enumerate(rows, start=start)
    ]


def _stretches(rows: Sequence[ShownRow]) -> list[Stretch]:
    stretches = []
    for is_equal, neighbours in groupby(rows, key=lambda row: row.kind != "differs"):
        stretch = list(neighbours)
        are_several = len(stretch[0].cells) > 1
        stretches.append(
            Stretch(rows=stretch, is_folded=is_equal and are_several and len(stretch) >= FOLDED_MIN)
        )
    return stretches
