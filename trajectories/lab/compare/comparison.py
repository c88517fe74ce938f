"""Comparison of two to four episodes side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Any

from trajectories.lab.compare import selectors
from trajectories.lab.compare.alignment import Key, Row, align, first_divergence
from trajectories.lab.compare.selectors import Place
from trajectories.models import Episode, Submission
from trajectories.shell.queries.steps import step_counts
from trajectories.shell.text.values import Value, values_of

EPISODES_MAX = 4
ROWS_PER_PAGE = 100
# Shorter stretches of equal rows are not folded.
FOLDED_MIN = 3
LETTERS = "ABCD"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One of the compared episodes.

    ``values`` are its answers by name, if its task names them; ``gold`` is None for readers who may not see
    it.

    ``is_beside`` is true for an episode that is shown next to the rows instead of in them: an episode without
    pages among episodes with pages, whose steps cannot be paired, and any completion (an episode without
    pages that answered in one step).
    """

    letter: str
    episode: Episode
    answers: list[str]
    values: list[Value]
    gold: str | None
    steps: int
    is_completion: bool
    is_beside: bool

    @property
    def gold_values(self) -> list[Value]:
        """The expected value of each field of the task."""
        return values_of([value.field for value in self.values], given=(), expected=self.gold or "")

    @property
    def is_truncated(self) -> bool:
        return self.steps > selectors.STEPS_MAX


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One episode's cell of a row. ``step`` is None if the episode has no step in that row."""

    column: Column
    step: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Text:
    """An episode that is shown next to the rows, with its first steps."""

    column: Column
    cells: list[Cell]

    @property
    def more(self) -> int:
        """Number of steps that are not shown."""
        return self.column.steps - len(self.cells)


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    number: int
    kind: str
    cells: list[Cell]
    mark: str


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Adjacent rows, folded if they are all equal and there are more than a few."""

    rows: list[ShownRow]
    is_folded: bool


class Comparison:
    """The comparison's page of rows that contains row ``first``, grouped into ``stretches``.

    Row numbers begin at 1. ``rows`` counts all rows, ``differing`` those that differ, and ``divergence`` is
    the first of them. ``forked`` is the first row after the steps that forks share with each other. If a
    single episode is compared with texts, ``answered`` is the row in which it gives its answer. ``parted`` is
    the row to look at first, and the default of ``first``.
    """

    def __init__(
        self, episodes: Sequence[Episode], *, first: int | None = None, golds: Mapping[int, str] | None = None
    ) -> None:
        self.columns = columns_of(episodes, golds=golds)
        self.texts = [_text(column) for column in self.columns if column.is_beside]
        self.steppers = [column for column in self.columns if not column.is_beside]
        keyed = [selectors.step_keys(column.episode) for column in self.steppers]
        keys, places = [keys for _, keys in keyed], [places for places, _ in keyed]
        shared = _shared(places)
        rows = _aligned(keys, shared=shared) if len(keys) > 1 else _alone(keys)
        self.rows = len(rows)
        self.differing = sum(1 for row in rows if row.kind == "differs")
        place = first_divergence(rows)
        self.divergence = None if place is None else place + 1
        self.answered = _answered(self.steppers[0], places[0]) if self.texts and len(places) == 1 else None
        self.forked = shared + 1 if 0 < shared < len(rows) else None
        self.parted = self.forked or self.divergence or self.answered
        self.first = page_of(max(1, min(first or self.parted or 1, len(rows))))
        shown = rows[self.first - 1 : self.first - 1 + ROWS_PER_PAGE]
        marks = {self.divergence: "First divergence", self.answered: "Gives its answer"}
        if self.forked:
            marks[self.forked] = "Fork" if self.forked != self.divergence else "Fork, first divergence"
        self.stretches = _stretches(_show_rows(shown, self.steppers, places, self.first, marks))

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
    """Return the number of the first row on the page that contains row ``number``."""
    return (number - 1) // ROWS_PER_PAGE * ROWS_PER_PAGE + 1


def _shared(places: Sequence[Sequence[Place]]) -> int:
    """Count the leading steps that all episodes share because they are forks; 0 for a single episode."""
    together = zip(*places, strict=False) if len(places) > 1 else ()
    return sum(1 for _ in takewhile(lambda held: len(set(held)) == 1, together))


def _aligned(sequences: Sequence[Sequence[Key]], *, shared: int) -> list[Row]:
    """Align sequences whose first ``shared`` steps are the same."""
    rows = [Row(cells=(place,) * len(sequences), kind="same") for place in range(shared)]
    for row in align([sequence[shared:] for sequence in sequences]):
        cells = tuple(None if cell is None else cell + shared for cell in row.cells)
        rows.append(replace(row, cells=cells))
    return rows


def _alone(sequences: Sequence[Sequence[Key]]) -> list[Row]:
    """Return the rows of a single episode, which has no other steps to differ from."""
    return [Row(cells=(place,), kind="alike") for sequence in sequences for place in range(len(sequence))]


def columns_of(episodes: Sequence[Episode], *, golds: Mapping[int, str] | None = None) -> list[Column]:
    """Return the columns, first those of episodes next to the rows, because they are shown on the left."""
    ids = [episode.pk for episode in episodes]
    submissions, steps = Submission.objects.in_bulk(ids), step_counts(ids)
    fields = selectors.task_fields({episode.task_id for episode in episodes})
    has_pages = any(episode.has_page for episode in episodes)

    def is_beside(episode: Episode) -> bool:
        is_completion = _is_completion(episode, steps.get(episode.pk, 0))
        return is_completion or (has_pages and not episode.has_page)

    ordered = sorted(episodes, key=lambda episode: not is_beside(episode))
    return [
        Column(
            letter=letter,
            episode=episode,
            answers=submission.answers if (submission := submissions.get(episode.pk)) else [],
            values=values_of(fields.get(episode.task_id, []), given=submission.answer) if submission else [],
            gold=(golds or {}).get(episode.task_id),
            steps=steps.get(episode.pk, 0),
            is_beside=is_beside(episode),
            is_completion=_is_completion(episode, steps.get(episode.pk, 0)),
        )
        for letter, episode in zip(LETTERS, ordered, strict=False)
    ]


def _is_completion(episode: Episode, steps: int) -> bool:
    return not episode.has_page and steps == 1


def _answered(column: Column, places: Sequence[Place]) -> int | None:
    """Return the number of the row whose step entered the submitted answer; None if there is none."""
    step = selectors.answer_step(column.episode.pk, column.answers) if column.answers else None
    indexes = [place.number for place in places]
    return indexes.index(step) + 1 if step in indexes else None


def _text(column: Column) -> Text:
    steps = selectors.first_steps(column.episode.pk)
    return Text(column=column, cells=[Cell(column=column, step=step) for step in steps])


def _show_rows(
    rows: Sequence[Row],
    steppers: Sequence[Column],
    places: Sequence[Sequence[Place]],
    start: int,
    marks: Mapping[int | None, str],
) -> list[ShownRow]:
    numbers = defaultdict[int, set[int]](set)
    for row in rows:
        for cell, held in zip(row.cells, places, strict=True):
            if cell is not None:
                numbers[held[cell].holder].add(held[cell].number)
    steps = selectors.steps_get(numbers)
    return [
        ShownRow(
            number=number,
            kind=row.kind,
            mark=marks.get(number, ""),
            cells=[
                Cell(column=column, step=None if cell is None else steps.get(held[cell]))
                for column, held, cell in zip(steppers, places, row.cells, strict=True)
            ],
        )
        for number, row in enumerate(rows, start=start)
    ]


def _stretches(rows: Sequence[ShownRow]) -> list[Stretch]:
    stretches = []
    for is_equal, neighbours in groupby(rows, key=lambda row: row.kind != "differs" and not row.mark):
        stretch = list(neighbours)
        are_several = len(stretch[0].cells) > 1
        stretches.append(
            Stretch(rows=stretch, is_folded=is_equal and are_several and len(stretch) >= FOLDED_MIN)
        )
    return stretches
