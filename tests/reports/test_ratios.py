"""Rates whose episodes count differently often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.statistics import wilson
from trajectories.reports.estimators.accuracy import FEW_ITEMS
from trajectories.reports.estimators.answers import NO_LOOK, Estimate
from trajectories.reports.estimators.ratios import NOTHING, Parts, ratio


def estimated(counted: Sequence[float], among: Sequence[float], *, samples: int = 1) -> Estimate:
    """Without looks; ``samples`` neighbours are of one item."""
    item = np.arange(len(counted)) // samples
    return ratio(
        Parts(
            item=item,
            look=np.full(len(item), NO_LOOK),
            counted=np.array(counted, dtype=float),
            among=np.array(among, dtype=float),
        )
    )


def test_a_rate_is_of_all_that_counts_and_not_a_mean_of_rates() -> None:
    estimate = estimated([4.0, *[0.0] * 9, 5.0], [4.0, *[1.0] * 9, 0.0])
    assert (estimate.value, estimate.items) == (4 / 13, 10)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.5])
def test_where_nothing_varies_an_item_counts_once(value: float) -> None:
    estimate = estimated([value] * 80, [1.0] * 80, samples=4)
    assert (estimate.low, estimate.high) == pytest.approx(wilson(share=value, n=20), abs=1e-6)


def test_few_items_and_nothing_have_no_interval_and_a_reason() -> None:
    few = estimated([1.0] * 18, [1.0] * 18, samples=2)
    assert (few.value, few.low, few.reason) == (1, None, FEW_ITEMS)
    none = estimated([0.0] * 18, [0.0] * 18)
    assert (none.value, none.low, none.reason) == (None, None, NOTHING)


def test_the_interval_has_its_stated_coverage_where_attempts_share_an_item() -> None:
    """Items differ in ease and in how many calls they take; as one share of all calls it covers far less."""
    rng = np.random.default_rng(4)
    covered = plain = 0
    for _ in range(400):
        ease, calls = rng.beta(1.2, 0.6, 60), rng.poisson(1.5, (60, 4))
        right = rng.binomial(calls, ease[:, None])
        estimate = estimated(right.ravel().tolist(), calls.ravel().tolist(), samples=4)
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= 2 / 3 <= estimate.high
        low, high = wilson(share=estimate.value, n=calls.sum())
        plain += low <= 2 / 3 <= high
    assert covered / 400 > 0.925
    assert plain / 400 < 0.85
