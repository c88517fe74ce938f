"""Rates hold what was planted, at the coverage that their intervals claim."""

from __future__ import annotations

import numpy as np
import pytest

from core.statistics import wilson
from tests.annotation.rates.simulation import planted, sample
from trajectories.annotation.rates.lengths import bin_lengths, fit_length_baseline, logistic_fit, match_rates
from trajectories.annotation.rates.prediction import FEW_TRAJECTORIES, FEW_UNITS, NO_MORE_UNITS, correct_rate
from trajectories.annotation.rates.resamples import Resamples, estimate_share
from trajectories.annotation.rates.success import FEW, ONE_SIDED, Case, estimate_association

SAMPLES = 150
# Of that many samples, a coverage of 95% lies above this in all but one of a thousand cases.
COVERAGE_MIN = 0.89
# Labels of people and of a machine for the same 60 units, and 124 of 240 further units that the machine calls
# positive; what ppi-python 0.2.3 gives for them: ppi_mean_pointestimate and ppi_mean_ci with lam=None.
PEOPLE = "100000010001011011000100111001010010000110010000101011010000"
MACHINE = "101000011001011011000111110001011011101111010000111110110000"
PPI_PYTHON = (0.35933128, 0.25462167, 0.46404088)


def test_a_planted_rate_is_held_by_its_interval_where_one_of_units_alone_misses_it() -> None:
    held = held_without_trajectories = 0
    for seed in range(SAMPLES):
        drawn = sample(np.random.default_rng(seed))
        resamples = Resamples(clusters=drawn.clusters, strata=drawn.strata)
        made = estimate_share(resamples.mean(drawn.has_it, drawn.weights), trajectories=resamples.count)
        held += made.low <= planted() <= made.high
        low, high = wilson(share=made.value, n=len(drawn.has_it))
        held_without_trajectories += low <= planted() <= high
    assert held / SAMPLES > COVERAGE_MIN
    assert held_without_trajectories / SAMPLES < 0.85


def test_a_rate_and_its_spread_are_those_of_sums_by_hand() -> None:
    drawn = sample(np.random.default_rng(1))
    resamples = Resamples(clusters=drawn.clusters, strata=drawn.strata)
    rates = resamples.mean(drawn.has_it, drawn.weights)
    rate = np.average(drawn.has_it, weights=drawn.weights)
    assert rates[0] == pytest.approx(rate)
    # Linearised, by stratum: n / (n - 1) times the squares around the mean of the stratum's trajectories.
    parts = np.bincount(drawn.clusters, drawn.weights * (drawn.has_it - rate)) / drawn.weights.sum()
    strata = np.arange(len(parts)) % 3
    variance = sum(
        len(own) / (len(own) - 1) * np.square(own - own.mean()).sum()
        for own in (parts[strata == number] for number in range(3))
    )
    assert rates[1:].std() == pytest.approx(np.sqrt(variance), rel=0.1)


def test_a_stratum_with_one_trajectory_still_varies_with_others_like_it() -> None:
    values = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    alone = Resamples(clusters=range(6), strata=range(6))
    together = Resamples(clusters=range(6), strata=[0] * 6)
    ones = np.ones(6)
    assert np.array_equal(alone.mean(values, ones), together.mean(values, ones))


def test_a_rate_that_does_not_vary_has_an_interval_by_trajectories_and_a_few_have_none() -> None:
    ones = np.ones(40)
    units = Resamples(clusters=np.repeat(range(10), 4).tolist(), strata=[0] * 40)
    made = estimate_share(units.mean(ones, ones), trajectories=10)
    assert (made.value, made.low, made.high) == (1.0, *wilson(share=1.0, n=10))
    assert estimate_share(units.mean(ones, ones), trajectories=4).low is None


