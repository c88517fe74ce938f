"""The registries of the three kinds of plug-ins: which tasks, how many samples, how many steps."""

from __future__ import annotations

from typing import TypeVar

from core.registry import Registry
from trajectories.rollouts.samplers.types import Horizon, Rollouts, Strategy

STRATEGIES: Registry[type[Strategy]] = Registry("strategy")
ROLLOUTS: Registry[type[Rollouts]] = Registry("rollouts")
HORIZONS: Registry[type[Horizon]] = Registry("horizon")

S = TypeVar("S", bound=type[Strategy])
R = TypeVar("R", bound=type[Rollouts])
H = TypeVar("H", bound=type[Horizon])


def strategy(plugin: S) -> S:
    STRATEGIES.register(str(plugin.__struct_config__.tag), plugin)
    return plugin


def rollouts(plugin: R) -> R:
    ROLLOUTS.register(str(plugin.__struct_config__.tag), plugin)
    return plugin


def horizon(plugin: H) -> H:
    HORIZONS.register(str(plugin.__struct_config__.tag), plugin)
    return plugin
