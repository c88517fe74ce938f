"""The facts of an episode, computed from its steps and events by pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.actions.types import DeclaredStep, ReportedEvent
from trajectories.facts import behaviour, words
from trajectories.facts.action_check import episode_check
from trajectories.facts.behaviour import Turn
from trajectories.facts.source import Source, SourceEvent, SourceStep
from trajectories.facts.types import CheckContext, EpisodeCheck, Facts, StepFact, UnexplainedEvent

UNEXPLAINED_STORED = 50
TYPE_CHARS = 32


def facts_of(source: Source) -> Facts:
    """Pure: the same source gives the same facts. An open episode is computed from its steps so far."""
    checked = _checked(source)
    measures = behaviour.measure([_turn(step) for step in source.steps], submitted_in=_submitted_in(source))
    steps = [
        StepFact(
            index=step.index,
            action_type=step.action_type[:TYPE_CHARS],
            target=target_description(step.action, observation=step.observation),
            check=checked.checks[step.index],
            measures=measured,
            words=words.indexed(step.thought),
        )
        for step, measured in zip(source.steps, measures, strict=True)
    ]
    return Facts(
        steps=steps, unexplained=checked.unexplained, summary=_summary(source, steps, checked.unexplained)
    )


def _checked(source: Source) -> EpisodeCheck:
    context = CheckContext(
        has_page=source.has_page,
        is_recorded=source.recording != "off",
        answer=source.answer if source.channel == "api" else None,
    )
    return episode_check([_declared(step) for step in source.steps], _reported(source.events), context)


def _declared(step: SourceStep) -> DeclaredStep:
    return DeclaredStep(
        index=step.index,
        action=step.action,
        result=step.action_result,
        observation=step.observation,
        is_observation_complete=step.is_observation_complete,
        started_at=step.started_at,
        duration_ms=step.duration_ms or 0.0,
    )


def _reported(events: Sequence[SourceEvent]) -> list[ReportedEvent]:
    return [
        ReportedEvent(
            page=event.page,
            kind=event.kind,
            step=event.step,
            data=event.data if isinstance(event.data, dict) else {},
            at=event.at,
        )
        for event in events
    ]


def _turn(step: SourceStep) -> Turn:
    return Turn(
        index=step.index,
        thought=step.thought,
        action=step.action,
        observation=step.observation,
        picture=step.phash or step.screenshot or step.observation_sha256,
        url=step.url,
        shown=step.shown,
    )


def _submitted_in(source: Source) -> int | None:
    """The step that sent the answer: as the server recorded it, else the last step."""
    if source.answer is None or not source.steps:
        return None
    answers = [step.index for step in source.steps if step.action_type == "answer"]
    if source.channel == "api" and answers:
        return answers[-1]
    return source.answered_in or source.steps[-1].index


def _summary(
    source: Source, steps: Sequence[StepFact], unexplained: Sequence[UnexplainedEvent]
) -> dict[str, Any]:
    kinds: Counter[str] = Counter(step.check.kind for step in steps)
    measures = [step.measures for step in steps]
    words_total = sum(m.thought_words for m in measures)
    restated = sum(m.restates * m.thought_words for m in measures)
    return {
        "steps": len(steps),
        "duration_ms": sum(step.duration_ms or 0.0 for step in source.steps),
        "action_types": dict(Counter(step.action_type for step in steps if step.action_type)),
        **{kind: kinds[kind] for kind in (*MISMATCHES, "confirmed")},
        "unexplained_events": len(unexplained),
        "first_unexplained": [asdict(event) for event in unexplained[:UNEXPLAINED_STORED]],
        "loops": sum(m.repeats is not None for m in measures),
        "backtracks": sum(m.is_backtrack for m in measures),
        "page_changes": sum(m.is_page_change for m in measures),
        "checks": sum(m.checks_before_submit for m in measures),
        **{
            name: sum(getattr(m, name) for m in measures) / len(measures) if measures else None
            for name in ("thought_chars", "thought_words", "numbers", "formulas")
        },
        "restates": restated / words_total if words_total else None,
    }
