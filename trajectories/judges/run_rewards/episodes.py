"""Payments for a run's newest ended episodes under one or two profiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palaestra.protocol.outcomes import JUDGED
from trajectories.models import Episode, Verdict
from trajectories.rewards.profiles.store import Named
from trajectories.rewards.profiles.types import Payment
from trajectories.rewards.selectors import compute_payments

DIGITS = 9
EPISODES_MAX = 5_000
BATCH = 500
MOVERS_MAX = 10


@dataclass(frozen=True)
class Mean:
    """A mean of ``count`` values; ``value`` is None if there are none."""

    value: float | None
    count: int


@dataclass(frozen=True)
class Pairs:
    """Counts of pairs of a right and a wrong episode.

    ``inverted`` counts the pairs in which the wrong episode is paid more, ``tied`` those paid the same.
    """

    count: int = 0
    inverted: int = 0
    tied: int = 0

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.count + other.count, self.inverted + other.inverted, self.tied + other.tied)


def mean_of(values: Sequence[float | None]) -> Mean:
    """Return the mean of the known values, and their number."""
    known = [value for value in values if value is not None]
    return Mean(float(np.mean(known)) if known else None, len(known))


def rank_values(payments: ArrayLike) -> NDArray[np.float64]:
    """Rank the payments from 1, the highest; equal payments share the mean of their ranks."""
    values = -_rounded(payments)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return Spearman's rank correlation, with mean ranks for ties.

    Returns None if either side pays all episodes the same, or if there are fewer than two episodes.
    """
    ranks = [rank_values(payments) for payments in (first, second)]
    if any(len(rank) < 2 or rank.min() == rank.max() for rank in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def pairs_of(right: ArrayLike, wrong: ArrayLike) -> Pairs:
    """Compare every right episode with every wrong one, and count all, inverted and tied pairs."""
    below, above = np.sort(_rounded(right)), _rounded(wrong)
    lower = np.searchsorted(below, above, side="left")
    not_higher = np.searchsorted(below, above, side="right")
    return Pairs(len(below) * len(above), int(lower.sum()), int((not_higher - lower).sum()))


def _rounded(payments: ArrayLike) -> NDArray[np.float64]:
    rounded: NDArray[np.float64] = np.asarray(payments, dtype=np.float64).round(DIGITS)
    return rounded


@dataclass(frozen=True, kw_only=True)
class Paid:
    """An ended episode, with its ``payments`` in the order of the profiles."""

    episode: int
    group: int
    version: int | None
    outcome: str
    payments: Sequence[Payment]

    def total(self, place: int) -> float | None:
        return self.payments[place].total


@dataclass(frozen=True, kw_only=True)
class Move:
    """An episode's totals and ranks under two profiles, 1 for what is paid most."""

    paid: Paid
    ranks: tuple[float, float]

    @property
    def gain(self) -> float:
        return self.ranks[0] - self.ranks[1]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Totals of one profile's payments.

    Void episodes have none; neither have ``unknown`` others, because a component could not be computed.
    """

    mean: Mean
    void: int
    unknown: int
    pairs: Pairs
    pairs_in_groups: Pairs

    @property
    def all_pairs(self) -> tuple[Pairs, Pairs]:
        return self.pairs, self.pairs_in_groups


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two profiles compared over the episodes that both pay; ``correlation`` is None if it is undefined."""

    episodes: int
    correlation: float | None
    gains: Sequence[Move]
    losses: Sequence[Move]


@dataclass(frozen=True, kw_only=True)
class VersionRow:
    """A policy version's mean total, and the mean of each term over the episodes to which it applies."""

    version: int | None
    total: Mean
    terms: Sequence[Mean]

    @property
    def means(self) -> list[Mean]:
        return [self.total, *self.terms]


def paid_read(*, run_id: int, named: Sequence[Named], benchmark: str = "") -> tuple[list[Paid], bool]:
    """Return ended episodes with their payments, newest first, and whether older ones were left out."""
    ended = Episode.objects.filter(run_id=run_id, verdict__isnull=False).order_by("-pk")
    if benchmark:
        ended = ended.filter(task__benchmark_id=benchmark)
    columns = ("pk", "group_id", "policy_version", "verdict__outcome")
    rows = list(ended.values_list(*columns)[: EPISODES_MAX + 1])
    paid: list[Paid] = []
    for start in range(0, min(len(rows), EPISODES_MAX), BATCH):
        batch = rows[start : min(start + BATCH, EPISODES_MAX)]
        payments = compute_payments([row[0] for row in batch], named=named)
        paid += [
            Paid(episode=one, group=group, version=version, outcome=outcome, payments=payments[one])
            for one, group, version, outcome in batch
        ]
    return paid, len(rows) > EPISODES_MAX


def totals_of(paid: Sequence[Paid], place: int) -> Totals:
    """Return the totals under the profile at this position."""
    by_group: dict[int, list[Paid]] = defaultdict(list)
    for one in paid:
        by_group[one.group].append(one)
    void = sum(one.outcome == Verdict.Outcome.VOID for one in paid)
    mean = mean_of([one.total(place) for one in paid])
    return Totals(
        mean=mean,
        void=void,
        unknown=len(paid) - void - mean.count,
        pairs=_pairs(paid, place),
        pairs_in_groups=sum((_pairs(group, place) for group in by_group.values()), Pairs()),
    )


def _pairs(paid: Iterable[Paid], place: int) -> Pairs:
    known = [(one.outcome, total) for one in paid if (total := one.total(place)) is not None]
    right, wrong = ([total for outcome, total in known if outcome == which] for which in JUDGED)
    return pairs_of(right, wrong)


def versions_of(paid: Sequence[Paid], terms: Sequence[str], place: int) -> list[VersionRow]:
    """Return a row for each version, newest first; episodes without a version form the last row."""
    by_version: dict[int | None, list[Paid]] = defaultdict(list)
    for one in paid:
        by_version[one.version].append(one)
    newest = sorted(by_version, key=lambda version: -1 if version is None else version, reverse=True)
    return [version_row(version, by_version[version], terms, place) for version in newest]


def version_row(version: int | None, paid: Sequence[Paid], terms: Sequence[str], place: int) -> VersionRow:
    return VersionRow(
        version=version,
        total=mean_of([one.total(place) for one in paid]),
        terms=[mean_of([one.payments[place].terms.get(term) for one in paid]) for term in terms],
    )


def comparison_of(paid: Sequence[Paid]) -> Comparison:
    """Compare the payments under the first profile with those under the second."""
    both = [one for one in paid if None not in (one.total(0), one.total(1))]
    totals = [[one.total(place) or 0.0 for one in both] for place in (0, 1)]
    ranks = zip(*(rank_values(one).tolist() for one in totals), strict=True)
    moves = [Move(paid=one, ranks=pair) for one, pair in zip(both, ranks, strict=True)]
    moves.sort(key=lambda move: (-move.gain, move.paid.episode))
    return Comparison(
        episodes=len(both),
        correlation=rank_correlation(*totals),
        gains=[move for move in moves[:MOVERS_MAX] if move.gain > 0],
        losses=[move for move in moves[::-1][:MOVERS_MAX] if move.gain < 0],
    )
