"""Facts of steps, stored or (if there are none yet) provisional.

Facts are stored some seconds after an episode ends. Until then, the same functions compute provisional facts
on request from a few steps, so they notice repetitions and returns to a page only among those steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trajectories.actions.rules import NOT_PERFORMED
from trajectories.behaviour.facts.behaviour import VERSION
from trajectories.behaviour.facts.compute import facts_of
from trajectories.behaviour.facts.source import Source, source_part
from trajectories.behaviour.facts.types import ActionCheck, StepFact
from trajectories.models import StepFacts

# Provisional facts are computed for at most this many steps, namely the last of those requested. Some steps
# before them are read for comparison.
STEPS_MAX = 150
LOOKBACK = 50
LABEL_COLUMNS = ("index", "version", "target", "action_check", "action_check_detail", "sentences")
PENDING = ActionCheck(kind="unknown", detail="page events may still arrive")


@dataclass(frozen=True, kw_only=True)
class StepLabel:
    """A step's facts, as lists and the timeline show them.

    ``target`` describes the element at which the action is aimed. ``target`` and ``action_check`` are empty
    if unknown. ``sentences`` has a letter for the class of each sentence of the thought; None if unknown.
    """

    target: str = ""
    action_check: str = ""
    detail: str = ""
    repeats: int | None = None
    is_provisional: bool = False
    sentences: str | None = None


def step_facts_get(*, episode_id: int, index: int) -> tuple[StepFacts | None, bool]:
    """Return a step's facts, and True if they are provisional."""
    stored = StepFacts.objects.defer("words").filter(episode_id=episode_id, index=index).first()
    if stored:
        return stored, False
    return provisional_facts(episode_id=episode_id, first=index, last=index).get(index), True


def step_labels(*, episode_id: int, indexes: Sequence[int]) -> dict[int, StepLabel]:
    """Return a label for each of these steps; observations are read only for steps without stored facts."""
    labels, current = _stored_labels(episode_id, indexes)
    missing = [index for index in indexes if index not in current]
    if missing:
        fresh = provisional_labels(episode_id=episode_id, first=min(missing), last=max(missing))
        for index in missing:
            if index in fresh:
                # Facts of an older version are kept, but they may lack the target.
                outdated = labels.get(index)
                labels[index] = replace(outdated, target=fresh[index].target) if outdated else fresh[index]
    return {index: labels.get(index, StepLabel()) for index in indexes}


def provisional_facts(*, episode_id: int, first: int, last: int) -> dict[int, StepFacts]:
    """Compute facts for these steps without saving them, and return them by step number."""
    computed = _computed(episode_id=episode_id, first=first, last=last, is_whole=True)
    return {fact.index: _compute_facts(episode_id, fact) for fact in computed}


def provisional_labels(*, episode_id: int, first: int, last: int) -> dict[int, StepLabel]:
    """Compute labels by step number, which is cheaper than facts because observations are not read whole."""
    return {
        fact.index: StepLabel(
            target=fact.target,
            action_check=fact.check.kind,
            detail=fact.check.detail,
            repeats=fact.measures["repeats"],
            is_provisional=True,
        )
        for fact in _computed(episode_id=episode_id, first=first, last=last, is_whole=False)
    }


def _stored_labels(episode_id: int, indexes: Sequence[int]) -> tuple[dict[int, StepLabel], set[int]]:
    """Return the stored labels, and the numbers of the steps whose facts have the current version."""
    rows = StepFacts.objects.filter(episode_id=episode_id, index__in=indexes).order_by("index")
    labels: dict[int, StepLabel] = {}
    current: set[int] = set()
    for row in rows.only(*LABEL_COLUMNS):
        labels[row.index] = StepLabel(
            target=row.target,
            action_check=row.action_check,
            detail=row.action_check_detail,
            sentences=row.sentences,
        )
        if row.version == VERSION:
            current.add(row.index)
    return labels, current


def _computed(*, episode_id: int, first: int, last: int, is_whole: bool) -> list[StepFact]:
    first = max(first, last - STEPS_MAX + 1)
    source = source_part(episode_id=episode_id, first=first, last=last, reach=LOOKBACK, is_whole=is_whole)
    if source is None:
        return []
    newest = _newest(source)
    return [
        replace(fact, check=PENDING) if fact.index == newest and fact.check.kind == "no_effect" else fact
        for fact in facts_of(source).steps
        if first <= fact.index <= last
    ]


def _newest(source: Source) -> int | None:
    """Return the last step if its events may still arrive; None if its action was never carried out."""
    step = source.steps[-1] if source.steps else None
    return None if step is None or step.result in NOT_PERFORMED else step.index


def _compute_facts(episode_id: int, fact: StepFact) -> StepFacts:
    columns = fact.row()
    del columns["words"]
    return StepFacts(episode_id=episode_id, version=VERSION, **columns)
