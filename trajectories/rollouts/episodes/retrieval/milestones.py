"""Milestones of mock-site tasks in trajectories, computed on reading and stored nowhere.

Steps are written once and may come after the verdict, and an episode that ran out of steps has no metrics of
a judge. Site events and gold, from which milestones follow, are stored anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from palaestra.protocol.arms import ARMS
from tasks_app.families import milestones

VALUE = 1.0


class _Numbered(msgspec.Struct):
    """The only part of most steps that must be read."""

    index: int


# Parts stay undecoded until needed: page events and observations are the bulk of a trajectory.
_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STEPS = msgspec.json.Decoder(list[msgspec.Raw])
_NUMBERED = msgspec.json.Decoder(_Numbered)


def with_milestones(text: str, gold: str) -> str:
    """A trajectory with its milestones; ``gold`` is JSON of ``{tags, answer, extra}`` of its task.

    The step that first reached a milestone gets it in its ``rewards``; nothing else changes.
    """
    parts: dict[str, Any] = _PARTS.decode(text)
    reached = _reached(parts, msgspec.json.decode(gold))
    if not reached:
        return text
    parts["milestones"] = [
        {"name": one.name, "seq": one.event and one.event.seq, "step": one.event and one.event.step}
        for one in reached
    ]
    parts["steps"] = [_rewarded(step, reached) for step in _STEPS.decode(parts["steps"])]
    return msgspec.json.encode(parts).decode()


def _rewarded(step: msgspec.Raw, reached: list[milestones.Reached]) -> msgspec.Raw | dict[str, Any]:
    """Return the step as it is, or with the milestones that it reached first."""
    index = _NUMBERED.decode(step).index
    marks = {
        f"{milestones.MARK}{one.name}": VALUE for one in reached if one.event and one.event.step == index
    }
    if not marks:
        return step
    whole: dict[str, Any] = msgspec.json.decode(step)
    return {**whole, "rewards": {**(whole.get("rewards") or {}), **marks}}


def _reached(parts: Mapping[str, msgspec.Raw], gold: Mapping[str, Any]) -> list[milestones.Reached]:
    if not ARMS[msgspec.json.decode(parts["arm"])].has_page or gold["answer"] is None:
        return []
    facts = milestones.gold_facts(answer=gold["answer"], extra=gold["extra"] or {})
    events = milestones.parse_events(msgspec.json.decode(parts["site_events"]))
    return milestones.reached(milestones.find_by_tags(gold["tags"]), facts, events)
