"""Order bias: the effect of the order in which a pair is shown on the choice between its members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.statistics import wilson
from trajectories.annotation.agreement import coefficients
from trajectories.annotation.agreement.coefficients import Estimate, Ratings
from trajectories.annotation.pairs.selectors import DECIDED, FIRST, Choice, PairChoices

EVEN = 0.5


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share, ``count`` of ``total``, with two intervals.

    The interval of ``estimate`` comes from resampling whole tasks with replacement; ``independent`` is
    Wilson's interval, which treats all observations as independent.
    """

    count: int
    total: int
    estimate: Estimate
    independent: tuple[float, float] | None

    @property
    def is_even(self) -> bool:
        """True if the range that both intervals cover together contains one half."""
        lows = [
            low for low in (self.estimate.low, self.independent and self.independent[0]) if low is not None
        ]
        highs = [
            high
            for high in (self.estimate.high, self.independent and self.independent[1])
            if high is not None
        ]
        return not lows or min(lows) <= EVEN <= max(highs)


@dataclass(frozen=True, kw_only=True)
class OrderBias:
    """The effect of the order of showing.

    ``first`` is the share of choices, without ties, for the member shown first. ``same`` and ``crossed`` are
    the shares of agreement between two people who saw a unit in the same order and in opposite orders.
    """

    first: Share
    same: Share
    crossed: Share


def measure_order_bias(pairs: Sequence[PairChoices]) -> OrderBias:
    agreeing = list(_agreeing(pairs))
    return OrderBias(
        first=_share(
            [
                (pair.stratum, is_shown_first(choice))
                for pair in pairs
                for choice in pair.choices.values()
                if choice.answer in DECIDED
            ]
        ),
        same=_share([(task, agrees) for task, is_same, agrees in agreeing if is_same]),
        crossed=_share([(task, agrees) for task, is_same, agrees in agreeing if not is_same]),
    )


def is_shown_first(choice: Choice) -> bool:
    """Return whether the chosen member was shown first."""
    return (choice.answer == FIRST) != choice.is_swapped


def _agreeing(pairs: Sequence[PairChoices]) -> Iterator[tuple[str, bool, bool]]:
    """Yield, for every unit and two people, its task, whether they saw the same order, and if they agree."""
    for pair in pairs:
        for one, other in combinations(pair.choices.values(), 2):
            yield pair.stratum, one.is_swapped == other.is_swapped, one.answer == other.answer


def _share(rows: Sequence[tuple[str, bool]]) -> Share:
    hits = np.array([hit for _, hit in rows], dtype=np.float64)
    ratings = Ratings(
        counts=np.column_stack([1 - hits, hits]),
        distances=coefficients.nominal_distances(2),
        clusters=[task for task, _ in rows],
    )
    return Share(
        count=int(hits.sum()),
        total=len(rows),
        estimate=ratings.estimate(coefficients.prevalence) if rows else Estimate(value=None),
        independent=wilson(share=float(hits.mean()), n=len(rows)) if rows else None,
    )
