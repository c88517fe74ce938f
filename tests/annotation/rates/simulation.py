"""Samples of trajectories with a planted rate, for tests of the intervals' coverage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# For each stratum: its rate, and the number of steps that each drawn step represents.
STRATA = ((0.2, 1.0), (0.5, 4.0), (0.8, 9.0))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Units, which are similar within a trajectory; ``chance`` is the planted probability of each unit."""

    has_it: Floats
    chance: Floats
    weights: Floats
    clusters: list[int]
    strata: list[int]


def sample(rng: np.random.Generator, *, trajectories: int = 60, spread: float = 0.35) -> Sample:
    """Draw equally many trajectories from each stratum, of 1 to 8 units; units are weighted by stratum."""
    rows = []
    for number in range(trajectories):
        stratum = number % len(STRATA)
        rate, weight = STRATA[stratum]
        # The deviation is symmetric, so that the planted rate does not change.
        chance = min(max(rate + rng.choice([-1, 1]) * min(spread, rate, 1 - rate), 0), 1)
        rows += [
            (float(rng.random() < chance), chance, weight, number, stratum) for _ in range(rng.integers(1, 9))
        ]
    has_it, chance, weights, clusters, strata = zip(*rows, strict=True)
    return Sample(
        has_it=np.array(has_it),
        chance=np.array(chance),
        weights=np.array(weights),
        clusters=list(clusters),
        strata=list(strata),
    )


def planted() -> float:
    """Return the rate among all steps; trajectories are equally long in every stratum."""
    return sum(rate * weight for rate, weight in STRATA) / sum(weight for _, weight in STRATA)
