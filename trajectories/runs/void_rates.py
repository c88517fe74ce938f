"""How many of the latest episodes ended void by a failure of ours: by run, policy version, task and reason.

The run page and the metrics read the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from core.intervals import wilson
from core.reasons import HARMLESS_VOIDS
from core.sql import Statement

K = TypeVar("K", bound=Hashable)

# A bound on what one call reads, however long the history.
LATEST = 10_000
_OF_A_RUN = Statement(
    __file__,
    "void_counts",
    latest="SELECT episode_id FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NOT NULL"
    " ORDER BY run_seq DESC LIMIT %(latest)s",
)
_OF_ALL = Statement(
    __file__,
    "void_counts",
    latest="SELECT episode_id FROM trajectories_verdict WHERE run_seq IS NOT NULL"
    " ORDER BY created_at DESC, episode_id DESC LIMIT %(latest)s",
)


class EndedCount(NamedTuple):
    """Ended episodes that share all of these values; ``reason`` is empty for those that were judged."""

    run: int
    policy_version: int | None
    task: int
    reason: str
    episodes: int


@dataclass(frozen=True, kw_only=True)
class VoidRate:
    """``void`` of ``ended`` episodes. Cancelled and unused ones are not among them."""

    void: int
    ended: int

    @property
    def share(self) -> float:
        return self.void / self.ended if self.ended else 0.0

    def interval(self, *, comparisons: int = 1) -> tuple[float, float]:
        """The 95% Wilson interval of the share; with several comparisons, all of them hold with 95%."""
        return wilson(share=self.share, n=self.ended, comparisons=comparisons)

    @property
    def low(self) -> float:
        return self.interval()[0]

    @property
    def high(self) -> float:
        return self.interval()[1]

    def without(self, part: VoidRate) -> VoidRate:
        return VoidRate(void=self.void - part.void, ended=self.ended - part.ended)


@dataclass(frozen=True)
class VoidRates:
    """The rates of the episodes that were read, by whatever a caller needs."""

    counts: Sequence[EndedCount]

    @property
    def total(self) -> VoidRate:
        return self._by(lambda _: None).get(None, VoidRate(void=0, ended=0))

    @property
    def by_run(self) -> dict[int, VoidRate]:
        return self._by(lambda count: count.run)

    @property
    def by_policy_version(self) -> dict[tuple[int, int | None], VoidRate]:
        """By run and version, for versions are numbered by run."""
        return self._by(lambda count: (count.run, count.policy_version))

    @property
    def by_task(self) -> dict[int, VoidRate]:
        return self._by(lambda count: count.task)

    @property
    def by_reason(self) -> dict[str, VoidRate]:
        """The rate of each reason that occurs, among all episodes that ended."""
        ended = sum(count.episodes for count in self.counts)
        voids: Counter[str] = Counter()
        for count in self.counts:
            if count.reason:
                voids[count.reason] += count.episodes
        return {reason: VoidRate(void=void, ended=ended) for reason, void in voids.most_common()}

    def _by(self, key: Callable[[EndedCount], K]) -> dict[K, VoidRate]:
        ended: Counter[K] = Counter()
        voids: Counter[K] = Counter()
        for count in self.counts:
            ended[key(count)] += count.episodes
            voids[key(count)] += count.episodes if count.reason else 0
        return {name: VoidRate(void=voids[name], ended=number) for name, number in ended.items()}


def rates_ranked(rates: Mapping[K, VoidRate]) -> list[tuple[K, VoidRate]]:
    """Those with voids, the highest first."""
    with_voids = [(key, rate) for key, rate in rates.items() if rate.void]
    return sorted(with_voids, key=lambda item: (-item[1].share, -item[1].void))


def void_rates(*, run_id: int | None = None, latest: int = LATEST) -> VoidRates:
    """The void rates of the ``latest`` episodes that ended, of one run or of all."""
    harmless = list(HARMLESS_VOIDS)
    if run_id is None:
        rows = _OF_ALL.rows(latest=latest, harmless=harmless)
    else:
        rows = _OF_A_RUN.rows(run=run_id, latest=latest, harmless=harmless)
    return VoidRates([EndedCount(*row) for row in rows])
