"""Simulated evaluations with known truth, to measure the coverage of the report's intervals and its error
rates.

The log-odds of a right answer are the sum of the arm's log-odds, the item's effect, the item's effect in this
arm and the look's effect. The truth is the mean over all items and looks that could have been drawn, computed
by Gauss-Hermite quadrature. For methods that only make claims about the looks that were drawn, it is the mean
over items on these looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from scipy import special

from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.accuracy import accuracy, pass_at
from trajectories.reports.estimators.answers import NO_LOOK, Answers, Codes, Estimate, Floats
from trajectories.reports.estimators.clusters import LOOKS_MIN
from trajectories.reports.estimators.gaps import Pair
from trajectories.reports.estimators.looks import factor_levels

NODES, _weights = np.polynomial.hermite_e.hermegauss(61)
SHARES = _weights / _weights.sum()
FLIPS = 199
RESAMPLES = 299
# Number of evaluations that one process simulates at a time.
CHUNK = 100
ALPHA = 0.05
FACTOR = "factor"
R = TypeVar("R", bound="Named")
# A mixed model takes longer than everything else, so it is only fitted to every fifth evaluation.
FACTOR_EVERY = 5


@dataclass(frozen=True, kw_only=True)
class Regime:
    """Parameters of simulated evaluations; ``gap`` and the standard deviations are in log-odds.

    ``void_wrong`` and ``void_right`` are the probabilities that a wrong or right answer on a page ends void.
    With ``has_factor``, a factor of the looks that has no effect is tested as well.
    """

    name: str
    items: int = 100
    samples: int = 4
    looks: int = 12
    base: float = 0.5
    gap: float = 1.0
    item_sd: float = 1.5
    arm_item_sd: float = 0.7
    look_sd: float = 0.25
    void_wrong: float = 0.0
    void_right: float = 0.0
    has_factor: bool = False


REGIMES = (
    Regime(name="usual", has_factor=True),
    Regime(name="few items", items=30),
    Regime(name="many items", items=400),
    Regime(name="one sample", samples=1, looks=0, look_sd=0.0),
    Regime(name="no look effects", look_sd=0.0),
    Regime(name="strong look effects", look_sd=0.6, has_factor=True),
    Regime(name="eight looks", looks=8, samples=8),
    Regime(name="24 looks", looks=24, samples=4),
    Regime(name="three looks", looks=3, samples=3, look_sd=0.6),
    Regime(name="strong item effects", item_sd=3.0),
    Regime(name="strong arm-by-item effects", arm_item_sd=2.0),
    Regime(name="accuracy near 1", base=5.0, items=200),
    Regime(name="accuracy near 0", base=-4.0, items=200),
    Regime(name="zero cells", base=6.0, items=40, item_sd=0.8, arm_item_sd=0.3),
    Regime(name="void depends on correctness", void_wrong=0.15, void_right=0.03),
)


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A simulated evaluation with its truth.

    ``truth_text`` and ``truth_page`` are the accuracies over all looks, ``truth_these`` is the page's on the
    looks drawn, and ``truth_pass`` is the text's pass@2.
    """

    text: Answers
    page: Answers
    void_page: Codes
    truth_text: float
    truth_page: float
    truth_these: float
    truth_pass: float


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts for one method: how often it gave a result or none, and its hits.

    A hit is an interval that covers the truth, or a test that raises a (false) alarm.
    """

    method: str
    hits: int = 0
    spoken: int = 0
    silent: int = 0

    def plus(self, other: Tally | None) -> Tally:
        if other is None:
            return self
        return replace(
            self,
            hits=self.hits + other.hits,
            spoken=self.spoken + other.spoken,
            silent=self.silent + other.silent,
        )

    @property
    def share(self) -> float | None:
        return self.hits / self.spoken if self.spoken else None

    @property
    def error(self) -> float | None:
        """The simulation's standard error of ``share``."""
        share = self.share
        return None if share is None else math.sqrt(max(share * (1 - share), 1e-4) / self.spoken)


class Named(Protocol):
    """A regime of any kind of simulation."""

    @property
    def name(self) -> str: ...


