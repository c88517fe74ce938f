"""Pure functions that compute an episode's facts from its steps and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from palaestra.protocol.outline import strip_ids
from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.behaviour.facts import measures, types
from trajectories.behaviour.facts.action_check import episode_check
from trajectories.behaviour.facts.behaviour import Trail
from trajectories.behaviour.facts.source import Source
from trajectories.behaviour.facts.types import (
    ActFact,
    CheckContext,
    EpisodeCheck,
    Facts,
    StepFact,
    UnexplainedEvent,
)
from trajectories.behaviour.thoughts.codebook import LETTERS
from trajectories.behaviour.thoughts.reader import Classed, Reader
from trajectories.models.facts import SENTENCES_STORED

UNEXPLAINED_STORED = 50
TYPE_CHARS = 32


def facts_of(source: Source) -> Facts:
    """Compute an episode's facts, which depend on the source alone.

    An open episode has the facts of its steps so far.
    """
    checked = _checked(source)
    measured = measures.turns_measure(source.steps, submitted_in=_find_submission_step(source))
    steps = [
        StepFact(
            index=step.index,
            action_type=step.type[:TYPE_CHARS],
            target=target_description(step.action, observation=step.observation),
            check=checked.checks[step.index],
            measures=of_step,
            sentences=_letters(read),
            words=types.indexed(step.thought),
        )
        for step, of_step, read in zip(source.steps, measured, sentences_read(source), strict=True)
    ]
    return Facts(
        steps=steps, unexplained=checked.unexplained, summary=_summary(source, steps, checked.unexplained)
    )


def acts_of(source: Source) -> dict[int, ActFact]:
    """Return the facts of the steps' actions by step number, at a twentieth of the cost of ``facts_of``."""
    checks, trail = _checked(source).checks, Trail(submitted_in=None)
    acts: dict[int, ActFact] = {}
    for step in source.steps:
        trail.advance(step)
        acts[step.index] = ActFact(check=checks[step.index].kind, repeats=trail.repeats, place=trail.place)
    return acts


def sentences_read(source: Source) -> list[list[Classed] | None]:
    """Return the classified sentences of each step's thought, with None for a hidden thought."""
    reader = Reader(question=source.question)
    read: list[list[Classed] | None] = []
    for step in source.steps:
        reader.see(strip_ids(step.observation))
        if step.is_thought_hidden:
            read.append(None)
        else:
            target = target_description(step.action, observation=step.observation)
            read.append(reader.read(step.thought, action=step.action, target=target))
        reader.see(step.message)
    return read


def _letters(read: Sequence[Classed] | None) -> str | None:
    return None if read is None else "".join(LETTERS[one.kind] for one in read[:SENTENCES_STORED])


def _checked(source: Source) -> EpisodeCheck:
    context = CheckContext(
        has_page=source.has_page,
        is_recorded=source.recording != "off",
        answer=source.answer if source.channel == "api" else None,
        answered_in=source.answered_in,
    )
    return episode_check(source.steps, source.events, context, served=source.served)


def _find_submission_step(source: Source) -> int | None:
    """Return the step that sent the answer, or None without an answer or steps.

    This is the last ``answer`` action if the API is the channel, else the step that the server recorded, else
    the last step.
    """
    if source.answer is None or not source.steps:
        return None
    answers = [step.index for step in source.steps if step.type == "answer"]
    if source.channel == "api" and answers:
        return answers[-1]
    return source.answered_in or source.steps[-1].index


def _summary(
    source: Source, steps: Sequence[StepFact], unexplained: Sequence[UnexplainedEvent]
) -> dict[str, Any]:
    kinds: Counter[str] = Counter(step.check.kind for step in steps)
    return {
        "steps": len(steps),
        "duration_ms": sum(step.duration_ms for step in source.steps),
        "action_types": dict(Counter(step.action_type for step in steps if step.action_type)),
        **{kind: kinds[kind] for kind in (*MISMATCHES, "confirmed")},
        "unexplained_events": len(unexplained),
        "first_unexplained": [asdict(event) for event in unexplained[:UNEXPLAINED_STORED]],
        **measures.totals_of([step.measures for step in steps]),
    }
