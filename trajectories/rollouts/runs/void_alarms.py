"""Void rates that are unusual: too high by themselves, or higher than those of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trajectories.rollouts.runs.void_rates import VoidRate, VoidRates, rates_ranked

# Fewer voids are an accident.
VOIDS_MIN = 3


@dataclass(frozen=True, kw_only=True)
class VoidAlarm:
    """An unusual rate. ``key`` is the policy version (None: none was given) or the task; None for the run.

    ``rest`` is the rate of all others, which it stands out from; None where it is only too high by itself.
    """

    kind: Literal["run", "policy_version", "task"]
    key: int | None
    rate: VoidRate
    rest: VoidRate | None = None


def void_alarms(rates: VoidRates, *, share_max: float) -> list[VoidAlarm]:
    """Return the unusual void rates of one run: the run, then versions, then tasks; highest rates first.

    A run is unusual above ``share_max`` with 95% confidence; a policy version there too, or above all other
    versions together; a task only if it is both, since a failure of everything says nothing about a task.
    Intervals allow for the number of comparisons.
    """
    total, versions = rates.total, rates.by_policy_version
    tasks, total_of_tasks = rates.by_task, rates.total_of_tasks
    alarms = [VoidAlarm(kind="run", key=None, rate=total)] if _is_above(total, share_max) else []
    for (_, version), rate in rates_ranked(versions):
        rest = _rest_below(rate, total, comparisons=len(versions))
        if rest or _is_above(rate, share_max, comparisons=len(versions)):
            alarms.append(VoidAlarm(kind="policy_version", key=version, rate=rate, rest=rest))
    for task, rate in rates_ranked(tasks):
        rest = _rest_below(rate, total_of_tasks, comparisons=len(tasks))
        if rest and _is_above(rate, share_max, comparisons=len(tasks)):
            alarms.append(VoidAlarm(kind="task", key=task, rate=rate, rest=rest))
    return alarms


def _is_above(rate: VoidRate, share_max: float, *, comparisons: int = 1) -> bool:
    return rate.void >= VOIDS_MIN and rate.interval(comparisons=comparisons)[0] > share_max


def _rest_below(rate: VoidRate, total: VoidRate, *, comparisons: int) -> VoidRate | None:
    """The rate of all others if ``rate`` lies above it by more than chance."""
    rest = total.without(rate)
    low, _ = rate.interval(comparisons=comparisons)
    _, high = rest.interval(comparisons=comparisons)
    return rest if rate.void >= VOIDS_MIN and low > high else None
