"""Tasks whose recent success rate lies between two bounds, with a minimum of exploration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from trajectories.rollouts.samplers.types import (
    Chance,
    Choice,
    Pool,
    Prior,
    Share,
    Strategy,
    round_share,
    strategy,
)

if TYPE_CHECKING:
    from trajectories.rollouts.samplers.types import Floats

# No weight may be zero, because tasks must be ordered even if none is in the band.
LEAST = 1e-12


@strategy
class SuccessBandStrategy(Strategy, frozen=True, tag="success_band"):
    """Tasks by the probability that their success lies from ``low`` to ``high``, under a Beta posterior.

    A task is drawn with weight P(low <= p <= high)^sharpness. ``exploration`` is the share of each draw that
    is drawn uniformly instead, rounded up. ``prior`` is the Beta prior of every task.

    In GRPO, groups teach nothing when all their rewards are equal. Keeping tasks of intermediate success is
    the "balanced online difficulty filtering" of Bae et al. (arXiv 2504.03380). A Beta posterior of each
    task's success, in which older results fade, is from MoPPS (Qu et al., arXiv 2507.04632), which takes the
    tasks whose sampled success is nearest to one value; using the probability of a band instead is ours.
    """

    low: Share = 0.2
    high: Share = 0.8
    prior: Prior = Prior()
    exploration: Share = 0.1
    sharpness: Annotated[float, Meta(gt=0, le=100)] = 4.0

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise ValueError("low must be below high")

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        import numpy

        inside = self.in_band(pool)
        weights = numpy.maximum(inside**self.sharpness, LEAST)
        explored = chance.order(len(pool), "exploration")[: math.ceil(self.exploration * count)]
        # Weighted sampling without replacement by random keys (Efraimidis and Spirakis, 2006), in logarithms.
        keys = numpy.log(chance.uniforms(len(pool), "band")) / weights
        keys[explored] = -numpy.inf
        banded = numpy.argsort(-keys, kind="stable")[: count - len(explored)]
        shares = weights / weights.sum()
        correct, incorrect = pool.posterior(self.prior)
        return [
            Choice(
                row=int(row),
                why={
                    "reason": reason,
                    "posterior": [round_share(correct[row]), round_share(incorrect[row])],
                    "mean": round_share(correct[row] / (correct[row] + incorrect[row])),
                    "in_band": round_share(inside[row]),
                    "share": round_share(shares[row]),
                },
            )
            for reason, rows in (("band", banded), ("exploration", explored))
            for row in rows
        ]

    def in_band(self, pool: Pool) -> Floats:
        """Return each task's posterior probability that its success lies in the band."""
        import numpy
        from scipy.special import betainc

        correct, incorrect = pool.posterior(self.prior)
        inside: Floats = betainc(correct, incorrect, self.high) - betainc(correct, incorrect, self.low)
        return numpy.clip(inside, 0.0, 1.0)
