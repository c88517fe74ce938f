"""The accuracy of one arm, which is the mean over items of each item's mean."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
from scipy import special

from core.statistics import score_interval
from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.answers import Answers, Codes, Estimate, Floats, item_means
from trajectories.reports.estimators.clusters import NOISE, Spread, spread_of

NO_ITEMS = "no item has a judged answer"
ALL_RIGHT = "every judged answer is right, so there is no variance to estimate from"
ALL_WRONG = "every judged answer is wrong, so there is no variance to estimate from"
THESE_LOOKS = "these looks only: fewer than 8"
WILSON = "Wilson: one sample per item"
FEW_ITEMS = f"fewer than {ITEMS_MIN} items"


def accuracy(answers: Answers, *, alpha: float = 0.05) -> Estimate:
    """Estimate the accuracy, with a score interval on the effective sample size, over items and looks."""
    items = answers.items
    if not len(items):
        return Estimate(reason=NO_ITEMS)
    means = item_means(answers, items)
    value = float(means.mean())
    spread = _spread(answers, items, value) if len(items) >= ITEMS_MIN else None
    # Wilson's interval holds for shares only, because scores between 0 and 1 have a different variance.
    is_single = bool((answers.samples == 1).all() and np.isin(answers.correct, (0.0, 1.0)).all())
    looks = int(np.count_nonzero(np.bincount(answers.look[answers.look >= 0])))
    base = Estimate(value=value, items=len(items), looks=looks)
    if is_single and looks <= 1:
        return _wilson(base, correct=int(answers.correct.sum()), alpha=alpha)
    if len(items) < ITEMS_MIN:
        return replace(base, reason=FEW_ITEMS)
    if value in (0.0, 1.0) or spread is None:
        return replace(base, reason=_why_without_variance(value))
    low, high = spread_interval(value, spread, alpha=alpha)
    reason = THESE_LOOKS if spread.is_these_looks else ""
    return replace(base, low=low, high=high, error=spread.error, degrees=spread.degrees, reason=reason)


def corrected(share: float | None, guess_rate: float) -> float | None:
    """Return the accuracy corrected for chance, which is 0 for blind guesses and 1 if all are right."""
    return None if share is None or guess_rate >= 1 else (share - guess_rate) / (1 - guess_rate)


def void_bounds(*, right: Floats, judged: Floats, total: Floats) -> tuple[float, float] | None:
    """Return the accuracies that result if all void episodes are wrong, and if all are right.

    The arrays are counts by item. Returns None without items.
    """
    if not len(total):
        return None
    void = total - judged
    return float((right / total).mean()), float(((right + void) / total).mean())


def pass_at(k: int, answers: Answers, *, alpha: float = 0.05) -> Estimate:
    """Estimate pass@k over the items with at least k samples, without bias (Chen et al., 2021)."""
    items = answers.items
    counts = np.bincount(answers.item, minlength=items.max() + 1 if len(items) else 0)[items]
    right = np.bincount(answers.item, weights=answers.correct)
    enough = items[counts >= k]
    if not len(enough):
        return Estimate(reason=f"no item has {k} judged samples")
    shares = np.array(
        [
            1 - comb(int(n) - int(right[item]), k) / comb(int(n), k)
            for item, n in zip(enough, counts[counts >= k], strict=True)
        ]
    )
    return _over_items(shares, alpha=alpha)


def mean_at(k: int, answers: Answers) -> float | None:
    """Return the mean share of right samples over the items with at least k samples, or None without any."""
    counts = np.bincount(answers.item)
    right = np.bincount(answers.item, weights=answers.correct)
    mask = counts >= k
    return float((right[mask] / counts[mask]).mean()) if mask.any() else None


def _over_items(shares: Floats, *, alpha: float) -> Estimate:
    """Estimate the mean of the items' shares, with a score interval over items."""
    value, items = float(shares.mean()), len(shares)
    base = Estimate(value=value, items=items)
    error = float(shares.std(ddof=1) / np.sqrt(items)) if items > 1 else 0.0
    if items < ITEMS_MIN:
        return replace(base, reason=FEW_ITEMS)
    if error <= NOISE or value in (0.0, 1.0):
        return replace(base, reason=_why_without_variance(value))
    spread = Spread(error=error, degrees=items - 1, looks=0, is_these_looks=False)
    low, high = spread_interval(value, spread, alpha=alpha)
    return replace(base, low=low, high=high, error=error, degrees=items - 1)


def _spread(answers: Answers, items: Codes, value: float) -> Spread | None:
    return spread_of(
        [(answers.item, answers.look, weights(answers) * (answers.correct - value))], items=len(items)
    )


def weights(answers: Answers) -> Floats:
    """Return the samples' weights in the mean over items: 1 / (number of items × samples of the item)."""
    counts = np.bincount(answers.item)
    return np.asarray(1 / (len(answers.items) * counts[answers.item]), dtype=np.float64)


def spread_interval(value: float, spread: Spread, *, alpha: float) -> tuple[float, float]:
    """Return Wilson's interval at the effective sample size, with quantiles of Student's t.

    The effective size is the one at which a plain share would have this standard error (Korn and Graubard,
    1998, for shares in clustered surveys).
    """
    size = value * (1 - value) / spread.error**2
    return score_interval(share=value, n=size, z=spread.quantile(alpha))


def _wilson(base: Estimate, *, correct: int, alpha: float) -> Estimate:
    low, high = share_interval(correct / base.items, items=base.items, alpha=alpha)
    return replace(base, low=low, high=high, reason=WILSON)


def share_interval(value: float, *, items: int, alpha: float) -> tuple[float, float]:
    """Return Wilson's interval for a share of independent items."""
    return score_interval(share=value, n=items, z=float(special.ndtri(1 - alpha / 2)))


def _why_without_variance(value: float) -> str:
    if value == 1:
        return ALL_RIGHT
    return (
        ALL_WRONG if value == 0 else "every item has the same mean, so there is no variance to estimate from"
    )
