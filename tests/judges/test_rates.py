"""Rates of judges, and whether their intervals hold the truth as often as they say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from core.statistics import wilson
from trajectories.judges.rates import LEAST, Measurement, Pair, Rate, corrected, measurement_of, rate_of

ROUNDS = 2_000
NEAR = pytest.approx(0.95, abs=0.015)


def pairs(both: int, missed: int, wrong: int, neither: int) -> list[Pair]:
    counts = {(True, True): both, (True, False): missed, (False, True): wrong, (False, False): neither}
    return [
        Pair(people=people, judge=judge) for (people, judge), count in counts.items() for _ in range(count)
    ]


def test_rates_are_of_what_people_say() -> None:
    measured = measurement_of(pairs(90, 10, 4, 76))
    assert (measured.true_positive.value, measured.true_negative.value) == (0.9, 0.95)
    assert (measured.true_positive.units, measured.true_negative.units) == (100, 80)
    bounds = (measured.true_positive.low, measured.true_positive.high)
    assert bounds == pytest.approx(wilson(share=0.9, n=100), abs=2e-3)
    assert measured.is_certified


@pytest.mark.parametrize(
    "counts",
    [(90, 10, 20, 60), (70, 30, 0, 100), (10, 0, 0, 10), (100, 0, 0, 0), (0, 0, 0, 0), (50, 50, 50, 50)],
)
def test_a_judge_that_errs_or_was_held_against_few_is_not_certified(counts: tuple[int, ...]) -> None:
    assert not measurement_of(pairs(*counts)).is_certified


def test_units_of_one_cluster_say_less() -> None:
    hits = [True] * 80 + [False] * 20
    alone = rate_of(hits, weights=[1.0] * 100, clusters=[None] * 100)
    tens = rate_of(hits, weights=[1.0] * 100, clusters=[place // 10 for place in range(100)])
    assert (alone.value, tens.value) == (0.8, 0.8)
    assert alone.size == pytest.approx(100, rel=0.02)
    assert tens.size < 12
    unequal = rate_of([True] * 10, weights=[1.0] * 9 + [91.0], clusters=[None] * 10)
    assert unequal.size < 2


@pytest.mark.parametrize(
    "measured", [measurement_of(pairs(*counts)) for counts in ((5, 5, 5, 5), (9, 0, 0, 0))]
)
def test_a_judge_that_says_nothing_corrects_nothing(measured: Measurement) -> None:
    assert corrected(Rate(value=0.5, units=10, size=10), measured) is None


def test_a_rate_is_corrected_by_rogan_and_gladen() -> None:
    measured = measurement_of(pairs(180, 20, 10, 190))
    observed = Rate(value=0.5, units=1_000, size=1_000)
    given = corrected(observed, measured)
    assert given is not None
    assert given.value == pytest.approx((0.5 + 0.95 - 1) / (0.9 + 0.95 - 1))
    assert given.low < given.value < given.high
    none = corrected(Rate(value=0.0, units=1_000, size=1_000), measured)
    assert none is not None
    assert (none.value, none.low) == (0.0, 0.0)


class Stratum(NamedTuple):
    """``share`` of all episodes are of it, of which so many are drawn."""

    share: float
    drawn: int
    met: float
    true_positive: float
    true_negative: float


DESIGNS = {
    "one stratum of 200": [Stratum(1.0, 200, 0.5, 0.9, 0.85)],
    "one stratum of 400": [Stratum(1.0, 400, 0.4, 0.85, 0.92)],
    "at the threshold": [Stratum(1.0, 300, 0.5, LEAST, LEAST)],
    "in proportion": [Stratum(0.7, 140, 0.6, 0.85, 0.9), Stratum(0.3, 60, 0.3, 0.92, 0.85)],
    "equal numbers": [Stratum(0.8, 150, 0.5, 0.88, 0.9), Stratum(0.2, 150, 0.5, 0.88, 0.9)],
}


def drawn(strata: list[Stratum], rng: np.random.Generator) -> list[Pair]:
    made = []
    for one in strata:
        people = rng.random(one.drawn) < one.met
        is_right = rng.random(one.drawn) < np.where(people, one.true_positive, one.true_negative)
        made += [
            Pair(people=bool(met), judge=bool(met == right), weight=one.share / one.drawn)
            for met, right in zip(people, is_right, strict=True)
        ]
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_of_rates_hold_the_truth_as_often_as_they_say(name: str) -> None:
    strata, rng = DESIGNS[name], np.random.default_rng(5)
    met = [one.share * one.met for one in strata]
    not_met = [one.share * (1 - one.met) for one in strata]
    truth = (
        np.average([one.true_positive for one in strata], weights=met),
        np.average([one.true_negative for one in strata], weights=not_met),
    )
    measured = [measurement_of(drawn(strata, rng)) for _ in range(ROUNDS)]
    rates = ([one.true_positive for one in measured], [one.true_negative for one in measured])
    for true, given in zip(truth, rates, strict=True):
        assert np.mean([one.low <= true <= one.high for one in given]) == NEAR
    if name == "at the threshold":
        assert np.mean([one.is_certified for one in measured]) < 0.025


@pytest.mark.slow
@pytest.mark.parametrize("met", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize(("true_positive", "true_negative"), [(0.9, 0.9), (0.85, 0.95)])
@pytest.mark.parametrize("episodes", [300, 3_000])
def test_intervals_of_corrected_rates_hold_the_truth_as_often_as_they_say(
    met: float, true_positive: float, true_negative: float, episodes: int
) -> None:
    rng, holds = np.random.default_rng(7), []
    says = met * true_positive + (1 - met) * (1 - true_negative)
    for _ in range(ROUNDS):
        positive = int(np.clip(rng.binomial(300, 0.5), 1, 299))
        first = _rate(rng.binomial(positive, true_positive), positive)
        second = _rate(rng.binomial(300 - positive, true_negative), 300 - positive)
        given = corrected(
            _rate(rng.binomial(episodes, says), episodes),
            Measurement(true_positive=first, true_negative=second),
        )
        assert given is not None
        holds.append(given.low <= met <= given.high)
    assert np.mean(holds) == NEAR


def _rate(hits: int, units: int) -> Rate:
    return Rate(value=hits / units, units=units, size=units)
