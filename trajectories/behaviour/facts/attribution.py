"""Assignment of page events to steps: by number, and by time only if no event has a number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import timedelta

from tasks_app.worlds.evidence import PAGE_SERVED, PAGES_CAPPED, TOOL_CALLED
from trajectories.actions.types import CAPPED, NEVER, DeclaredStep, PageRecord, ReportedEvent

# Pages send events every quarter of a second, and effects may follow the end of a step.
GRACE = timedelta(seconds=1)


def page_record(
    steps: Sequence[DeclaredStep],
    events: Sequence[ReportedEvent],
    *,
    served: Sequence[ReportedEvent] = (),
    answer: object = None,
    answered_in: int | None = None,
) -> PageRecord:
    """Place every event once: under its step, or among the loose ones."""
    sent = [event for event in events if event.kind != CAPPED]
    is_capped = len(sent) < len(events)
    is_numbered = _is_numbered(sent)
    by_step, loose = _attributed(steps, sent)
    last = max((index for index, step_events in by_step.items() if step_events), default=0)
    return PageRecord(
        steps=steps,
        by_step=by_step,
        loose=loose,
        capped_from=last if is_capped else NEVER,
        positions={step.index: position for position, step in enumerate(steps)},
        unplaced=frozenset() if is_numbered else frozenset(s.index for s in steps if s.started_at is None),
        served=_attributed(steps, [event for event in served if event.kind == PAGE_SERVED])[0],
        is_served_whole=all(event.kind != PAGES_CAPPED for event in served),
        called=frozenset(
            (event.step, str(event.data.get("tool"))) for event in served if event.kind == TOOL_CALLED
        ),
        answer=answer,
        answered_in=answered_in,
    )


def _is_numbered(events: Sequence[ReportedEvent]) -> bool:
    return any(event.step is not None for event in events)


def _attributed(
    steps: Sequence[DeclaredStep], events: Sequence[ReportedEvent]
) -> tuple[dict[int, list[ReportedEvent]], list[ReportedEvent]]:
    """The events by step, and those that belong to none."""
    numbered = _is_numbered(events)
    indexes = [event.step or 0 for event in events] if numbered else _by_time(steps, events)
    by_step: dict[int, list[ReportedEvent]] = {step.index: [] for step in steps}
    loose: list[ReportedEvent] = []
    for event, index in zip(events, indexes, strict=True):
        by_step.get(index, loose).append(event)
    return by_step, loose


def _by_time(steps: Sequence[DeclaredStep], events: Sequence[ReportedEvent]) -> list[int]:
    """Return for each event the last step begun before it arrived; 0 if it was over, grace included."""
    windows = sorted(
        (step.started_at, timedelta(milliseconds=min(step.duration_ms, 1e11)) + GRACE, step.index)
        for step in steps
        if step.started_at is not None
    )
    starts = [start for start, _, _ in windows]
    indexes = []
    for event in events:
        position = bisect_right(starts, event.at) - 1 if event.at else -1
        start, length, index = windows[position] if position >= 0 else (None, GRACE, 0)
        is_inside = start is not None and event.at is not None and event.at - start <= length
        indexes.append(index if is_inside else 0)
    return indexes
