"""Rates predicted from the lengths of thoughts alone, and rates compared at equal lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trajectories.annotation.agreement.coefficients import ratio
from trajectories.annotation.rates.resamples import Codes, Floats, Resamples

FOLDS = 5
BINS = 5
ROUNDS = 50
# This penalty keeps the coefficients finite if length separates the labels perfectly.
RIDGE = 1e-3
SETTLED = 1e-9


def fit_length_baseline(*, has_it: Floats, words: Floats, weights: Floats, clusters: Codes) -> Floats | None:
    """Return each unit's probability, predicted by a logistic regression on the logarithm of its word count.

    The prediction is cross-fitted: each regression was fitted without the unit's trajectory. Returns None if
    there are too few trajectories.
    """
    folds = min(FOLDS, len(np.unique(clusters)))
    if folds < 2:
        return None
    x = np.column_stack([np.ones(len(words)), np.log1p(words)])
    order = np.random.default_rng(0).permutation(int(clusters.max()) + 1)
    fold = order[clusters] % folds
    predicted = np.full(len(words), np.nan)
    for number in range(folds):
        test = fold == number
        if test.any() and not test.all():
            predicted[test] = _logistic(x[test] @ logistic_fit(x[~test], has_it[~test], weights[~test]))
    return None if np.isnan(predicted).any() else predicted


def logistic_fit(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Fit a weighted logistic regression by Newton's method; ``y`` are shares from 0 to 1."""
    weights = weights / weights.mean()
    penalty = RIDGE * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    beta = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = _logistic(x @ beta)
        spread = weights * np.maximum(p * (1 - p), 1e-9)
        step = np.linalg.solve(
            (x * spread[:, None]).T @ x + penalty, x.T @ (weights * (y - p)) - penalty @ beta
        )
        beta = beta + np.clip(step, -5, 5)
        if np.abs(step).max() < SETTLED:
            break
    return np.asarray(beta, dtype=np.float64)


def bin_lengths(words: Floats, weights: Floats) -> Codes:
    """Return the number of each unit's length bin. Bins have equal weights, unless many lengths are equal."""
    order = np.argsort(words, kind="stable")
    heavy = np.cumsum(weights[order]) / weights.sum()
    edges = [words[order][np.searchsorted(heavy, part / BINS)] for part in range(1, BINS)]
    return np.searchsorted(np.unique(edges), words, side="left").astype(np.int64)


def match_rates(
    *, has_it: Floats, weights: Floats, bins: Codes, groups: Sequence[Floats], resamples: Resamples
) -> tuple[list[Floats], float]:
    """Return each group's rate in each sample, weighted to the length distribution of all units together.

    ``groups`` are masks of units. Bins that any group lacks are left out for all groups; the second value is
    the share of the weight in the bins that remain.
    """
    numbers = range(int(bins.max()) + 1)
    common = [number for number in numbers if all((group * (bins == number)).any() for group in groups)]
    share = np.array([weights[bins == number].sum() for number in common]) / weights.sum()
    rates = [
        _matched([resamples.mean(has_it, weights * group * (bins == number)) for number in common], share)
        for group in groups
    ]
    return rates, float(share.sum())


def _matched(by_bin: list[Floats], share: Floats) -> Floats:
    """Return the matched rate in each sample, skipping bins that the sample lacks."""
    if not by_bin:
        return np.array([np.nan])
    rates = np.column_stack(by_bin)
    shares = np.where(np.isfinite(rates), share, 0.0)
    return ratio((np.nan_to_num(rates) * shares).sum(axis=1), shares.sum(axis=1))


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))), dtype=np.float64)
