"""Simulated training with known truth, to test the transfer table.

The simulation measures the coverage of the table's intervals and the error rates of its tests.

Text and page are evaluated before and after training, on the same items in the same looks. The log-odds of a
right answer are those of the simulated evaluations (``validation.evaluations``). Training adds a gain to each
arm, a change to each item in each arm, and a change to each look's effect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import NO_LOOK, Answers, Codes, Estimate, Floats
from trajectories.reports.estimators.clusters import LOOKS_MIN
from trajectories.reports.training.differences import double_difference
from validation.evaluations import (
    CHUNK,
    Tally,
    below,
    covers,
    layout,
    mean_share,
    mean_share_in,
    recentred_p,
    share_of,
    tally_add,
)


@dataclass(frozen=True, kw_only=True)
class TransferRegime:
    """Parameters of simulated training; gains, ``gap`` and standard deviations are in log-odds.

    ``missing`` is the share of answers, right or wrong, that are void in each arm and at each checkpoint.
    """

    name: str
    items: int = 100
    samples: int = 4
    looks: int = 12
    base: float = 0.0
    gap: float = 1.0
    text_gain: float = 0.3
    page_gain: float = 0.8
    item_sd: float = 1.5
    arm_item_sd: float = 0.7
    change_sd: float = 0.5
    look_sd: float = 0.25
    look_change_sd: float = 0.15
    missing: float = 0.0

    @property
    def words(self) -> str:
        looks = f"{self.looks} looks" if self.looks else "no looks"
        text = (
            f"{self.items} items; samples per item: {self.samples}; {looks}; log-odds {self.base:g} as text "
            f"before training, {self.gap:g} lower as page; gains {self.text_gain:g} and {self.page_gain:g}; "
            f"standard deviations of log-odds: items {self.item_sd:g}, items within an arm "
            f"{self.arm_item_sd:g}, an item's change within an arm {self.change_sd:g}, looks "
            f"{self.look_sd:g}, their change {self.look_change_sd:g}"
        )
        return f"{text}; {self.missing:.0%} void." if self.missing else f"{text}."


TRANSFER_REGIMES = (
    TransferRegime(name="transfer, usual"),
    TransferRegime(name="transfer, few items", items=30),
    TransferRegime(name="transfer, many items", items=400),
    TransferRegime(name="transfer, one sample", samples=1, looks=0, look_sd=0.0, look_change_sd=0.0),
    TransferRegime(name="transfer, no look effects", look_sd=0.0, look_change_sd=0.0),
    TransferRegime(name="transfer, strong look effects", look_sd=0.6, look_change_sd=0.4),
    TransferRegime(name="transfer, eight looks", looks=8, samples=8),
    TransferRegime(name="transfer, 24 looks", looks=24),
    TransferRegime(name="transfer, three looks", looks=3, samples=3, look_sd=0.6, look_change_sd=0.4),
    TransferRegime(name="transfer, strong item effects", item_sd=3.0),
    TransferRegime(name="transfer, strong changes of items", change_sd=2.0),
    TransferRegime(name="transfer, items change alike", change_sd=0.0),
    TransferRegime(name="transfer, accuracy near 1", base=4.5, items=200),
    TransferRegime(name="transfer, accuracy near 0", base=-3.5, items=200),
    TransferRegime(name="transfer, a fifth is void", missing=0.2),
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """An arm's answers before and after training, and the true change in its accuracy."""

    before: Answers
    after: Answers
    truth: float

    @property
    def pair(self) -> gaps.Pair | None:
        return gaps.pair_of(self.after, self.before)


def transfers_simulate(regime: TransferRegime, seed: int) -> list[Tally]:
    """Simulate a chunk of trained policies, and tally every interval and test.

    The tests are tallied on simulations in which training changes nothing.
    """
    rng = np.random.default_rng(seed)
    null = replace(regime, text_gain=0.0, page_gain=0.0)
    tallies: dict[str, Tally] = {}
    for _ in range(CHUNK):
        for method, hit in _intervals(regime, rng).items():
            tally_add(tallies, method, hit)
        for method, alarm in _alarms(null, rng).items():
            tally_add(tallies, method, alarm)
    return list(tallies.values())


