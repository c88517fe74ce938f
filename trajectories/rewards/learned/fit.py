"""Fitting of a model by logistic regression on labels and preferences, calibrated on held-out folds.

The difference between the features of a preferred episode and those of the other counts as a success (Bradley
and Terry 1952), so that labels and preferences are fitted together. scikit-learn does the fitting; only plain
numbers are stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import GymError
from trajectories.rewards.learned.features import VERSION, Floats, compute_features, words_of
from trajectories.rewards.learned.figures import DIGITS, Items, Labels, rounded
from trajectories.rewards.learned.lessons import Lessons
from trajectories.rewards.learned.source import LOGIT_MAX, standardise
from trajectories.rewards.learned.types import Parameters, Recorded

WORDS_MAX = 300
# A word that occurs in fewer tasks shows what they are about and not how they were solved.
WORD_ITEMS_MIN = 5
FOLDS = 5
STRENGTHS = (0.003, 0.03, 0.3)
"""Inverse regularisation strengths to try (scikit-learn's ``C``)."""
# The intercept is fitted as the weight of an extra constant feature, which is 0 for pairs. Because the
# constant is large, the intercept is hardly regularised.
CONSTANT = 10.0
ITERATIONS_MAX = 2_000
# Features with a smaller standard deviation are not scaled.
SCALE_MIN = 1e-4
ITEMS_MIN = 10
LABELS_MIN = 10


def check_enough(lessons: Lessons, *, part: str) -> None:
    """Raise ``GymError`` 422 ``too_few_labels`` if the lessons are too few to learn or measure anything."""
    sample = lessons.sample
    if sample.items >= ITEMS_MIN and LABELS_MIN <= sample.successes <= sample.episodes - LABELS_MIN:
        return
    message = (
        f"The {part} part has {sample.episodes} labelled episodes from {sample.items} tasks, "
        f"{sample.successes} of them successes. It needs {ITEMS_MIN} tasks, {LABELS_MIN} successes "
        f"and {LABELS_MIN} failures."
    )
    raise GymError("too_few_labels", message, status=422)


def parameters_fit(lessons: Lessons) -> tuple[Parameters, float]:
    """Fit a model to the lessons; return it with the regularisation strength that was chosen."""
    words = build_vocabulary(lessons.recorded)
    features = compute_features(lessons.recorded, words)
    means, scales = features.mean(axis=0).round(DIGITS) + 0.0, features.std(axis=0).round(DIGITS)
    scales[scales < SCALE_MIN] = 1.0

    def inputs(recorded: Sequence[Recorded]) -> Floats:
        return standardise(compute_features(recorded, words), means, scales)

    chosen, rejected = ([pair[place] for pair in lessons.pairs] for place in (0, 1))
    rows = _Rows(
        inputs=standardise(features, means, scales),
        labels=lessons.labels,
        items=lessons.items,
        differences=inputs(chosen) - inputs(rejected),
        pair_items=np.array([one.item for one in chosen], dtype=np.int64),
    )
    strength, logits = _strength_chosen(rows)
    slope, offset = _calibration(logits, lessons.labels)
    *weights, intercept = _coefficients(rows, strength)
    parameters = Parameters(
        features=VERSION,
        words=words,
        means=means.tolist(),
        scales=scales.tolist(),
        weights=[rounded(weight) for weight in weights],
        intercept=rounded(intercept),
        slope=rounded(slope),
        offset=rounded(offset),
    )
    return parameters, strength


def build_vocabulary(recorded: Sequence[Recorded]) -> list[str]:
    """Return up to ``WORDS_MAX`` words, those that occur in the most tasks."""
    items: dict[str, set[int]] = defaultdict(set)
    for one in recorded:
        for word in words_of(one):
            items[word].add(one.item)
    common = [word for word, seen in items.items() if len(seen) >= WORD_ITEMS_MIN]
    return sorted(sorted(common, key=lambda word: (-len(items[word]), word))[:WORDS_MAX])


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """Standardised inputs of the labelled episodes, and differences between the inputs of each pair."""

    inputs: Floats
    labels: Labels
    items: Items
    differences: Floats
    pair_items: Items

    def without(self, items: Items) -> _Rows:
        episodes, pairs = ~np.isin(self.items, items), ~np.isin(self.pair_items, items)
        return _Rows(
            inputs=self.inputs[episodes],
            labels=self.labels[episodes],
            items=self.items[episodes],
            differences=self.differences[pairs],
            pair_items=self.pair_items[pairs],
        )


def _coefficients(rows: _Rows, strength: float) -> Floats:
    """Fit and return the weights, with the intercept as the last one."""
    from sklearn.linear_model import LogisticRegression

    # Each pair counts with weight 1/2 as a success of its difference, and as a failure of the reverse
    # difference.
    halves = np.full(len(rows.differences), 0.5)
    matrix = np.vstack(
        [_with(rows.inputs, CONSTANT), _with(rows.differences, 0.0), _with(-rows.differences, 0.0)]
    )
    labels = np.concatenate([rows.labels, halves > 0, halves < 0])
    weights = np.concatenate([np.ones(len(rows.labels)), halves, halves])
    model = LogisticRegression(
        C=strength, fit_intercept=False, solver="newton-cholesky", max_iter=ITERATIONS_MAX
    )
    coefficients = np.asarray(model.fit(matrix, labels, sample_weight=weights).coef_[0], dtype=np.float64)
    coefficients[-1] *= CONSTANT
    return coefficients


def _with(inputs: Floats, constant: float) -> Floats:
    return np.column_stack([inputs, np.full(len(inputs), constant)])


def _strength_chosen(rows: _Rows) -> tuple[float, Floats]:
    """Return the strength with the lowest loss on held-out folds, and the logits on these folds."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = list(StratifiedGroupKFold(FOLDS).split(rows.inputs, rows.labels, rows.items))
    tried = {}
    for strength in STRENGTHS:
        logits = np.empty(len(rows.labels))
        for _, apart in folds:
            *weights, intercept = _coefficients(rows.without(rows.items[apart]), strength)
            logits[apart] = rows.inputs[apart] @ np.array(weights) + intercept
        tried[strength] = np.clip(logits, -LOGIT_MAX, LOGIT_MAX)
    best = min(tried, key=lambda strength: _loss(tried[strength], rows.labels))
    return best, tried[best]


def _loss(logits: Floats, labels: Labels) -> float:
    return float(np.logaddexp(0, np.where(labels, -logits, logits)).mean())


def _calibration(logits: Floats, labels: Labels) -> tuple[float, float]:
    """Fit the slope and offset that calibrate the folds' logits (Platt, 1999).

    If the fitted slope is not positive, there is no signal, and slope 0 makes all scores the same.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=ITERATIONS_MAX).fit(
        logits[:, None], labels
    )
    slope, offset = float(model.coef_[0][0]), float(model.intercept_[0])
    if slope > 0:
        return slope, offset
    share = float(labels.mean())
    return 0.0, float(np.log(share / (1 - share)))
