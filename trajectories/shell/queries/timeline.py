"""An episode's timeline, with a small cell for each step, however large the step is."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

from core.database.sql import Statement
from trajectories.actions import types
from trajectories.actions.checks import CHECKS, MISMATCHES
from trajectories.actions.rules import NOT_PERFORMED
from trajectories.shell.queries.step_facts import StepLabel, provisional_labels
from trajectories.shell.queries.steps import MissingRange, MissingSteps, insert_missing
from trajectories.shell.text.actions import Phrase, check_label, short_phrase, step_tone

REACH = 8
# Scripts read the step index in spans of this many step numbers.
SPAN = 500
WORDS_CHARS = 80
# A bar is full at this duration. Its length grows with the square root, so that short steps visibly differ.
BAR_FULL_MS = 10_000
# Step numbers are 32-bit integers.
INDEX_MAX = 2**31 - 1
# Marks a step of an open episode that has no facts yet.
PENDING = "pending"
PENDING_SIGN = "…"
PENDING_LABEL = "checked after the episode ends"
_CELLS = Statement(__file__, "timeline_cells")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A step in the timeline. ``screenshot`` is empty if it was never uploaded or is not a picture.

    Before facts are stored, the last of the requested steps have provisional values of ``repeats`` and
    ``action_check``; for the others ``action_check`` is ``PENDING``.
    """

    index: int
    action_type: str
    phrase: Phrase
    result: str
    tone: str
    duration_ms: float | None
    screenshot: str
    is_page_change: bool
    repeats: int | None
    action_check: str
    is_provisional: bool = False

    @property
    def check(self) -> tuple[str, str] | None:
        """Sign and label of the action check if the page contradicts the step or the check is pending."""
        if self.action_check == PENDING:
            return PENDING_SIGN, PENDING_LABEL
        if self.action_check not in MISMATCHES:
            return None
        label = check_label(self.action_check, action_type=self.action_type, result=self.result)
        is_open = self.is_provisional and self.result not in NOT_PERFORMED
        return CHECKS[self.action_check].sign, f"{label} so far" if is_open else label

    @property
    def bar(self) -> int | None:
        """The length of the duration's bar from 0 to 100; None if the duration was not measured."""
        if self.duration_ms is None:
            return None
        share = math.sqrt(max(self.duration_ms, 0) / BAR_FULL_MS)
        return min(100, max(2, round(share * 100)))


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A part of the timeline. ``skips_start`` and ``skips_end`` are true if more comes before or after it."""

    items: list[Cell | MissingRange]
    skips_start: bool = False
    skips_end: bool = False
    span: ClassVar[int] = SPAN


def timeline_around(*, episode_id: int, index: int, missing: MissingSteps, last: int) -> Timeline:
    low, high = missing.around(index, reach=REACH, last=last)
    cells = timeline_cells(episode_id=episode_id, first=low, last=high)
    return Timeline(
        items=list(insert_missing(cells, first=low, last=high, index=attrgetter("index"))),
        skips_start=low > 1,
        skips_end=high < last,
    )


def timeline_cells(*, episode_id: int, first: int, last: int) -> list[Cell]:
    """Return the cells of steps ``first`` to ``last`` (inclusive), in one query if facts are stored."""
    rows = _CELLS.rows(
        episode=episode_id,
        words=WORDS_CHARS,
        objects=json.dumps(types.objects()),
        first=min(first, INDEX_MAX),
        last=min(last, INDEX_MAX),
    )
    cells = [_cell(*row) for row in rows if row[0] >= first]
    waiting = [cell.index for cell in cells if cell.is_provisional]
    if not waiting:
        return cells
    labels = provisional_labels(episode_id=episode_id, first=waiting[0], last=waiting[-1])
    return [_label(cell, labels.get(cell.index)) if cell.is_provisional else cell for cell in cells]


def _label(cell: Cell, label: StepLabel | None) -> Cell:
    if label is None:
        return replace(cell, action_check=PENDING)
    phrase = replace(cell.phrase, where=label.target or cell.phrase.where)
    return replace(cell, phrase=phrase, repeats=label.repeats, action_check=label.action_check)


def _cell(
    index: int,
    action_type: str,
    is_known: bool,
    result: str,
    is_unread: bool,
    what: str | None,
    where: str | None,
    *row: Any,
) -> Cell:
    """Build a cell from a row of ``timeline_cells.sql``."""
    duration_ms, screenshot, is_page_change, repeats, action_check, is_provisional = row
    return Cell(
        index=index,
        action_type=action_type,
        phrase=short_phrase(action_type, what=what, where=where),
        result=result,
        tone=step_tone(result, is_unread=is_unread, is_known=is_known),
        duration_ms=duration_ms,
        screenshot=screenshot,
        is_page_change=bool(is_page_change),
        repeats=repeats,
        action_check=action_check,
        is_provisional=is_provisional,
    )