def test_length_alone_says_what_length_does_and_no_more() -> None:
    rng = np.random.default_rng(3)
    words = rng.integers(2, 200, 3_000).astype(float)
    clusters = np.arange(3_000) // 3
    weights = rng.random(3_000) + 0.5
    chance = 1 / (1 + np.exp(-(np.log1p(words) - 4)))
    has_it = (rng.random(3_000) < chance).astype(float)
    baseline = fit_length_baseline(has_it=has_it, words=words, weights=weights, clusters=clusters)
    assert np.abs(baseline - chance).max() < 0.05
    # Two groups that differ in length alone: at equal lengths they are alike.
    longer = (rng.random(3_000) < np.where(words > 100, 0.9, 0.1)).astype(float)
    resamples = Resamples(clusters=clusters.tolist(), strata=[0] * 3_000)
    (one, other), common = match_rates(
        has_it=has_it,
        weights=weights,
        bins=bin_lengths(words, weights),
        groups=[longer, 1 - longer],
        resamples=resamples,
    )
    apart = resamples.mean(has_it, weights * longer) - resamples.mean(has_it, weights * (1 - longer))
    assert apart[0] > 0.2
    assert np.quantile((one - other)[1:], 0.025) < 0.04
    assert abs((one - other)[0]) < 0.08
    assert common == pytest.approx(1.0)


