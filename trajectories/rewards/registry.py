"""Registries of the reward components, one per file in ``components``, and of the milestones of questions,
one per file in ``milestones``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from core.errors import GymError
from core.registry import Registry
from trajectories.rewards.types import Component, Level, QuestionMilestone, Reading, Rule, Values

COMPONENTS: Registry[Component] = Registry("reward component")
MILESTONES: Registry[QuestionMilestone] = Registry("milestone")
FAMILY = "/"


def component(
    component_id: str,
    *,
    title: str,
    description: str,
    unit: str,
    reads: str,
    level: Level,
    version: int = 1,
    high: float | None = 1.0,
    kinds: frozenset[str] | None = None,
) -> Callable[[Rule], Rule]:
    """Register a component with a rule that gives an episode at most one set of values."""

    def registered(rule: Rule) -> Rule:
        def compute(reading: Reading) -> Mapping[str, Values]:
            values = rule(reading)
            return {} if values is None else {component_id: values}

        COMPONENTS.register(
            component_id,
            Component(
                id=component_id,
                title=title,
                description=description,
                unit=unit,
                reads=reads,
                level=level,
                version=version,
                high=high,
                kinds=kinds,
                compute=compute,
            ),
        )
        return rule

    return registered


def milestone(
    name: str,
    *,
    description: str,
    kinds: frozenset[str] = frozenset(),
    benchmarks: frozenset[str] = frozenset(),
    version: int = 1,
) -> Callable[[Rule], Rule]:
    """Register a milestone's rule for questions of certain kinds or benchmarks."""

    def registered(rule: Rule) -> Rule:
        MILESTONES.register(
            name,
            QuestionMilestone(
                name=name,
                description=description,
                rule=rule,
                kinds=kinds,
                benchmarks=benchmarks,
                version=version,
            ),
        )
        return rule

    return registered


@lru_cache(maxsize=1024)  # It is called several times per paid episode.
def get_component(name: str) -> Component:
    """Return the component to which a value's name belongs.

    Raises ``GymError`` ``unknown_reward_component`` (422).
    """
    one = COMPONENTS.get(name.partition(FAMILY)[0])
    if one.is_family == (FAMILY in name):
        return one
    message = (
        f"There is no reward component {name!r}. Write {one.id}{'/ and a name' if one.is_family else ''}."
    )
    raise GymError("unknown_reward_component", message, status=422)


@cache
def revision() -> str:
    """Return a hash of the rules' ids and versions, which identifies the current rules."""
    versions = json.dumps(rule_versions(), sort_keys=True)
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


def rule_versions() -> dict[str, int]:
    """Return the version of each component that has a rule, and of each milestone of questions."""
    components = {name: one.version for name, one in COMPONENTS.items() if one.compute is not None}
    return components | {f"milestone{FAMILY}{name}": one.version for name, one in MILESTONES.items()}
