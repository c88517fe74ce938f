"""Simulated training runs, healthy and sick, to measure how often and how late alarms are raised.

In a healthy run, invalid actions become fewer, the length of thoughts and the narration drift and jitter from
version to version, episodes of the same task are similar, and occasionally a machine fails for one version. A
sick run is a healthy one in which one thing goes wrong after the share ``ONSET`` of its versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trajectories.reports.estimators.answers import NO_LOOK, Answers, Floats
from trajectories.reports.training.alarms import RULES, Alarm, Evaluated, alarms_of, fall_p, text_alarm
from trajectories.reports.training.figures import Figure, Sums, figure_of

ONSET = 0.5
# Number of versions from the onset of a failure until it is complete.
RAMP = 4
TASK_POOL = 2_000
INCIDENT_RATE, INCIDENT_VOID = 0.1, 0.06
TEXT = "text"
ALARMS = (*(rule.id for rule in RULES), TEXT)


@dataclass(frozen=True, kw_only=True)
class Regime:
    """Size of a simulated training run.

    Each version has ``tasks`` tasks with ``samples`` episodes each. Every ``evaluated_every``-th version is
    evaluated on ``items`` items with ``item_samples`` samples in each arm.
    """

    name: str
    versions: int = 30
    tasks: int = 32
    samples: int = 8
    evaluated_every: int = 5
    items: int = 200
    item_samples: int = 4


REGIMES = (
    Regime(name="usual"),
    Regime(name="short", versions=8, evaluated_every=2),
    Regime(name="long", versions=120, evaluated_every=10),
    Regime(name="few tasks", tasks=8, samples=4),
    Regime(name="many tasks", tasks=256),
    Regime(name="few items", items=40, item_samples=1, evaluated_every=3),
    Regime(name="many items", items=500, item_samples=8),
)


@dataclass(frozen=True, kw_only=True)
class FailureMode:
    """The effects of a training failure once it is complete.

    ``invalid`` and ``void`` are shares, ``words`` is a factor on the length of thoughts, and ``narration``
    and ``text`` are points added. The failure develops over ``ramp`` versions.
    """

    name: str
    alarm: str
    invalid: float = 0.0
    words: float = 1.0
    narration: float = 0.0
    text: float = 0.0
    void: float = 0.0
    ramp: int = RAMP


FAILURE_MODES = (
    FailureMode(name="invalid actions +10 points", alarm="invalid_actions", invalid=0.10, ramp=1),
    FailureMode(name="invalid actions +20 points", alarm="invalid_actions", invalid=0.20, ramp=1),
    FailureMode(name="thoughts shrink to 60%", alarm="thoughts", words=0.6),
    FailureMode(name="thoughts shrink to 40%", alarm="thoughts", words=0.4),
    FailureMode(name="narration +15 points", alarm="narration", narration=0.15),
    FailureMode(name="narration +30 points", alarm="narration", narration=0.30),
    FailureMode(name="text accuracy -8 points", alarm=TEXT, text=-0.08),
    FailureMode(name="text accuracy -15 points", alarm=TEXT, text=-0.15),
    FailureMode(name="void +6 points", alarm="void", void=0.06),
    FailureMode(name="void +12 points", alarm="void", void=0.12),
)
HEALTH = FailureMode(name="healthy", alarm="")


@dataclass
class Tally:
    """Counts of alarms in simulated runs.

    ``raised`` counts them by alarm, without alarms for the failure mode that came before its onset;
    ``any_raised`` counts runs with at least one alarm. ``delays`` are versions from the onset to the failure
    mode's alarm.
    """

    runs: int = 0
    any_raised: int = 0
    raised: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ALARMS, 0))
    delays: list[int] = field(default_factory=list)


def simulate(regime: Regime, mode: FailureMode = HEALTH, *, runs: int, seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    tally, onset = Tally(runs=runs), onset_of(regime)
    for _ in range(runs):
        alarms = _run_alarms(regime, mode, rng)
        tally.any_raised += bool(alarms)
        for alarm in alarms:
            if alarm.rule == mode.alarm and alarm.version < onset:
                continue
            tally.raised[alarm.rule] += 1
            if alarm.rule == mode.alarm:
                tally.delays.append(alarm.version - onset)
    return tally


def _run_alarms(regime: Regime, mode: FailureMode, rng: np.random.Generator) -> list[Alarm]:
    severity = np.clip((np.arange(regime.versions) - onset_of(regime) + 1) / mode.ramp, 0, 1)
    alarms = alarms_of(_series(regime, mode, severity, rng))
    falling = text_alarm(_evaluations(regime, mode, severity, rng))
    return [*alarms, falling] if falling else alarms


def onset_of(regime: Regime) -> int:
    """Return the version at which the failure begins."""
    return round(regime.versions * ONSET)


def _series(
    regime: Regime, mode: FailureMode, severity: Floats, rng: np.random.Generator
) -> Mapping[str, Sequence[tuple[int, Figure]]]:
    """Simulate the figures of every version, on tasks that are drawn for each version from a pool."""
    count, shape = regime.versions, (regime.tasks, regime.samples)
    effects = rng.normal(size=(4, TASK_POOL))
    growth = rng.uniform(-0.15, 0.3) * np.linspace(0, 1, count)
    words = growth + drift(count, 0.06, rng) + np.log1p((mode.words - 1) * severity)
    narration = 0.2 + drift(count, 0.02, rng) + mode.narration * severity
    invalid = np.linspace(rng.uniform(0.02, 0.08), 0.01, count) * np.exp(rng.normal(0, 0.25, count))
    invalid = np.minimum(invalid + mode.invalid * severity, 0.9)
    void = 0.005 * np.exp(rng.normal(0, 0.5, count)) + mode.void * severity
    void[rng.integers(count)] += INCIDENT_VOID * (rng.random() < INCIDENT_RATE)
    series: dict[str, list[tuple[int, Figure]]] = {rule.measure: [] for rule in RULES}
    for version in range(count):
        ease = effects[:, rng.integers(TASK_POOL, size=regime.tasks)][:, :, None]
        steps = 1 + rng.poisson(4, shape)
        chance = _tilted(invalid[version], 0.5 * ease[0] + rng.normal(0, 1, shape))
        drawn: dict[str, tuple[Any, Any]] = {
            "invalid_actions": (steps, rng.binomial(steps, chance)),
            "thought_words": (1, 40 * np.exp(words[version] + 0.4 * ease[1] + rng.normal(0, 0.5, shape))),
            "restates": (1, np.clip(narration[version] + 0.06 * ease[2] + rng.normal(0, 0.12, shape), 0, 1)),
            "void": (1, rng.random(shape) < _tilted(void[version], 0.5 * ease[3])),
        }
        for measure, (counts, values) in drawn.items():
            series[measure].append((version, _figure(np.broadcast_to(counts, shape), values)))
    return series


def _evaluations(
    regime: Regime, mode: FailureMode, severity: Floats, rng: np.random.Generator
) -> list[Evaluated]:
    """Simulate evaluations in which text gains a little and page gains more, always on the same items."""
    ease = rng.normal(0, 1.5, regime.items)
    first: tuple[Answers, float, float] | None = None
    evaluations = []
    for version in range(0, regime.versions, regime.evaluated_every):
        learnt = version / regime.versions
        text = _answers(
            0.6 + 0.2 * learnt + rng.normal(0, 0.05), ease, mode.text * severity[version], regime, rng
        )
        page = _answers(-0.4 + 0.9 * learnt + rng.normal(0, 0.05), ease, 0.0, regime, rng)
        shares = float(text.correct.mean()), float(page.correct.mean())
        if first is None:
            first = (text, *shares)
            continue
        evaluations.append(
            Evaluated(
                version=version,
                text=shares[0],
                page=shares[1],
                text_before=first[1],
                page_before=first[2],
                p=fall_p(first[0], text),
            )
        )
    return evaluations


def _answers(base: float, ease: Floats, shift: float, regime: Regime, rng: np.random.Generator) -> Answers:
    chance = np.clip(1 / (1 + np.exp(-(base + ease + rng.normal(0, 0.3, len(ease))))) + shift, 0, 1)
    item = np.repeat(np.arange(regime.items), regime.item_samples)
    right = rng.random(len(item)) < chance[item]
    return Answers(item=item, look=np.full(len(item), NO_LOOK), correct=right.astype(np.float64))


def drift(count: int, sd: float, rng: np.random.Generator) -> Floats:
    """Draw an autoregressive series around 0 with standard deviation ``sd`` and autocorrelation 0.5."""
    values = rng.normal(0, sd, count)
    for place in range(1, count):
        values[place] = 0.5 * values[place - 1] + np.sqrt(0.75) * values[place]
    return values


def _tilted(share: float, logits: Floats) -> Floats:
    """Shift a share by effects that are given in log-odds."""
    return np.asarray(1 / (1 + (1 - share) / share * np.exp(-logits)), dtype=np.float64)


def _figure(counts: Floats, values: Floats) -> Figure:
    """Compute the figure for a matrix with a row per task and a column per episode."""
    count, total = counts.sum(axis=1).astype(float), values.sum(axis=1).astype(float)
    figure = figure_of(
        Sums(
            tasks=len(count),
            count=float(count.sum()),
            total=float(total.sum()),
            count_squared=float((count**2).sum()),
            count_times_total=float((count * total).sum()),
            total_squared=float((total**2).sum()),
        )
    )
    if figure is None:
        raise ValueError("A version without episodes has no figure.")
    return figure
