"""What an episode reached on its way: the milestones of its task's family, found in its site events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks_app.families import registry
from tasks_app.families.types import Milestone, Parts, Told, When, always
from tasks_app.worlds import evidence
from verifiers import denotations

MARK = "milestone/"
"""Before a milestone's name among a verdict's metrics and a step's rewards."""
ANY = ("",)
"""The one part of a milestone that a single event reaches."""

Predicate = Callable[[Told, str, Mapping[str, Any]], bool]


@dataclass(frozen=True, kw_only=True)
class Event:
    """A site event; ``step`` is the agent's step that its request belonged to, if the harness said so."""

    seq: int
    step: int | None
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A milestone with the event that reached it; None where none has."""

    name: str
    event: Event | None


def of_tags(tags: Iterable[str]) -> tuple[Milestone, ...]:
    """The milestones of the family that a task's tags name; none for a family that there is no more."""
    family = registry.of_tags(tags)
    return family.milestones if family else ()


def events_of(told: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Site events as their records in JSON have them."""
    return [Event(seq=one["seq"], step=one["step"], kind=one["kind"], data=one["data"]) for one in told]


def told_of(*, answer: str, extra: Mapping[str, Any]) -> Told:
    """A gold's answer and ``extra`` as milestones take them."""
    return Told(
        answer=tuple(denotations.items_of(answer)),
        needs=tuple(extra.get("needs", ())),
        given=extra.get("given", {}),
        goal=extra.get("state"),
    )


def reached(milestones: Iterable[Milestone], told: Told, events: Sequence[Event]) -> list[Reached]:
    """Each milestone that the wording asks for, in the order in which its family names them."""
    return [
        Reached(name=milestone.name, event=_last_of(milestone, told, events))
        for milestone in milestones
        if milestone.when(told.given)
    ]


def _last_of(milestone: Milestone, told: Told, events: Sequence[Event]) -> Event | None:
    missing = set(milestone.parts(told))
    if not missing:
        return None
    for event in events:
        missing -= set(milestone.meets(told, event.kind, event.data))
        if not missing:
            return event
    return None


def once(
    name: str, is_it: Predicate, *, where: Callable[[Told], bool] = lambda told: True, when: When = always
) -> Milestone:
    """Reached by the first event that is it; in tasks for which ``where`` does not hold by none."""
    return Milestone(
        name=name,
        parts=lambda told: ANY if where(told) else (),
        meets=lambda told, kind, data: ANY if is_it(told, kind, data) else (),
        when=when,
    )


def seen(name: str, facts: Parts) -> Milestone:
    """Reached when every one of the facts has been on a page."""
    return Milestone(
        name=name,
        parts=facts,
        meets=lambda told, kind, data: data["facts"] if kind == evidence.SHOWN else (),
    )


def needed(told: Told) -> tuple[str, ...]:
    """All that the answer rests on, as ``seen`` takes it."""
    return told.needs
