"""Checks each declared action against what the pages of its episode recorded.

The whole rule is in ``docs/action_check.md``; the effect expected of each action type is in its file in
``trajectories/actions/builtin``. Page events are the page's own claims, so the check is diagnostic only.
"""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.actions import registry, rules
from trajectories.actions.types import DeclaredStep, Finding, PageRecord, ReportedEvent
from trajectories.behaviour.facts.attribution import page_record
from trajectories.behaviour.facts.types import ActionCheck, CheckContext, EpisodeCheck, UnexplainedEvent

DETAIL_CHARS = 200


def episode_check(
    steps: Sequence[DeclaredStep],
    events: Sequence[ReportedEvent],
    context: CheckContext,
    *,
    served: Sequence[ReportedEvent] = (),
) -> EpisodeCheck:
    """Check all steps of an episode, ascending by number, against its page events, in order of arrival.

    ``served`` are the pages, and the calls of tools, by the server's own account.
    """
    silence = _silence(events, context)
    record = page_record(
        steps,
        () if silence else events,
        served=served,
        answer=context.answer,
        answered_in=context.answered_in,
    )
    # Loose events may be effects of a step whose time is unknown.
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
    """Return the reason why no step of the episode can be checked; empty if steps can be."""
    if not context.has_page:
        return "this arm has no page"
    if not context.is_recorded:
        return "page events were not recorded"
    if not events:
        return "no page sent any events: pages without JavaScript never do"
    return ""


def _check_unrecorded(step: DeclaredStep, record: PageRecord, silence: str, *, has_page: bool) -> ActionCheck:
    kind = registry.find(step.type)
    if step.action is None or (kind and not kind.needs_page):
        return _check(_finding(step, record))
    if has_page and (reason := rules.not_performed(step)):
        return ActionCheck(kind="no_effect", detail=reason)
    return ActionCheck(kind="unknown", detail=silence)


def _finding(step: DeclaredStep, record: PageRecord) -> Finding:
    if step.action is None:
        return Finding(kind="none")
    kind = registry.find(step.type)
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
    """The finding for missing events: the action was not performed, or its events may be lost."""
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
    """Return whether acts during the step always count as unexplained, because its action performs none."""
    kind = registry.find(step.type)
    return kind.is_passive if kind else not step.type


def _check(finding: Finding) -> ActionCheck:
    kind = "no_effect" if finding.kind == "missing" else finding.kind
    return ActionCheck(kind=kind, detail=_cut(finding.detail))


def _unexplained(step: int | None, event: ReportedEvent) -> UnexplainedEvent:
    return UnexplainedEvent(step=step, kind=event.kind, what=_cut(rules.event_description(event)))


def _cut(text: str) -> str:
    return text if len(text) <= DETAIL_CHARS else text[: DETAIL_CHARS - 1] + "…"
