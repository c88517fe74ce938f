"""Milestones of a task's family that an episode reached, computed from its site events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks_app.families import registry
from tasks_app.families.types import GoldFacts, Milestone, Parts, When, always
from tasks_app.worlds import evidence
from verifiers import denotations

MARK = "milestone/"
"""Prefix of a milestone's name in a verdict's metrics and a step's rewards."""
ANY = ("",)
"""The only part of a milestone that one event is enough to reach."""

Predicate = Callable[[GoldFacts, str, Mapping[str, Any]], bool]


@dataclass(frozen=True, kw_only=True)
class Event:
    """A site event. ``step`` is the agent's step that sent the request, if the harness reported it."""

    seq: int
    step: int | None
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A milestone and the event that reached it, or None if it was not reached."""

    name: str
    event: Event | None


def find_by_tags(tags: Iterable[str]) -> tuple[Milestone, ...]:
    """List the milestones of the family that the tags name; none if the family no longer exists."""
    family = registry.find_by_tags(tags)
    return family.milestones if family else ()


def parse_events(records: Iterable[Mapping[str, Any]]) -> list[Event]:
    return [
        Event(seq=record["seq"], step=record["step"], kind=record["kind"], data=record["data"])
        for record in records
    ]


def gold_facts(*, answer: str, extra: Mapping[str, Any]) -> GoldFacts:
    """Extract the facts that milestones need from a gold's answer and ``extra``."""
    return GoldFacts(
        answer=tuple(denotations.split_cell(answer)),
        needs=tuple(extra.get("needs", ())),
        given=extra.get("given", {}),
        goal=extra.get("state"),
    )


def reached(milestones: Iterable[Milestone], gold: GoldFacts, events: Sequence[Event]) -> list[Reached]:
    """Evaluate each milestone that applies to the task, in the order in which the family lists them."""
    evident = _find_last(EVIDENCE, gold, events)
    return [
        Reached(name=milestone.name, event=_earliest(milestone, gold, events, evident))
        for milestone in milestones
        if milestone.when(gold.given)
    ]


def _earliest(
    milestone: Milestone, gold: GoldFacts, events: Sequence[Event], evident: Event | None
) -> Event | None:
    """Return the event that reached the milestone or completed all evidence, whichever was earlier."""
    event = _find_last(milestone, gold, events)
    if not milestone.is_one_way or evident is None:
        return event
    return evident if event is None else min(event, evident, key=lambda candidate: candidate.seq)


def _find_last(milestone: Milestone, gold: GoldFacts, events: Sequence[Event]) -> Event | None:
    missing, shown = list(milestone.parts(gold)), evidence.Shown()
    if not missing:
        return None
    for event in events:
        met = milestone.meets(gold, event.kind, event.data)
        if not met:
            continue
        shown.add(met)
        missing = [part for part in missing if not shown.meets(part)]
        if not missing:
            return event
    return None


def once(
    name: str,
    is_it: Predicate,
    *,
    where: Callable[[GoldFacts], bool] = lambda gold: True,
    when: When = always,
    is_one_way: bool = False,
) -> Milestone:
    """Make a milestone that the first matching event reaches, or no event if ``where`` is false."""
    return Milestone(
        name=name,
        parts=lambda gold: ANY if where(gold) else (),
        meets=lambda gold, kind, data: ANY if is_it(gold, kind, data) else (),
        when=when,
        is_one_way=is_one_way,
    )


def seen(name: str, facts: Parts, *, is_one_way: bool = False) -> Milestone:
    """Make a milestone that is reached when the pages have shown all the facts."""
    return Milestone(
        name=name,
        parts=facts,
        meets=lambda gold, kind, data: data["facts"] if kind == evidence.SHOWN else (),
        is_one_way=is_one_way,
    )


def needed(gold: GoldFacts) -> tuple[str, ...]:
    """List all facts that the answer depends on."""
    return gold.needs


EVIDENCE = seen("evidence", needed)
"""The milestone of complete evidence, which also reaches milestones that are only one way to the answer."""
