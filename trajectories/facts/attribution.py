"""Which page event belongs to which step: by number, and only without any number by time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajectories.facts.action_check import Declared, Reported

CAPPED = "capped"
# A page keeps events for a quarter of a second; what a step sets off may come a little after its end.
GRACE = timedelta(seconds=1)
NEVER = 2**31


@dataclass(frozen=True, kw_only=True)
class Tied:
    """``capped_from`` is the first step whose events may be missing because the episode sent too many;
    ``order`` the place of each recorded step's number among them; ``untied`` the steps without a window."""

    by_step: Mapping[int, Sequence[Reported]]
    loose: Sequence[Reported] = ()
    capped_from: int = NEVER
    order: Mapping[int, int] = field(default_factory=dict)
    steps: Sequence[Declared] = ()
    untied: frozenset[int] = frozenset()

    def of(self, index: int) -> Sequence[Reported]:
        return self.by_step.get(index, ())

    def is_placed(self, index: int) -> bool:
        return index not in self.untied

    def step_after(self, index: int) -> Declared | None:
        place = self.order[index] + 1
        return self.steps[place] if place < len(self.steps) else None


def tied(steps: Sequence[Declared], events: Sequence[Reported]) -> Tied:
    """Every event once: with its step, or loose."""
    is_capped = any(event.kind == CAPPED for event in events)
    sent = [event for event in events if event.kind != CAPPED]
    is_numbered = any(event.step is not None for event in sent)
    place = _numbered if is_numbered else _timed
    by_step: dict[int, list[Reported]] = {step.index: [] for step in steps}
    loose: list[Reported] = []
    for event, index in zip(sent, place(steps, sent), strict=True):
        by_step.get(index, loose).append(event)
    last = max((index for index, held in by_step.items() if held), default=0)
    untied = frozenset() if is_numbered else frozenset(s.index for s in steps if s.started_at is None)
    return Tied(
        by_step=by_step,
        loose=loose,
        capped_from=last if is_capped else NEVER,
        order={step.index: number for number, step in enumerate(steps)},
        steps=steps,
        untied=untied,
    )


def _numbered(_steps: Sequence[Declared], events: Sequence[Reported]) -> list[int]:
    return [event.step or 0 for event in events]


def _timed(steps: Sequence[Declared], events: Sequence[Reported]) -> list[int]:
    """The last step that had begun when the event came, if the event came before its end and some grace."""
    windows = sorted(
        (step.started_at, timedelta(milliseconds=min(step.duration_ms, 1e11)) + GRACE, step.index)
        for step in steps
        if step.started_at is not None
    )
    starts = [start for start, _, _ in windows]
    found = []
    for event in events:
        place = bisect_right(starts, event.at) - 1 if event.at else -1
        start, lasts, index = windows[place] if place >= 0 else (None, GRACE, 0)
        is_inside = start is not None and event.at is not None and event.at - start <= lasts
        found.append(index if is_inside else 0)
    return found