def test_a_baseline_has_not_seen_the_trajectory_that_it_is_of() -> None:
    """Trajectories of one length each: what was seen would be repeated."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 40)
    words = np.repeat(rng.integers(1, 100, 40), 5).astype(float)
    has_it, clusters = np.repeat(labels, 5).astype(float), np.repeat(np.arange(40), 5)
    first = fit_length_baseline(has_it=has_it, words=words, weights=np.ones(200), clusters=clusters)
    has_it[clusters == 0] = 1 - has_it[clusters == 0]
    again = fit_length_baseline(has_it=has_it, words=words, weights=np.ones(200), clusters=clusters)
    assert np.array_equal(first[clusters == 0], again[clusters == 0])
    assert not np.array_equal(first, again)
    assert (
        fit_length_baseline(has_it=has_it, words=words, weights=np.ones(200), clusters=clusters * 0) is None
    )


def test_the_regression_solves_its_equations_and_stays_finite_when_length_decides() -> None:
    x = np.column_stack([np.ones(6), [0.0, 1, 2, 3, 4, 5]])
    y, weights = np.array([0, 0, 1, 0, 1, 1.0]), np.array([1, 2, 1, 1, 2, 1.0])
    beta = logistic_fit(x, y, weights)
    gradient = x.T @ (weights * (y - 1 / (1 + np.exp(-x @ beta))))
    assert np.abs(gradient).max() < 0.01
    assert np.isfinite(logistic_fit(x, (x[:, 1] > 2).astype(float), weights)).all()


def test_lengths_that_a_group_lacks_are_left_out_for_all() -> None:
    bins = np.array([0, 0, 1, 1])
    short, both = np.array([1.0, 0, 0, 0]), np.array([0.0, 1, 1, 1])
    resamples = Resamples(clusters=range(4), strata=[0] * 4)
    (_, rate), common = match_rates(
        has_it=np.array([1.0, 0, 1, 1]),
        weights=np.ones(4),
        bins=bins,
        groups=[short, both],
        resamples=resamples,
    )
    assert (rate[0], common) == (0.0, 0.5)


@pytest.mark.parametrize("usefulness", [0.0, 0.9])
def test_a_rate_with_a_machine_holds_the_planted_one_and_is_never_wider_for_it(usefulness: float) -> None:
    held, widths, widths_of_people = 0, [], []
    samples = SAMPLES // 2
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        drawn = sample(rng, trajectories=90)
        by_people = np.array(drawn.clusters) % 4 == 0
        noise = (rng.random(len(by_people)) < 0.9).astype(float)
        machine = np.where(rng.random(len(by_people)) < usefulness, drawn.has_it, noise)
        made = correct_rate(
            people=np.where(by_people, drawn.has_it, np.nan),
            machine=machine,
            weights=drawn.weights,
            resamples=Resamples(clusters=drawn.clusters, strata=drawn.strata),
        )
        held += made.corrected.low <= planted() <= made.corrected.high
        widths.append(made.corrected.high - made.corrected.low)
        widths_of_people.append(made.people.high - made.people.low)
    assert held / samples > 0.86
    ratio = np.mean(widths) / np.mean(widths_of_people)
    assert ratio < (0.7 if usefulness else 1.01)


def test_it_is_what_the_authors_own_package_gives() -> None:
    people, machine = np.array([*map(float, PEOPLE)]), np.array([*map(float, MACHINE)])
    more = np.repeat([1.0, 0.0], [124, 116])
    made = correct_rate(
        people=np.append(people, np.full(240, np.nan)),
        machine=np.append(machine, more),
        weights=np.ones(300),
        resamples=Resamples(clusters=range(300), strata=[0] * 300),
    )
    estimate = made.corrected
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(PPI_PYTHON, abs=0.01)
    covariance = np.cov(people, machine)[0, 1]
    assert made.power == pytest.approx(covariance / (1.25 * np.append(machine, more).var()), abs=0.05)


@pytest.mark.parametrize(
    ("people", "trajectories", "more", "reason"),
    [(19, 19, 10, FEW_UNITS), (30, 9, 10, FEW_TRAJECTORIES), (30, 30, 0, NO_MORE_UNITS)],
)
def test_without_a_measured_error_no_rate_is_shown(
    people: int, trajectories: int, more: int, reason: str
) -> None:
    count = people + more
    made = correct_rate(
        people=np.append(np.ones(people), np.full(more, np.nan)),
        machine=np.ones(count),
        weights=np.ones(count),
        resamples=Resamples(clusters=[one % trajectories for one in range(count)], strata=[0] * count),
    )
    assert (made.corrected, made.reason, made.units, made.more_units) == (None, reason, people, more)


def cases(rng: np.random.Generator, *, effect: float, items: int = 40) -> list[Case]:
    """Hard items make agents reason less and fail more often; ``effect`` is that of reasoning itself."""
    made = []
    for item in range(items):
        ease = rng.normal(0, 1.5)
        for _ in range(4):
            share = rng.binomial(5, 1 / (1 + np.exp(-ease))) / 5
            chance = 1 / (1 + np.exp(-ease - effect * (share - 0.5)))
            made.append(Case(item=item, group="gym", share=share, is_correct=bool(rng.random() < chance)))
    return made


def test_what_only_differs_between_items_is_no_association() -> None:
    held = across = 0
    for seed in range(SAMPLES):
        drawn = cases(np.random.default_rng(seed), effect=0)
        made = estimate_association(drawn).odds_ratio
        held += made.low <= 1 <= made.high
        right, wrong = (
            [case.share for case in drawn if case.is_correct is is_correct] for is_correct in (True, False)
        )
        across += np.mean(right) - np.mean(wrong) > 0.1
    assert held / SAMPLES > COVERAGE_MIN
    assert across / SAMPLES > 0.9


def test_an_effect_within_items_shows() -> None:
    made = estimate_association(cases(np.random.default_rng(2), effect=4, items=200))
    assert made.odds_ratio.low > 1.5
    assert made.informative < made.items == 200


def test_the_odds_ratio_is_that_of_mantel_and_haenszel() -> None:
    tables = [(3, 1, 2, 4), (5, 2, 1, 2), (2, 2, 1, 5), (4, 1, 1, 1)] * 3
    drawn = [
        Case(item=item, group="gym", share=share, is_correct=is_correct)
        for item, table in enumerate(tables)
        for (share, is_correct), count in zip(
            [(1, True), (0, True), (1, False), (0, False)], table, strict=True
        )
        for _ in range(count)
    ]
    above = sum(a * d / (a + b + c + d) for a, b, c, d in tables)
    below = sum(b * c / (a + b + c + d) for a, b, c, d in tables)
    made = estimate_association(drawn)
    assert made.odds_ratio.value == pytest.approx(above / below)
    assert (made.informative, made.trajectories) == (12, sum(map(sum, tables)))


def test_groups_are_not_compared_with_each_other() -> None:
    drawn = [
        Case(item=item, group=group, share=share, is_correct=share == 1.0)
        for item in range(20)
        for group, share in (("gym", 1.0), ("text", 0.0))
    ]
    made = estimate_association(drawn)
    assert (made.informative, made.reason) == (0, FEW)


def test_what_speaks_for_one_side_alone_is_undefined() -> None:
    drawn = [
        Case(item=item, group="gym", share=share, is_correct=share == 1.0)
        for item in range(20)
        for share in (0.0, 1.0)
    ]
    assert estimate_association(drawn).reason == ONE_SIDED
