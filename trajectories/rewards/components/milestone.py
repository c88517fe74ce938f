"""The component for milestones, of a mock site's task family or of a kind of question."""

from __future__ import annotations

from collections.abc import Mapping

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.families import milestones
from trajectories.rewards.registry import COMPONENTS, MILESTONES
from trajectories.rewards.types import Component, QuestionMilestone, Reading, Values

MILESTONE = "milestone"


def reached(reading: Reading) -> Mapping[str, Values]:
    return _of_site(reading) if reading.kind == kinds.SITE else _of_question(reading)


def _of_question(reading: Reading) -> Mapping[str, Values]:
    computed = {name: one.rule(reading) for name, one in MILESTONES.items() if _may_have(reading, one)}
    return {f"{milestones.MARK}{name}": values for name, values in computed.items() if values is not None}


def _may_have(reading: Reading, one: QuestionMilestone) -> bool:
    return reading.kind in one.kinds or reading.benchmark in one.benchmarks


def _of_site(reading: Reading) -> Mapping[str, Values]:
    if not ARMS[reading.arm].has_page or reading.gold is None:
        return {}
    facts = milestones.gold_facts(answer=reading.gold, extra=reading.extra)
    events = milestones.parse_events(reading.events)
    return {
        f"{milestones.MARK}{one.name}": _values(one)
        for one in milestones.reached(milestones.find_by_tags(reading.tags), facts, events)
    }


def _values(one: milestones.Reached) -> Values:
    if one.event is None:
        return Values(0.0)
    return Values(1.0, {} if one.event.step is None else {one.event.step: 1.0})


COMPONENTS.register(
    MILESTONE,
    Component(
        id=MILESTONE,
        title="Milestone",
        description="1 if a milestone of the task was reached, credited to the step that first did, else 0.",
        unit="milestone",
        reads="site events and the gold; for questions also steps and page reports",
        level="episode",
        is_family=True,
        compute=reached,
    ),
)
