"""How lists tell a step: the element that its action names, and what became of the action.

Both are kept with the facts of a step, so that no list reads an observation. Where there are none yet, or
those of another version, they are found from the line of the target alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trajectories.facts.version import VERSION
from trajectories.lab.queries import interim_facts
from trajectories.models import StepFacts


@dataclass(frozen=True, kw_only=True)
class Told:
    """``target`` is in words, ``action_check`` a kind with its reason; each empty where nobody knows it."""

    target: str = ""
    action_check: str = ""
    detail: str = ""
    is_so_far: bool = False


def steps_told(*, episode_id: int, indexes: Sequence[int]) -> dict[int, Told]:
    """One for each step asked for."""
    kept, versions = _kept(episode_id, indexes)
    stale = [index for index in indexes if versions.get(index) != VERSION]
    return {**{index: Told() for index in indexes}, **kept, **_so_far(episode_id, stale, kept)}


def _kept(episode_id: int, indexes: Iterable[int]) -> tuple[dict[int, Told], dict[int, int]]:
    facts = StepFacts.objects.filter(episode_id=episode_id, index__in=list(indexes)).order_by("index")
    told, versions = {}, {}
    for index, version, *said in facts.values_list(
        "index", "version", "target", "action_check", "action_check_detail"
    ):
        told[index] = Told(target=said[0], action_check=said[1], detail=said[2])
        versions[index] = version
    return told, versions


def _so_far(episode_id: int, stale: Sequence[int], kept: dict[int, Told]) -> dict[int, Told]:
    """What was kept stays, with the element that another version may not have told."""
    if not stale:
        return {}
    marks = interim_facts.marks_so_far(episode_id=episode_id, first=min(stale), last=max(stale))
    found = {}
    for index in stale:
        if (mark := marks.get(index)) is None:
            continue
        fresh = Told(target=mark.target, action_check=mark.action_check, detail=mark.detail, is_so_far=True)
        found[index] = replace(kept[index], target=mark.target) if index in kept else fresh
    return found
