"""The action check, which compares each declared action with what the pages of its episode recorded.

``docs/action_check.md`` has the whole rule, and the files in ``trajectories/actions/builtin`` define the
effect expected of each action type. Page events are the page's own claims, so the check is diagnostic only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import timedelta

from tasks_app.worlds.evidence import PAGE_SERVED, PAGES_CAPPED, TOOL_CALLED
from trajectories.actions import rules, types
from trajectories.actions.types import CAPPED, NEVER, DeclaredStep, Finding, PageRecord, ReportedEvent
from trajectories.behaviour.facts.types import ActionCheck, CheckContext, EpisodeCheck, UnexplainedEvent

# Events may arrive this long after a step, because pages send them every 0.25 s and effects may be delayed.
GRACE = timedelta(seconds=1)
DETAIL_CHARS = 200


def page_record(
    steps: Sequence[DeclaredStep],
    events: Sequence[ReportedEvent],
    *,
    served: Sequence[ReportedEvent] = (),
    answer: object = None,
    answered_in: int | None = None,
) -> PageRecord:
    """Assign every event either to its step or to the loose events, which belong to no step."""
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
    """Return the events of each step, and the loose events that belong to no step."""
    numbered = _is_numbered(events)
    indexes = [event.step or 0 for event in events] if numbered else _by_time(steps, events)
    by_step: dict[int, list[ReportedEvent]] = {step.index: [] for step in steps}
    loose: list[ReportedEvent] = []
    for event, index in zip(events, indexes, strict=True):
        by_step.get(index, loose).append(event)
    return by_step, loose


def _by_time(steps: Sequence[DeclaredStep], events: Sequence[ReportedEvent]) -> list[int]:
    """Return, for each event, the last step that had begun when the event arrived.

    The number is 0 if there is none, or if that step had ended more than ``GRACE`` earlier.
    """
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


def episode_check(
    steps: Sequence[DeclaredStep],
    events: Sequence[ReportedEvent],
    context: CheckContext,
    *,
    served: Sequence[ReportedEvent] = (),
) -> EpisodeCheck:
    """Check an episode's steps, ascending by number, against its page events, in order of arrival.

    ``served`` has the page views and tool calls that the server itself recorded.
    """
    silence = _silence(events, context)
    record = page_record(
        steps,
        () if silence else events,
        served=served,
        answer=context.answer,
        answered_in=context.answered_in,
    )
    # If a step's time is unknown, loose events may be its effects, so they do not count as unexplained.
    loose = () if record.unplaced else record.loose
    unexplained = [_unexplained(None, event) for event in loose if event.is_act]
    checks: dict[int, ActionCheck] = {}
    for step in steps:
        if silence:
            checks[step.index] = _check_unrecorded(step, record, silence, has_page=context.has_page)
            continue
        finding = _finding(step, record)
        spare = [e for e in record.events_of(step.index) if e.is_act and e not in finding.explained]
        unexplained.extend(_unexplained(step.index, event) for event in spare)
        check = _check(finding)
        if spare and check.kind in ("confirmed", "none") and _is_passive(step):
            detail = f"the page recorded {rules.event_description(spare[0])}"
            check = ActionCheck(kind="unexplained", detail=_cut(detail))
        checks[step.index] = check
    return EpisodeCheck(checks=checks, unexplained=unexplained)


def _silence(events: Sequence[ReportedEvent], context: CheckContext) -> str:
    """Return the reason why no step of the episode can be checked, or an empty string if there is none."""
    if not context.has_page:
        return "this arm has no page"
    if not context.is_recorded:
        return "page events were not recorded"
    if not events:
        return "no page sent any events: pages without JavaScript never do"
    return ""


def _check_unrecorded(step: DeclaredStep, record: PageRecord, silence: str, *, has_page: bool) -> ActionCheck:
    kind = types.find(step.type)
    if step.action is None or (kind and not kind.needs_page):
        return _check(_finding(step, record))
    if has_page and (reason := rules.not_performed(step)):
        return ActionCheck(kind="no_effect", detail=reason)
    return ActionCheck(kind="unknown", detail=silence)


def _finding(step: DeclaredStep, record: PageRecord) -> Finding:
    if step.action is None:
        return Finding(kind="none")
    kind = types.find(step.type)
    if kind and not kind.needs_page:
        return kind.rule(step, record)
    if step.index in record.unplaced:
        finding = Finding(kind="unknown", detail="neither step numbers nor times place events in this step")
    elif kind:
        finding = kind.rule(step, record)
    else:
        events = record.events_of(step.index)
        finding = Finding(kind="unknown", detail="the action type is unknown", explained=events)
    if finding.kind not in ("missing", "unknown"):
        return finding
    return _without_effect(step, record, finding)


def _without_effect(step: DeclaredStep, record: PageRecord, finding: Finding) -> Finding:
    """Return the finding for an action without its expected events.

    Either the action had no effect, or the result is unknown because its events may be lost.
    """
    if reason := rules.not_performed(step):
        return Finding(kind="no_effect", detail=reason, explained=finding.explained)
    if finding.kind == "unknown":
        return finding
    if step.result == "timeout":
        return Finding(kind="unknown", detail="the page did not respond in time")
    if step.index >= record.capped_from:
        return Finding(kind="unknown", detail="the episode had reached its limit of page events")
    if record.events_of(step.index, "load") or step.index == record.answered_in:
        return Finding(kind="unknown", detail="the page was left: its last events may be lost")
    return Finding(kind="no_effect", detail=finding.detail)


def _is_passive(step: DeclaredStep) -> bool:
    """Return whether the step's action performs no acts, so that any act during it is unexplained."""
    kind = types.find(step.type)
    return kind.is_passive if kind else not step.type


def _check(finding: Finding) -> ActionCheck:
    kind = "no_effect" if finding.kind == "missing" else finding.kind
    return ActionCheck(kind=kind, detail=_cut(finding.detail))


def _unexplained(step: int | None, event: ReportedEvent) -> UnexplainedEvent:
    return UnexplainedEvent(step=step, kind=event.kind, what=_cut(rules.event_description(event)))


def _cut(text: str) -> str:
    return text if len(text) <= DETAIL_CHARS else text[: DETAIL_CHARS - 1] + "…"
