from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.statistics import wilson
from trajectories.annotation.rates.resamples import estimate_sample
from trajectories.reports.estimators.accuracy import accuracy, pass_at
from trajectories.reports.estimators.answers import Answers, Estimate

COUNTS = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("share", "n", "low", "high"),
    [
        (0.5, 10, 0.2366, 0.7634),
        (0.0, 10, 0.0, 0.2775),
        (1.0, 10, 0.7225, 1.0),
        (0.9, 100, 0.8256, 0.9448),
        (0.9, 10, 0.5958, 0.9821),
        (0.0, 0, 0.0, 1.0),
    ],
)
def test_wilson_agrees_with_published_values(share: float, n: int, low: float, high: float) -> None:
    assert wilson(share=share, n=n) == pytest.approx((low, high), abs=5e-5)


@given(counts=COUNTS, comparisons=st.integers(1, 50))
def test_wilson_holds_its_own_estimate_and_stays_between_0_and_1(
    counts: tuple[int, int], comparisons: int
) -> None:
    hits, n = counts
    low, high = wilson(share=hits / n, n=n, comparisons=comparisons)
    assert 0 <= low <= hits / n <= high <= 1
    assert low < high


@pytest.mark.parametrize(("hits", "n"), [(4, 4), (10, 10), (0, 3), (0, 5)])
def test_all_right_and_all_wrong_end_at_their_estimate(hits: int, n: int) -> None:
    assert hits / n in wilson(share=hits / n, n=n)


def _holds(estimate: Estimate) -> bool:
    return estimate.value is None or estimate.low is None or estimate.low <= estimate.value <= estimate.high


@given(
    rows=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.booleans()), min_size=1, max_size=160)
)
def test_accuracies_of_a_report_lie_within_their_intervals(rows: list[tuple[int, int, bool]]) -> None:
    item, look, correct = (np.array(column) for column in zip(*rows, strict=True))
    answers = Answers(item=item, look=look, correct=correct.astype(float))
    assert _holds(accuracy(answers))
    assert _holds(pass_at(2, answers))


@given(samples=st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_a_resampled_estimate_lies_within_its_interval(samples: list[float]) -> None:
    estimate = estimate_sample(np.array(samples))
    assert estimate.low is None or estimate.low <= estimate.value <= estimate.high
