"""Figures of payments, by hand and by another library."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from trajectories.judges.run_rewards.episodes import (
    Mean,
    Pairs,
    mean_of,
    pairs_of,
    rank_correlation,
    rank_values,
)


def test_a_mean_is_of_what_is_known() -> None:
    assert mean_of([1.0, None, 0.5]) == Mean(0.75, 2)
    assert mean_of([None]) == mean_of([]) == Mean(None, 0)


def test_the_highest_is_first_and_equal_payments_share_their_ranks() -> None:
    assert rank_values([0.2, 1.2, 0.2, -1.0, 1.0]).tolist() == [3.5, 1.0, 3.5, 5.0, 2.0]


def test_what_differs_by_rounding_alone_is_equal() -> None:
    assert rank_values([0.1 + 0.2, 0.3]).tolist() == [1.5, 1.5]
    assert pairs_of([0.3], [0.1 + 0.2]) == Pairs(1, 0, 1)


def test_the_rank_correlation_of_few_episodes() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # By hand: 1 - 6 * (1 + 1 + 0 + 0) / (4 * 15).
    assert rank_correlation([1, 2, 3, 4], [2, 1, 3, 4]) == pytest.approx(0.8)


@pytest.mark.parametrize("pair", [([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, 2], [0, 0])])
def test_without_two_ranks_there_is_no_correlation(pair: tuple[list[float], list[float]]) -> None:
    assert rank_correlation(*pair) is None


def test_ties_are_correlated_as_scipy_does() -> None:
    random = np.random.default_rng(3)
    first, second = random.integers(0, 5, 300) / 4, random.integers(0, 9, 300) / 8
    assert rank_correlation(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)


def test_pairs_whose_wrong_episode_is_paid_more_or_the_same() -> None:
    assert pairs_of([1.0, 0.5, 0.2], [0.2, 0.6]) == Pairs(count=6, inverted=2, tied=1)
    assert pairs_of([1.0, 1.2], [0.0]) == Pairs(2)
    assert pairs_of([], [0.5]) == pairs_of([1.0], []) == Pairs()
    assert Pairs(6, 2, 1) + Pairs(2) == Pairs(8, 2, 1)


def test_pairs_are_counted_as_one_by_one() -> None:
    random = np.random.default_rng(5)
    right, wrong = random.integers(2, 9, 40) / 8, random.integers(0, 6, 50) / 8
    inverted = sum(float(two) > float(one) for one in right for two in wrong)
    tied = sum(float(two) == float(one) for one in right for two in wrong)
    assert pairs_of(right, wrong) == Pairs(2000, inverted, tied)
