"""The gap between two arms on the items that both have, paired by item."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.accuracy import FEW_ITEMS, THESE_LOOKS, weights
from trajectories.reports.estimators.answers import Answers, Codes, Estimate, Floats, item_means
from trajectories.reports.estimators.clusters import NOISE, Spread, spread_of

NO_SHARED = "the two arms share no item with judged answers"
NO_DIFFERENCE = "no item differs between the two arms, so there is no variance to estimate from"
ALL_ALIKE = "every item differs by the same amount, so there is no variance to estimate from"
FEW_DIFFERENT = "fewer than {} items differ between the two arms"
AT_THE_END = "one of the two arms has every answer right or every answer wrong"
# If fewer items differ, the interval misses its nominal coverage (docs/modality-gap.md).
DIFFERENT_MIN = 10
FLIPS = 9_999
RESAMPLES = 1_999
DRAWN_MAX = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two arms on the items that both have: the means of each item, and the answers behind them."""

    items: Codes
    a: Answers
    b: Answers
    mean_a: Floats
    mean_b: Floats

    @property
    def differences(self) -> Floats:
        return np.asarray(self.mean_a - self.mean_b, dtype=np.float64)

    @property
    def is_single(self) -> bool:
        """True if each item has exactly one sample in each arm."""
        return len(self.a.item) == len(self.b.item) == len(self.items)

    @property
    def looks(self) -> int:
        looks = np.concatenate([self.a.look, self.b.look])
        return int(np.count_nonzero(np.bincount(looks[looks >= 0])))


def pair_of(a: Answers, b: Answers) -> Pair | None:
    """Pair two arms by item, or return None if no item has judged answers in both."""
    items = np.intersect1d(a.items, b.items, assume_unique=True)
    if not len(items):
        return None
    a, b = a.of_items(items), b.of_items(items)
    return Pair(items=items, a=a, b=b, mean_a=item_means(a, items), mean_b=item_means(b, items))


def gap(pair: Pair, *, alpha: float = 0.05) -> Estimate:
    """Estimate by how much ``a`` is more accurate than ``b``, with an interval and the p-value of no gap."""
    value = float(pair.differences.mean())
    base = Estimate(value=value, items=len(pair.items), looks=pair.looks)
    if reason := _why_silent(pair):
        return replace(base, reason=reason)
    spread = _spread(pair, scale_a=1.0, scale_b=1.0)
    if spread is None:
        return replace(base, reason=ALL_ALIKE)
    return with_interval(base, value, spread, alpha=alpha)


def with_interval(
    base: Estimate, value: float, spread: Spread, *, alpha: float, bound: float = 1.0
) -> Estimate:
    """Complete an estimate of a difference with its interval, cut to ±``bound``, and its p-value."""
    half = spread.quantile(alpha) * spread.error
    return replace(
        base,
        value=value,
        low=max(-bound, value - half),
        high=min(bound, value + half),
        p=spread.p_value(value),
        error=spread.error,
        degrees=spread.degrees,
        reason=THESE_LOOKS if spread.is_these_looks else "",
    )


def odds_ratio(pair: Pair, *, alpha: float = 0.05) -> Estimate:
    """Estimate the ratio of the two arms' odds, with an interval by the delta method on its logarithm."""
    share_a, share_b = float(pair.mean_a.mean()), float(pair.mean_b.mean())
    base = {"items": len(pair.items), "looks": pair.looks}
    if not (0 < share_a < 1 and 0 < share_b < 1):
        return Estimate(**base, reason=AT_THE_END)
    log_ratio = float(np.log(share_a / (1 - share_a)) - np.log(share_b / (1 - share_b)))
    value = float(np.exp(log_ratio))
    slopes = 1 / (share_a * (1 - share_a)), 1 / (share_b * (1 - share_b))
    spread = None if _why_silent(pair) else _spread(pair, scale_a=slopes[0], scale_b=slopes[1])
    if spread is None:
        return Estimate(**base, value=value, reason=_why_silent(pair) or ALL_ALIKE)
    half = spread.quantile(alpha) * spread.error
    low, high = float(np.exp(log_ratio - half)), float(np.exp(log_ratio + half))
    reason = THESE_LOOKS if spread.is_these_looks else ""
    return Estimate(**base, value=value, low=low, high=high, reason=reason)


def equivalence_p(estimate: Estimate, *, margin: float) -> float | None:
    """Test equivalence by two one-sided tests (Schuirmann, 1987), or return None if there is no error.

    The p-value is small if the data show that the gap is within the margin.
    """
    if estimate.value is None or not estimate.error or estimate.degrees is None:
        return None
    lower = special.stdtr(estimate.degrees, -(estimate.value + margin) / estimate.error)
    upper = special.stdtr(estimate.degrees, (estimate.value - margin) / estimate.error)
    return float(max(lower, upper))


