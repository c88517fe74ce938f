"""The facts of an episode, computed from its steps and events by pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.actions.types import DeclaredStep, ReportedEvent
from trajectories.facts import measures, words
from trajectories.facts.action_check import episode_check
from trajectories.facts.behaviour import Turn
from trajectories.facts.source import Source, SourceEvent, SourceStep
from trajectories.facts.types import CheckContext, EpisodeCheck, Facts, StepFact, UnexplainedEvent

UNEXPLAINED_STORED = 50
TYPE_CHARS = 32


def facts_of(source: Source) -> Facts:
    """Pure: the same source gives the same facts. An open episode is computed from its steps so far."""
    checked = _checked(source)
    turns = [_turn(step) for step in source.steps]
    measured = measures.turns_measure(turns, submitted_in=_submitted_in(source))
    steps = [
        StepFact(
            index=step.index,
            action_type=step.action_type[:TYPE_CHARS],
            target=target_description(step.action, observation=step.observation),
            check=checked.checks[step.index],
            measures=of_step,
            words=words.indexed(step.thought),
        )
        for step, of_step in zip(source.steps, measured, strict=True)
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
    return {
        "steps": len(steps),
        "duration_ms": sum(step.duration_ms or 0.0 for step in source.steps),
        "action_types": dict(Counter(step.action_type for step in steps if step.action_type)),
        **{kind: kinds[kind] for kind in (*MISMATCHES, "confirmed")},
        "unexplained_events": len(unexplained),
        "first_unexplained": [asdict(event) for event in unexplained[:UNEXPLAINED_STORED]],
        **measures.totals_of([step.measures for step in steps]),
    }
