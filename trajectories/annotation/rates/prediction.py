"""Prediction-powered inference: a rate from many labels by a machine and few by people.

The method is that of Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023 (doi 10.1126/science.adi6000),
with the tuned power of Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453). The rate is people's mean plus
``power`` times the machine's mean on units that people did not label minus its mean on units that they did. A
machine whose labels carry no information gets power 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trajectories.annotation.agreement.coefficients import Estimate
from trajectories.annotation.rates.resamples import Floats, Resamples, estimate_sample, estimate_share

# If people and the machine share fewer units, the machine's error is not known well enough.
UNITS_MIN = 20
TRAJECTORIES_MIN = 10
FEW_UNITS = f"Not shown: people and the machine have both labelled fewer than {UNITS_MIN} of its units."
FEW_TRAJECTORIES = f"Not shown: these units come from fewer than {TRAJECTORIES_MIN} trajectories."
NO_MORE_UNITS = "Not shown: the machine has labelled only units that people have labelled too."


@dataclass(frozen=True, kw_only=True)
class CorrectedRate:
    """A group's corrected rate, and the rate by people alone (``people``).

    ``reason`` explains why there is no corrected rate, if so. ``units`` counts those that both people and the
    machine labelled, ``more_units`` those that only the machine labelled.
    """

    units: int
    more_units: int
    people: Estimate | None = None
    corrected: Estimate | None = None
    power: float | None = None
    reason: str = ""


def correct_rate(*, people: Floats, machine: Floats, weights: Floats, resamples: Resamples) -> CorrectedRate:
    """Correct a machine's rate by people's labels.

    Labels range from 0 to 1 and are NaN where missing. Units of other groups have weight 0.
    """
    has_machine = np.isfinite(machine) & (weights > 0)
    both, more = has_machine & np.isfinite(people), has_machine & ~np.isfinite(people)
    units, more_units = int(both.sum()), int(more.sum())
    reason = _reason(both, more, resamples)
    if reason:
        return CorrectedRate(units=units, more_units=more_units, reason=reason)
    of_people = resamples.mean(np.nan_to_num(people), weights * both)
    predicted = np.nan_to_num(machine)
    beyond = resamples.mean(predicted, weights * more) - resamples.mean(predicted, weights * both)
    power = tune_power(of_people[1:], beyond[1:])
    trajectories = resamples.trajectories(both)
    estimate = estimate_sample(of_people + power * beyond)
    return CorrectedRate(
        units=units,
        more_units=more_units,
        people=estimate_share(of_people, trajectories=trajectories),
        corrected=_within_0_1(estimate),
        power=power,
    )


def tune_power(of_people: Floats, beyond: Floats) -> float:
    """Return the power, from 0 to 1, that minimises the variance, given samples of both terms."""
    usable = np.isfinite(of_people) & np.isfinite(beyond)
    if usable.sum() < 2 or np.var(beyond[usable]) == 0:
        return 0.0
    covariance = np.cov(of_people[usable], beyond[usable])
    return float(np.clip(-covariance[0, 1] / covariance[1, 1], 0.0, 1.0))


def _reason(both: NDArray[np.bool_], more: NDArray[np.bool_], resamples: Resamples) -> str:
    if both.sum() < UNITS_MIN:
        return FEW_UNITS
    if resamples.trajectories(both) < TRAJECTORIES_MIN:
        return FEW_TRAJECTORIES
    return "" if more.any() else NO_MORE_UNITS


def _within_0_1(estimate: Estimate) -> Estimate:
    def within(value: float | None) -> float | None:
        return None if value is None else min(max(value, 0.0), 1.0)

    return Estimate(value=within(estimate.value), low=within(estimate.low), high=within(estimate.high))
