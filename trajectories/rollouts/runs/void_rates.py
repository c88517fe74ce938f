"""Rates of episodes that ended void by a failure of ours, by run, policy version, task and reason.

The rates of one run come from its sums, except those of tasks, which are counted in its latest episodes. The
rates of all runs come from the latest episodes of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from core.database.sql import Statement
from core.statistics import wilson
from palaestra.protocol.end_reasons import HARMLESS_VOIDS

K = TypeVar("K", bound=Hashable)

# These bound what one call reads, however long the history: the first for all runs, the second for the tasks
# of one.
LATEST = 10_000
LATEST_OF_A_RUN = 2_000
_SUMS = Statement(__file__, "void_sums")
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
# Fewer void episodes than this count as accidents.
VOIDS_MIN = 3


class EndedCount(NamedTuple):
    """The number of ended episodes that share all of these values.

    ``reason`` is empty for judged episodes; ``task`` is None if the count covers all tasks.
    """

    run: int
    policy_version: int | None
    task: int | None
    reason: str
    episodes: int


@dataclass(frozen=True, kw_only=True)
class VoidRate:
    """The rate of void episodes: ``void`` of ``ended``. Cancelled and unused episodes count in neither."""

    void: int
    ended: int

    @property
    def share(self) -> float:
        return self.void / self.ended if self.ended else 0.0

    def interval(self, *, comparisons: int = 1) -> tuple[float, float]:
        """Return the 95% Wilson interval of the share.

        With several comparisons the intervals are wider, so that all of them hold together with 95%
        confidence.
        """
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
    """Void rates in several groupings.

    Rates of tasks use ``of_tasks`` if given, because ``counts`` may not separate tasks. ``withdrawn`` are
    cancelled and unused episodes, which are nobody's fault and count in none of the other rates.
    """

    counts: Sequence[EndedCount]
    of_tasks: Sequence[EndedCount] | None = None
    withdrawn: Sequence[EndedCount] = ()

    @property
    def total(self) -> VoidRate:
        return _total(self.counts)

    @property
    def total_of_tasks(self) -> VoidRate:
        """The rate over the episodes that ``by_task`` counts."""
        return _total(self._task_counts)

    @property
    def by_run(self) -> dict[int, VoidRate]:
        return _by(lambda count: count.run, self.counts)

    @property
    def by_policy_version(self) -> dict[tuple[int, int | None], VoidRate]:
        """The rates by run and version, with the run as each run numbers its own versions."""
        return _by(lambda count: (count.run, count.policy_version), self.counts)

    @property
    def by_task(self) -> dict[int, VoidRate]:
        rates = _by(lambda count: count.task, self._task_counts)
        return {task: rate for task, rate in rates.items() if task is not None}

    @property
    def _task_counts(self) -> Sequence[EndedCount]:
        return self.counts if self.of_tasks is None else self.of_tasks

    @property
    def by_reason(self) -> dict[str, VoidRate]:
        """The rate of each reason that occurs, among all ended episodes."""
        return _by_reason(self.counts, among=self.counts)

    @property
    def by_withdrawal(self) -> dict[str, VoidRate]:
        """The shares of cancelled and of unused episodes among all ended episodes, including these."""
        return _by_reason(self.withdrawn, among=[*self.counts, *self.withdrawn])


def _by_reason(counts: Sequence[EndedCount], *, among: Sequence[EndedCount]) -> dict[str, VoidRate]:
    ended = sum(count.episodes for count in among)
    voids: Counter[str] = Counter()
    for count in counts:
        if count.reason:
            voids[count.reason] += count.episodes
    return {reason: VoidRate(void=void, ended=ended) for reason, void in voids.most_common()}


def _total(counts: Sequence[EndedCount]) -> VoidRate:
    return _by(lambda _: None, counts).get(None, VoidRate(void=0, ended=0))


def _by(key: Callable[[EndedCount], K], counts: Sequence[EndedCount]) -> dict[K, VoidRate]:
    ended: Counter[K] = Counter()
    voids: Counter[K] = Counter()
    for count in counts:
        ended[key(count)] += count.episodes
        voids[key(count)] += count.episodes if count.reason else 0
    return {name: VoidRate(void=voids[name], ended=number) for name, number in ended.items()}


def rank_rates(rates: Mapping[K, VoidRate]) -> list[tuple[K, VoidRate]]:
    """Return the rates that have void episodes, highest first."""
    with_voids = [(key, rate) for key, rate in rates.items() if rate.void]
    return sorted(with_voids, key=lambda item: (-item[1].share, -item[1].void))


def void_rates(*, run_id: int | None = None, latest: int | None = None) -> VoidRates:
    """Return the void rates of one run, or of the latest episodes of all runs.

    The rates of a run's tasks are over its ``latest`` episodes.
    """
    if run_id is None:
        counts, withdrawn = _apart(EndedCount(*row) for row in _OF_ALL.rows(latest=latest or LATEST))
        return VoidRates(counts, withdrawn=withdrawn)
    counts, withdrawn = _apart(
        EndedCount(run, version, None, reason, count)
        for run, version, reason, count in _SUMS.rows(run=run_id)
    )
    rows = _OF_A_RUN.rows(run=run_id, latest=latest or LATEST_OF_A_RUN)
    of_tasks, _ = _apart(EndedCount(*row) for row in rows)
    return VoidRates(counts, of_tasks=of_tasks, withdrawn=withdrawn)


def _apart(counts: Iterable[EndedCount]) -> tuple[list[EndedCount], list[EndedCount]]:
    """Split the counts into those that matter and those that are nobody's fault."""
    both: tuple[list[EndedCount], list[EndedCount]] = ([], [])
    for count in counts:
        both[count.reason in HARMLESS_VOIDS].append(count)
    return both


