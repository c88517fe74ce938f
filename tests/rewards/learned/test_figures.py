"""Areas under the curve and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from trajectories.rewards.learned.figures import (
    auroc_of,
    auroc_within,
    calibration_error,
    measure_calibration,
)

ITEMS, EACH = 40, 5
RUNS = 600


def drawn(rng: np.random.Generator, *, items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Items differ in how hard they are, and in how high their scores are."""
    ease = np.repeat(rng.normal(size=items), EACH)
    labels = rng.random(items * EACH) < 1 / (1 + np.exp(-ease))
    scores = labels + 0.5 * ease + rng.normal(size=items * EACH)
    return scores, labels, np.repeat(np.arange(items), EACH)


@pytest.mark.parametrize("figure", [auroc_of, auroc_within])
def test_the_interval_holds_the_truth_as_often_as_it_says(figure: object) -> None:
    rng = np.random.default_rng(7)
    truth = figure(*drawn(rng, items=40_000)).value if figure is auroc_of else _within_truth(rng)
    estimates = [figure(*drawn(rng, items=ITEMS)) for _ in range(RUNS)]
    covered = np.mean([one.low <= truth <= one.high for one in estimates])
    assert covered == pytest.approx(0.95, abs=0.02)
    assert np.mean([one.value for one in estimates]) == pytest.approx(truth, abs=0.01)


def _within_truth(rng: np.random.Generator) -> float:
    return float(np.mean([auroc_within(*drawn(rng, items=ITEMS)).value for _ in range(RUNS)]))


def test_items_are_independent_and_not_their_episodes() -> None:
    rng = np.random.default_rng(3)
    scores, labels, items = drawn(rng, items=ITEMS)
    once = auroc_of(scores, labels, items)
    repeated = auroc_of(np.repeat(scores, 20), np.repeat(labels, 20), np.repeat(items, 20))
    assert (repeated.value, repeated.low, repeated.high) == pytest.approx((once.value, once.low, once.high))


def test_ties_count_half_and_one_sided_labels_say_nothing() -> None:
    labels, items = np.array([True, False] * 20), np.arange(40)
    assert auroc_of(np.zeros(40), labels, items).value == 0.5
    assert auroc_of(np.zeros(40), np.ones(40, dtype=bool), items).value is None
    perfect = auroc_of(labels.astype(float), labels, items)
    assert perfect.value == 1.0
    assert perfect.low == pytest.approx(0.839, abs=0.001), "as many as 20 items of either kind can show"
    few = auroc_of(np.zeros(8), labels[:8], items[:8])
    assert (few.value, few.low) == (0.5, None)


def test_difficulty_alone_ranks_nothing_within_items() -> None:
    rng = np.random.default_rng(5)
    _, labels, items = drawn(rng, items=400)
    ease = np.bincount(items, labels)[items].astype(float)
    assert auroc_of(ease, labels, items).value > 0.7
    assert auroc_within(ease, labels, items).value == 0.5


def test_scores_that_are_shares_of_successes_have_no_calibration_error() -> None:
    rng = np.random.default_rng(2)
    scores = rng.random(20_000)
    labels = rng.random(20_000) < scores
    assert calibration_error(scores, labels) < 0.015
    assert calibration_error(scores / 2, labels) == pytest.approx(0.25, abs=0.01)


def test_tenths_of_the_episodes_add_up_to_the_calibration_error() -> None:
    rng = np.random.default_rng(2)
    scores = rng.random(205)
    labels = rng.random(205) < scores
    bins = measure_calibration(scores, labels)
    assert [one.episodes for one in bins] == [21] * 5 + [20] * 5
    assert [one.score for one in bins] == sorted(one.score for one in bins)
    gaps = sum(abs(one.score - one.share) * one.episodes for one in bins) / 205
    assert gaps == pytest.approx(calibration_error(scores, labels), abs=1e-5)
