"""Simulated figures of reward components (flat, learning, collapsing), to measure how often alarms are
raised.

Figures jitter and drift from version to version, and episodes of the same task are similar. A collapse begins
after half of the versions and is complete after ``training_runs.RAMP`` more; a plateau takes the rest of the
run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trajectories.reports.estimators.answers import Floats
from trajectories.reports.training.alarms import Alarm
from trajectories.reports.training.component_alarms import COLLAPSES, DRIFT, PLATEAU, component_alarms
from trajectories.reports.training.component_sums import MEASURES, SHAPING
from trajectories.reports.training.figures import Figure, Sums, figure_of
from trajectories.rewards.components.outcome import OUTCOME
from validation.training_runs import RAMP, REGIMES, Regime, drift, onset_of

RULES = (*COLLAPSES, PLATEAU)
STAGES = 4
SHOWN = REGIMES[:5]


@dataclass(frozen=True, kw_only=True)
class Course:
    """Simulated course of the components' figures in a run.

    ``learning`` is the components' total gain. ``shaping`` is the gain of shaping, and accuracy gains the
    share ``gained`` of it. From the onset on, all components lose ``collapse``, and shaping alone gains
    ``idle``. With ``is_staged``, tasks come in four stages; each stage has a quarter of the run to itself and
    keeps a fifth of its tasks afterwards. ``drift`` is the standard deviation between versions that do not
    change otherwise.
    """

    name: str
    learning: float = 0.0
    shaping: float = 0.0
    gained: float = 0.5
    collapse: float = 0.0
    idle: float = 0.0
    is_staged: bool = False
    drift: float = DRIFT

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that should raise an alarm if the course is one of ``SICK``."""
        return (PLATEAU.id,) if self.idle else tuple(rule.id for rule in COLLAPSES)


HEALTHY = (
    Course(name="flat"),
    Course(name="learning", learning=0.25, shaping=0.25, gained=1.0),
    Course(name="accuracy gains half of what shaping does", shaping=0.4),
    Course(name="flat, in stages of other levels", is_staged=True),
    Course(name="flat, drifting by 4 points", drift=2 * DRIFT),
)
SICK = (
    Course(name="components fall by 15 points", collapse=0.15),
    Course(name="components fall by 30 points", collapse=0.30),
    Course(name="shaping alone rises by 20 points", idle=0.20),
    Course(name="shaping alone rises by 40 points", idle=0.40),
)


@dataclass
class Tally:
    """Counts of runs with alarms.

    ``any_raised`` counts runs with an alarm at any time. ``raised`` counts, by rule, the runs with an alarm
    from the onset on, and ``delays`` has how many versions after the onset each came.
    """

    any_raised: int = 0
    raised: dict[str, int] = field(default_factory=lambda: dict.fromkeys((rule.id for rule in RULES), 0))
    delays: dict[str, list[int]] = field(default_factory=lambda: {rule.id: [] for rule in RULES})


def simulate(regime: Regime, course: Course, *, runs: int, seed: int) -> Tally:
    """Simulate ``runs`` runs and count those in which each alarm is raised."""
    rng, tally = np.random.default_rng(seed), Tally()
    is_sick, onset = course in SICK, onset_of(regime)
    for _ in range(runs):
        alarms = component_alarms(_series(regime, course, rng))
        tally.any_raised += bool(alarms)
        first: dict[str, Alarm] = {}
        for alarm in sorted(alarms, key=lambda one: one.version):
            if not is_sick or alarm.version >= onset:
                first.setdefault(alarm.rule, alarm)
        for rule, alarm in first.items():
            tally.raised[rule] += 1
            tally.delays[rule].append(alarm.version - onset)
    return tally


def _series(
    regime: Regime, course: Course, rng: np.random.Generator
) -> Mapping[str, Mapping[str, Sequence[tuple[int, Figure]]]]:
    stages = range(STAGES) if course.is_staged else range(1)
    return {f"stage {stage}": _of_stage(stage, regime, course, rng) for stage in stages}


def _of_stage(
    stage: int, regime: Regime, course: Course, rng: np.random.Generator
) -> dict[str, list[tuple[int, Figure]]]:
    begin = stage * regime.versions // STAGES
    following = (stage + 1) * regime.versions // STAGES if course.is_staged else regime.versions
    levels = _levels(regime, course, rng)
    series: dict[str, list[tuple[int, Figure]]] = {name: [] for name in MEASURES}
    for version in range(begin, regime.versions):
        tasks = regime.tasks if version < following else max(2, regime.tasks // 5)
        for name in MEASURES:
            series[name].append((version, _figure(levels[name][version], tasks, regime.samples, rng)))
    return series


def _levels(regime: Regime, course: Course, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw each measure's mean at every version."""
    count, onset = regime.versions, onset_of(regime)
    done = np.linspace(0, 1, count)
    fallen = np.clip((np.arange(count) - onset + 1) / RAMP, 0, 1) * course.collapse
    idle = np.clip((np.arange(count) - onset) / (count - onset), 0, 1) * course.idle
    levels = {}
    for name in MEASURES:
        gain = {SHAPING: course.shaping, OUTCOME: course.shaping * course.gained}.get(name, course.learning)
        level = rng.uniform(0.35, 0.65) + gain * done + drift(count, course.drift, rng)
        if name == SHAPING:
            level = level + idle
        elif name == "redundant":
            level = level - 2 * gain * done + fallen
        elif name != OUTCOME:
            level = level - fallen
        levels[name] = np.clip(level, 0.01, 0.99)
    return levels


def _figure(level: float, tasks: int, samples: int, rng: np.random.Generator) -> Figure:
    """Draw a figure of episodes whose chances differ by task and average to ``level`` over all tasks."""
    ease = rng.normal(0, 1, tasks)
    chance = level + 0.8 * level * (1 - level) * np.tanh(ease)
    right = rng.binomial(samples, np.clip(chance, 0, 1)).astype(np.float64)
    figure = figure_of(
        Sums(
            tasks=tasks,
            count=float(tasks * samples),
            total=float(right.sum()),
            count_squared=float(tasks * samples**2),
            count_times_total=float(samples * right.sum()),
            total_squared=float((right**2).sum()),
        )
    )
    if figure is None:
        raise ValueError("A version without episodes has no figure.")
    return figure
