"""Order bias: the sway that the order of showing has on choices between pairs."""

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
    """``count`` of ``total``, with an interval from whole tasks drawn with replacement, and one that takes
    all of them for independent (Wilson)."""

    count: int
    total: int
    estimate: Estimate
    independent: tuple[float, float] | None

    @property
    def is_even(self) -> bool:
        """True if the wider of both intervals holds one half."""
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
    """``first`` is the share of choices for the one shown first, ties left out; ``same`` and ``crossed`` are
    the shares of agreeing pairs of people who saw a unit in the same order, and in the other one."""

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
    """Return whether the chosen one was shown first."""
    return (choice.answer == FIRST) != choice.is_swapped


def _agreeing(pairs: Sequence[PairChoices]) -> Iterator[tuple[str, bool, bool]]:
    """Yield for every two people and unit: the task, whether they saw the same order, whether they agree."""
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