def permutation_p(pair: Pair, *, seed: int = 0, flips: int = FLIPS) -> float | None:
    """Test the hypothesis of no gap on these looks, by giving the items' differences random signs."""
    differences = pair.differences[pair.differences != 0]
    if len(differences) < DIFFERENT_MIN:
        return None
    signs = np.random.default_rng(seed).integers(0, 2, size=(flips, len(differences)), dtype=np.int8) * 2 - 1
    sums = np.abs(signs @ differences)
    # The observed signs are one of the permutations, so p is never 0 (Phipson and Smyth, 2010). With the
    # slack, sums that differ only by rounding count as equal.
    extreme = np.count_nonzero(sums >= abs(differences.sum()) - 1e-9)
    return float((extreme + 1) / (flips + 1))


def mcnemar_p(pair: Pair) -> float | None:
    """Return the mid-p of McNemar's test (Fagerland et al., 2013).

    Returns None unless each item has one sample per arm and some items differ.
    """
    if not pair.is_single:
        return None
    better, worse = discordant(pair)
    if better + worse == 0:
        return None
    tail = stats.binom.cdf(min(better, worse), better + worse, 0.5)
    point = stats.binom.pmf(min(better, worse), better + worse, 0.5)
    return float(min(1.0, 2 * (tail - point / 2))) if better != worse else float(1 - point / 2)


def bootstrap(pair: Pair, *, alpha: float = 0.05, seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Estimate the gap's interval on these looks by a studentised bootstrap over items (Efron, 1981)."""
    value = float(pair.differences.mean())
    if reason := _why_silent(pair):
        return Estimate(value=value, items=len(pair.items), reason=reason)
    count, values = len(pair.items), pair.differences
    if np.ptp(values) < NOISE:
        return Estimate(value=value, items=count, reason=ALL_ALIKE)
    rng = np.random.default_rng(seed)
    parts = [_scores(values, rng, size) for size in _sizes(resamples, items=count)]
    scores = np.concatenate(parts)
    error = float(values.std(ddof=1) / np.sqrt(count))
    # The rule p (R + 1) keeps the nominal coverage even with few resamples (Davison and Hinkley, 1997).
    lowest, highest = np.quantile(scores, [alpha / 2, 1 - alpha / 2], method="weibull")
    low, high = max(-1.0, value - float(highest) * error), min(1.0, value - float(lowest) * error)
    return Estimate(value=value, low=low, high=high, items=count)


def _sizes(resamples: int, *, items: int) -> list[int]:
    """Return the sizes of the parts into which the resamples are split to fit into memory."""
    size = max(1, DRAWN_MAX // items)
    return [min(size, resamples - start) for start in range(0, resamples, size)]


def _scores(values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Return the studentised means of resamples, leaving out resamples without variance."""
    drawn = values[rng.integers(0, len(values), size=(resamples, len(values)), dtype=np.int32)]
    means = drawn.mean(axis=1)
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(len(values))
    mask = errors > 0
    return np.asarray((means - values.mean())[mask] / errors[mask], dtype=np.float64)


def discordant(pair: Pair) -> tuple[int, int]:
    """Count the items whose mean is higher in the first arm, and those where it is higher in the second."""
    return int((pair.differences > 0).sum()), int((pair.differences < 0).sum())


def _why_silent(pair: Pair) -> str:
    if len(pair.items) < ITEMS_MIN:
        return FEW_ITEMS
    different = int(np.count_nonzero(pair.differences))
    if not different:
        return NO_DIFFERENCE
    return FEW_DIFFERENT.format(DIFFERENT_MIN) if different < DIFFERENT_MIN else ""


def _spread(pair: Pair, *, scale_a: float, scale_b: float) -> Spread | None:
    """Return the spread of the difference between the two arms' means, each multiplied by its scale.

    The part of an item's difficulty that both arms share cancels out. It is subtracted from each sample
    first, so that it is not mistaken for an effect of looks.
    """
    offset_a, offset_b = pair.mean_a - pair.mean_a.mean(), pair.mean_b - pair.mean_b.mean()
    both = (offset_a + offset_b) / 2
    parts = []
    for arm, mean, scale in ((pair.a, pair.mean_a, scale_a), (pair.b, pair.mean_b, -scale_b)):
        places = np.searchsorted(pair.items, arm.item)
        common = both[places] if scale_a == scale_b else 0.0
        parts.append((arm.item, arm.look, scale * weights(arm) * (arm.correct - mean.mean() - common)))
    return spread_of(parts, items=len(pair.items))