@dataclass(frozen=True, kw_only=True)
class VoidAlarm:
    """An unusual rate.

    ``key`` is the policy version (None: none was given) or the task; for the run it is None. ``rest`` is the
    rate of all others, which this rate clearly exceeds; None if the rate is only too high by itself.
    """

    kind: Literal["run", "policy_version", "task"]
    key: int | None
    rate: VoidRate
    rest: VoidRate | None = None


def void_alarms(rates: VoidRates, *, share_max: float) -> list[VoidAlarm]:
    """Return the unusual void rates of one run: the run, then versions, then tasks; highest rates first.

    A run is unusual above ``share_max`` with 95% confidence. A policy version is unusual above the same
    limit, or above all other versions together. A task must be above both, because a failure of everything
    says nothing about a task. Intervals allow for the number of comparisons.
    """
    total, versions = rates.total, rates.by_policy_version
    tasks, total_of_tasks = rates.by_task, rates.total_of_tasks
    alarms = [VoidAlarm(kind="run", key=None, rate=total)] if _is_above(total, share_max) else []
    for (_, version), rate in rank_rates(versions):
        rest = _rest_below(rate, total, comparisons=len(versions))
        if rest or _is_above(rate, share_max, comparisons=len(versions)):
            alarms.append(VoidAlarm(kind="policy_version", key=version, rate=rate, rest=rest))
    for task, rate in rank_rates(tasks):
        rest = _rest_below(rate, total_of_tasks, comparisons=len(tasks))
        if rest and _is_above(rate, share_max, comparisons=len(tasks)):
            alarms.append(VoidAlarm(kind="task", key=task, rate=rate, rest=rest))
    return alarms


def _is_above(rate: VoidRate, share_max: float, *, comparisons: int = 1) -> bool:
    return rate.void >= VOIDS_MIN and rate.interval(comparisons=comparisons)[0] > share_max


def _rest_below(rate: VoidRate, total: VoidRate, *, comparisons: int) -> VoidRate | None:
    """Return the rate of all others if ``rate`` exceeds it by more than chance, else None."""
    rest = total.without(rate)
    low, _ = rate.interval(comparisons=comparisons)
    _, high = rest.interval(comparisons=comparisons)
    return rest if rate.void >= VOIDS_MIN and low > high else None
