"""Facts of an episode: computed from its steps and events by pure functions, kept in tables of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trajectories.facts import behaviour, elements, words
from trajectories.facts.action_check import (
    MISMATCHES,
    Declared,
    Extra,
    Match,
    Reported,
    SaidDone,
    Surroundings,
    said_done,
)
from trajectories.facts.behaviour import Measures, Turn
from trajectories.facts.source import Source, SourceEvent, SourceStep

EXTRAS_KEPT = 50
TYPE_CHARS = 32


@dataclass(frozen=True, kw_only=True)
class StepFact:
    """All that is said of one step. ``target`` is the element that its action names, in words."""

    index: int
    action_type: str
    target: str
    match: Match
    measures: Measures
    words: str

    def row(self) -> dict[str, Any]:
        """Its columns, with the words as text for ``to_tsvector``."""
        return {
            "index": self.index,
            "action_type": self.action_type,
            "target": self.target,
            "said_done": self.match.kind,
            "said_done_detail": self.match.detail,
            **asdict(self.measures),
            "words": self.words,
        }


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All that is said of one episode. ``summary`` has the columns of ``EpisodeFacts`` that are computed."""

    steps: Sequence[StepFact]
    extras: Sequence[Extra]
    summary: Mapping[str, Any]


def facts_of(source: Source) -> Facts:
    """Pure: the same source, the same facts; open episodes have theirs computed as they stand."""
    compared = _compared(source)
    measures = behaviour.measure([_turn(step) for step in source.steps], submitted_in=_submitted_in(source))
    steps = [
        StepFact(
            index=step.index,
            action_type=step.action_type[:TYPE_CHARS],
            target=elements.target_told(step.action, observation=step.observation),
            match=compared.matches[step.index],
            measures=measured,
            words=words.indexed(step.thought),
        )
        for step, measured in zip(source.steps, measures, strict=True)
    ]
    return Facts(steps=steps, extras=compared.extras, summary=_summary(source, steps, compared.extras))


def _compared(source: Source) -> SaidDone:
    surroundings = Surroundings(
        has_page=source.has_page,
        is_recorded=source.recording != "off",
        answer=source.answer if source.channel == "api" else None,
    )
    return said_done([_declared(step) for step in source.steps], _reported(source.events), surroundings)


def _declared(step: SourceStep) -> Declared:
    return Declared(
        index=step.index,
        action=step.action,
        result=step.action_result,
        observation=step.observation,
        has_all_shown=step.has_all_shown,
        started_at=step.started_at,
        duration_ms=step.duration_ms or 0.0,
    )


def _reported(events: Sequence[SourceEvent]) -> list[Reported]:
    return [
        Reported(
            page=one.page,
            seq=one.seq,
            kind=one.kind,
            step=one.step,
            data=one.data if isinstance(one.data, dict) else {},
            at=one.at,
        )
        for one in events
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
    """The step that sent the answer: the server's word, else the last one, after which nothing follows."""
    if source.answer is None or not source.steps:
        return None
    answers = [step.index for step in source.steps if step.action_type == "answer"]
    if source.channel == "api" and answers:
        return answers[-1]
    return source.answered_in or source.steps[-1].index


def _summary(source: Source, steps: Sequence[StepFact], extras: Sequence[Extra]) -> dict[str, Any]:
    kinds = Counter(step.match.kind for step in steps)
    measures = [step.measures for step in steps]
    spoken = sum(one.thought_words for one in measures)
    return {
        "steps": len(steps),
        "duration_ms": sum(step.duration_ms or 0.0 for step in source.steps),
        "action_types": dict(Counter(step.action_type for step in steps if step.action_type)),
        **{kind: kinds[kind] for kind in (*MISMATCHES, "confirmed")},
        "extra_events": len(extras),
        "extras": [asdict(extra) for extra in extras[:EXTRAS_KEPT]],
        "loops": sum(one.repeats is not None for one in measures),
        "backtracks": sum(one.is_backtrack for one in measures),
        "page_changes": sum(one.is_page_change for one in measures),
        "checks": sum(one.checks_before_submit for one in measures),
        **{
            name: sum(getattr(one, name) for one in measures) / len(measures) if measures else None
            for name in ("thought_chars", "thought_words", "numbers", "formulas")
        },
        "restates": sum(one.restates * one.thought_words for one in measures) / spoken if spoken else None,
    }