def simulate(
    regime: R, chunk: Callable[[R, int], list[Tally]], *, replicates: int, seed: int, pool: Executor
) -> Iterable[Tally]:
    """Simulate coverage and false alarms for ``replicates`` evaluations, rounded up to whole chunks.

    ``chunk`` simulates ``CHUNK`` evaluations of a regime from a seed.
    """
    seeds = np.random.SeedSequence([seed, *regime.name.encode()]).generate_state(-(-replicates // CHUNK))
    tallies: dict[str, Tally] = {}
    for part in pool.map(partial(chunk, regime), map(int, seeds)):
        for tally in part:
            tallies[tally.method] = tally.plus(tallies.get(tally.method))
    return tallies.values()


def evaluations_simulate(regime: Regime, seed: int) -> list[Tally]:
    """Simulate one chunk of evaluations."""
    return [
        *coverage(regime, replicates=CHUNK, seed=seed),
        *false_alarms(regime, replicates=CHUNK, seed=seed + 1),
    ]


def coverage(regime: Regime, *, replicates: int, seed: int) -> list[Tally]:
    """Count how often each interval covers the truth."""
    rng = np.random.default_rng(seed)
    tallies: dict[str, Tally] = {}
    for _ in range(replicates):
        for method, hit in _intervals(draw(regime, rng)).items():
            tally_add(tallies, method, hit)
    return list(tallies.values())


def false_alarms(regime: Regime, *, replicates: int, seed: int) -> list[Tally]:
    """Count how often each test raises a false alarm.

    Tests of no gap see data without a gap; tests of equivalence see a gap equal to the margin. Tests that
    only apply to the looks drawn see looks without effect, because with effects equal log-odds would not mean
    equal shares.
    """
    rng = np.random.default_rng(seed)
    null = replace(regime, gap=0.0)
    even = replace(null, look_sd=0.0)
    tallies: dict[str, Tally] = {}
    for number in range(replicates):
        drawn = draw(null, rng)
        for method, alarm in _alarms(drawn, draw(even, rng), draw(regime, rng)).items():
            tally_add(tallies, method, alarm)
        if regime.has_factor and number % FACTOR_EVERY == 0:
            tally_add(tallies, "factor", below(_factor_p(drawn.page)))
    return list(tallies.values())


def layout(*, items: int, samples: int, looks: int) -> tuple[Codes, Codes]:
    """Return the item and the look of each answer; an item's samples cycle through the looks."""
    item = np.repeat(np.arange(items), samples)
    sample = np.tile(np.arange(samples), items)
    return item, (sample + item) % looks


def draw(regime: Regime, rng: np.random.Generator) -> Draw:
    """Draw paired outcomes; only the page arm has a look effect."""
    ease = rng.normal(0, regime.item_sd, regime.items)
    looks = rng.normal(0, regime.look_sd, max(regime.looks, 1))
    item, look = layout(items=regime.items, samples=regime.samples, looks=len(looks))
    logits = {
        "text": regime.base + (ease + rng.normal(0, regime.arm_item_sd, regime.items))[item],
        "page": regime.base
        - regime.gap
        + (ease + rng.normal(0, regime.arm_item_sd, regime.items))[item]
        + looks[look],
    }
    right = {arm: rng.random(len(item)) < share_of(values) for arm, values in logits.items()}
    void = rng.random(len(item)) < np.where(right["page"], regime.void_right, regime.void_wrong)
    shown = look if regime.looks else np.full(len(item), NO_LOOK)
    ease_sd = math.hypot(regime.item_sd, regime.arm_item_sd)
    return Draw(
        text=Answers(item=item, look=np.full(len(item), NO_LOOK), correct=right["text"].astype(np.float64)),
        page=Answers(item=item[~void], look=shown[~void], correct=right["page"][~void].astype(np.float64)),
        void_page=item[void],
        truth_text=mean_share(regime.base, ease_sd),
        truth_page=mean_share(regime.base - regime.gap, math.hypot(ease_sd, regime.look_sd)),
        truth_these=mean_share_in(looks, regime.base - regime.gap, ease_sd),
        truth_pass=_pass_2(regime.base, ease_sd),
    )


def _intervals(drawn: Draw) -> Mapping[str, bool | None]:
    """Return, for each method, whether its interval covers the truth; None if it gives no interval."""
    pair = gaps.pair_of(drawn.text, drawn.page)
    if pair is None:
        return {}
    gap = drawn.truth_text - drawn.truth_page
    these = drawn.truth_text - drawn.truth_these
    odds = _odds(drawn.truth_text) / _odds(drawn.truth_page)
    is_these = 0 < pair.looks < LOOKS_MIN
    page = accuracy(drawn.page)
    results = {
        "accuracy, text": covers(accuracy(drawn.text), drawn.truth_text),
        "accuracy, page": covers(page, drawn.truth_these if is_these else drawn.truth_page),
        "gap": covers(gaps.gap(pair), these if is_these else gap),
        "bootstrap": covers(gaps.bootstrap(pair, resamples=RESAMPLES), these),
    }
    if not pair.is_single:
        results["pass@2"] = covers(pass_at(2, drawn.text), drawn.truth_pass)
    if not is_these:
        results["odds ratio"] = covers(gaps.odds_ratio(pair), odds)
    return {**results, **_void_cover(drawn, gap)}


def _void_cover(drawn: Draw, gap: float) -> Mapping[str, bool | None]:
    """Return whether the gap's interval, widened to both void bounds, covers the truth."""
    if not len(drawn.void_page):
        return {}
    ends = []
    for outcome in (1.0, 0.0):
        filled = Answers(
            item=np.concatenate([drawn.page.item, drawn.void_page]),
            look=np.concatenate([drawn.page.look, np.full(len(drawn.void_page), NO_LOOK)]),
            correct=np.concatenate([drawn.page.correct, np.full(len(drawn.void_page), outcome)]),
        )
        pair = gaps.pair_of(drawn.text, filled)
        ends.append(gaps.gap(pair) if pair else None)
    low, high = ends
    if not low or not high or low.low is None or high.high is None:
        return {"gap at both void bounds": None}
    return {"gap at both void bounds": low.low <= gap <= high.high}


def _alarms(null: Draw, even: Draw, real: Draw) -> Mapping[str, bool | None]:
    pair, on_these, other = (gaps.pair_of(drawn.text, drawn.page) for drawn in (null, even, real))
    if pair is None or on_these is None or other is None:
        return {}
    results = {
        "t": below(recentred_p(gaps.gap(pair), null.truth_text - _page_truth(pair, null))),
        "equivalence": below(
            gaps.equivalence_p(gaps.gap(other), margin=abs(real.truth_text - _page_truth(other, real)))
        ),
        "permutation": below(gaps.permutation_p(on_these, flips=FLIPS)),
    }
    if on_these.is_single:
        results["McNemar"] = below(gaps.mcnemar_p(on_these))
    return results


def _factor_p(page: Answers) -> float | None:
    """Return the p-value of one value of a three-valued factor, assigned in turn to randomly drawn looks."""
    looks = {int(code): {FACTOR: int(code) % 3} for code in np.unique(page.look)}
    _, level, _ = factor_levels(page, looks, references={FACTOR: 0}, alpha=ALPHA)
    return level.effect.p


def recentred_p(estimate: Estimate, true: float) -> float | None:
    """Test against the true difference instead of 0, since equal log-odds may mean unequal accuracies."""
    if estimate.value is None or not estimate.error or estimate.degrees is None:
        return None
    return float(2 * special.stdtr(estimate.degrees, -abs(estimate.value - true) / estimate.error))


def _page_truth(pair: Pair, drawn: Draw) -> float:
    return drawn.truth_these if 0 < pair.looks < LOOKS_MIN else drawn.truth_page


def covers(estimate: object, truth: float) -> bool | None:
    """Return whether an estimate's interval covers the truth, or None if it has no interval."""
    low, high = getattr(estimate, "low", None), getattr(estimate, "high", None)
    return None if low is None or high is None else bool(low <= truth <= high)


def below(p: float | None) -> bool | None:
    """Return whether a test's p-value raises an alarm, or None if it has no p-value."""
    return None if p is None else p <= ALPHA


def tally_add(tallies: dict[str, Tally], method: str, hit: bool | None) -> None:
    """Count one evaluation's result for a method; a ``hit`` of None means that it gave none."""
    tally = tallies.get(method) or Tally(method=method)
    if hit is None:
        tallies[method] = replace(tally, silent=tally.silent + 1)
    else:
        tallies[method] = replace(tally, hits=tally.hits + hit, spoken=tally.spoken + 1)


def mean_share(centre: float, sd: float) -> float:
    """Return the mean share of right answers if their log-odds are normally distributed."""
    return float((SHARES * share_of(centre + sd * NODES)).sum())


def mean_share_in(looks: Floats, centre: float, sd: float) -> float:
    """Return the mean share of right answers over looks with these effects."""
    return float(np.mean([mean_share(centre + effect, sd) for effect in looks]))


def _pass_2(centre: float, sd: float) -> float:
    """Return the mean over items of the probability that at least one of two samples is right."""
    return float((SHARES * (1 - (1 - share_of(centre + sd * NODES)) ** 2)).sum())


def share_of(logits: Floats) -> Floats:
    """Convert log-odds to the probability of a right answer."""
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float64)


def _odds(share: float) -> float:
    return share / (1 - share)
