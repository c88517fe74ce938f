"""The components of rewards by name; those that are computed by rule are a file each in ``components``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache

from core.errors import GymError
from core.registry import Registry
from trajectories.rewards.types import Component, Level, Reading, Values

COMPONENTS: Registry[Component] = Registry("reward component")
FAMILY = "/"

One = Callable[[Reading], Values | None]


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
) -> Callable[[One], One]:
    """Register a rule that gives an episode at most one set of values."""

    def registered(rule: One) -> One:
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
                compute=compute,
            ),
        )
        return rule

    return registered


def component_of(name: str) -> Component:
    """The component of a value's name. Raises ``GymError`` ``unknown_reward_component`` (422)."""
    one = COMPONENTS.get(name.partition(FAMILY)[0])
    if one.is_family == (FAMILY in name):
        return one
    message = (
        f"There is no reward component {name!r}: write {one.id}{'/ and a name' if one.is_family else ''}."
    )
    raise GymError("unknown_reward_component", message, status=422)


@cache
def revision() -> str:
    """What identifies the rules: a hash of their ids and versions."""
    versions = json.dumps(rule_versions(), sort_keys=True)
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


def rule_versions() -> dict[str, int]:
    """The version of each component that is computed by rule."""
    return {name: one.version for name, one in COMPONENTS.items() if one.compute is not None}