def _intervals(regime: TransferRegime, rng: np.random.Generator) -> Mapping[str, bool | None]:
    estimates = _estimates(regime, rng)
    return {f"{name}, interval": covers(estimate, truth) for name, (estimate, truth) in estimates.items()}


def _alarms(null: TransferRegime, rng: np.random.Generator) -> Mapping[str, bool | None]:
    estimates = _estimates(null, rng)
    return {name: below(recentred_p(estimate, truth)) for name, (estimate, truth) in estimates.items()}


def _estimates(regime: TransferRegime, rng: np.random.Generator) -> Mapping[str, tuple[Estimate, float]]:
    """Return the estimate and the truth of each quantity in the table."""
    text, page = changes_draw(regime, rng)
    pairs = text.pair, page.pair
    if pairs[0] is None or pairs[1] is None:
        return {}
    return {
        "change of text": (gaps.gap(pairs[0]), text.truth),
        "change of page": (gaps.gap(pairs[1]), page.truth),
        "beyond text": (double_difference(pairs[1], pairs[0]), page.truth - text.truth),
    }


def changes_draw(regime: TransferRegime, rng: np.random.Generator) -> tuple[Change, Change]:
    """Draw the changes of text and page.

    If there are too few looks to generalise to others, the truth refers to the looks drawn.
    """
    ease = rng.normal(0, regime.item_sd, regime.items)
    looks = rng.normal(0, regime.look_sd, max(regime.looks, 1))
    moved = looks + rng.normal(0, regime.look_change_sd, max(regime.looks, 1))
    none = np.zeros(1)
    text = _change_draw(regime, rng, ease, (none, none), centre=regime.base, gain=regime.text_gain)
    page = _change_draw(
        regime, rng, ease, (looks, moved), centre=regime.base - regime.gap, gain=regime.page_gain
    )
    return text, page


def _change_draw(
    regime: TransferRegime,
    rng: np.random.Generator,
    ease: Floats,
    looks: tuple[Floats, Floats],
    *,
    centre: float,
    gain: float,
) -> Change:
    """Draw one arm's change; ``looks`` has the effects of its looks before and after training."""
    item, look = layout(items=regime.items, samples=regime.samples, looks=len(looks[0]))
    own = ease + rng.normal(0, regime.arm_item_sd, regime.items)
    logits = centre + own[item] + looks[0][look]
    changed = centre + gain + (own + rng.normal(0, regime.change_sd, regime.items))[item] + looks[1][look]
    shown = look if len(looks[0]) > 1 else np.full(len(item), NO_LOOK)
    sd = math.hypot(regime.item_sd, regime.arm_item_sd)
    before = _truth(regime, centre, sd, looks[0], regime.look_sd)
    spread = math.hypot(regime.look_sd, regime.look_change_sd)
    after = _truth(regime, centre + gain, math.hypot(sd, regime.change_sd), looks[1], spread)
    return Change(
        before=_answers(regime, rng, item, shown, logits),
        after=_answers(regime, rng, item, shown, changed),
        truth=after - before,
    )


def _truth(regime: TransferRegime, centre: float, sd: float, looks: Floats, look_sd: float) -> float:
    if len(looks) < LOOKS_MIN:
        return mean_share_in(looks, centre, sd)
    return mean_share(centre, math.hypot(sd, look_sd))


def _answers(
    regime: TransferRegime, rng: np.random.Generator, item: Codes, look: Codes, logits: Floats
) -> Answers:
    right = (rng.random(len(item)) < share_of(logits)).astype(np.float64)
    judged = rng.random(len(item)) >= regime.missing
    return Answers(item=item[judged], look=look[judged], correct=right[judged])
