"""Facts of steps that have none yet: those of an open episode, and of the seconds after its end.

They are computed by the functions that compute what is kept, from the steps asked for and some before them: a
step repeats another, or goes back, as far as those tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trajectories.actions.results import NOT_PERFORMED
from trajectories.facts.compute import facts_of
from trajectories.facts.source import Source, source_part
from trajectories.facts.types import ActionCheck, StepFact
from trajectories.facts.version import VERSION
from trajectories.models import StepFacts

# Of so many steps at once, the last ones of what is asked for, with so many before them for comparison.
STEPS_MOST = 150
REACH = 50
LATE = ActionCheck(kind="unknown", detail="its page events may still arrive")


def facts_so_far(*, episode_id: int, first: int, last: int) -> dict[int, StepFacts]:
    """By step number, unsaved. The newest step is not said to be unseen: events come after it."""
    first = max(first, last - STEPS_MOST + 1)
    facts = _facts(episode_id=episode_id, first=first, last=last, is_whole=True)
    return {fact.index: _row(episode_id, fact) for fact in facts}


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What lists and timelines show of a step's facts."""

    target: str
    repeats: int | None
    action_check: str
    detail: str


def marks_so_far(*, episode_id: int, first: int, last: int) -> dict[int, Marks]:
    """As ``facts_so_far``, without what needs the words of every observation."""
    first = max(first, last - STEPS_MOST + 1)
    facts = _facts(episode_id=episode_id, first=first, last=last, is_whole=False)
    return {
        fact.index: Marks(
            target=fact.target,
            repeats=fact.measures.repeats,
            action_check=fact.check.kind,
            detail=fact.check.detail,
        )
        for fact in facts
    }


def _facts(*, episode_id: int, first: int, last: int, is_whole: bool) -> Sequence[StepFact]:
    source = source_part(episode_id=episode_id, first=first, last=last, reach=REACH, is_whole=is_whole)
    if source is None:
        return []
    facts = facts_of(source).steps
    newest = _newest(source)
    return [_patient(fact) if fact.index == newest else fact for fact in facts if first <= fact.index <= last]


def _newest(source: Source) -> int | None:
    """The step whose events may still come. None do of what the harness says that it did not do."""
    step = source.steps[-1] if source.steps else None
    return None if step is None or step.action_result in NOT_PERFORMED else step.index


def _patient(fact: StepFact) -> StepFact:
    return replace(fact, check=LATE) if fact.check.kind == "no_effect" else fact


def _row(episode_id: int, fact: StepFact) -> StepFacts:
    columns = fact.row()
    del columns["words"]
    return StepFacts(episode_id=episode_id, version=VERSION, **columns)
