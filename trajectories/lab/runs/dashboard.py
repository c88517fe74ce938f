"""What goes on in a run, for all who look at it: read at most once a second in each process.

All that its page tells of episodes is of one moment, so that no table says what another denies; tables that
count all of a long run are of an earlier one.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic

from trajectories.lab.queries import episodes
from trajectories.lab.queries.tallies import Tally
from trajectories.lab.runs import dashboard_selectors as reads
from trajectories.lab.runs import selectors
from trajectories.lab.runs.behaviour import BehaviourTable, behaviour_table
from trajectories.lab.runs.reward_plot import Plot, reward_plot
from trajectories.lab.runs.running_counts import PACE_S, Ending, Fold
from trajectories.models import Episode, PolicyVersion
from trajectories.reports import behaviour, twins
from trajectories.reports.statistics import Rate

FRESH_S = 1.0
# Looking takes at most a fifth of one thread's time, however much there is to count. Tables that rest take as
# much again.
REST_TIMES = 5.0
# What is read faster than this is read with each look.
CHEAP_S = 0.05
RUNS_KEPT = 16
SEEN_CHARS = 16
# How often a page looks by itself: the pace falls while nothing happens.
ACTIVE_EVERY_MS, IDLE_EVERY_MS = 3_000, 15_000


@dataclass(frozen=True, kw_only=True)
class Tables:
    """What takes a count of all of a run's episodes each time."""

    behaviour: BehaviourTable | None
    twins: Sequence[twins.TwinTally]


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """``unversioned`` is the reward of episodes without a policy version; ``last_at`` the newest verdict."""

    open: int
    submitted: int
    correct: int
    incorrect: int
    void: int
    void_reasons: Sequence[tuple[str, int]]
    guided: int
    verdicts_per_minute: float
    stepping: reads.Stepping
    plot: Plot | None
    unversioned: Rate | None
    last_at: datetime | None
    arms: Mapping[str, Tally]
    endings: Sequence[Ending]
    page: episodes.EpisodePage
    policy_versions: Sequence[PolicyVersion]
    tables: Tables
    mark: reads.Mark

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect

    @property
    def steps_per_s(self) -> float:
        return self.stepping.steps / reads.STEPS_WINDOW_S

    @property
    def is_active(self) -> bool:
        return self.open + self.submitted > 0

    @property
    def state(self) -> str:
        return "active" if self.is_active else "idle"

    @property
    def every_ms(self) -> int:
        return ACTIVE_EVERY_MS if self.is_active else IDLE_EVERY_MS

    @property
    def seen(self) -> str:
        """Differs when anything that is shown does."""
        shown = (
            self.mark.verdicts,
            self.mark.rejudged,
            f"{self.verdicts_per_minute:.1f}",
            f"{self.steps_per_s:.1f}",
            self.arms,
            [(one.pk, one.status, one.verdict_id, _steps_of(one)) for one in self.page.episodes],
            [one.version for one in self.policy_versions],
            self.tables,
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:SEEN_CHARS]


@dataclass
class _Remembered:
    """``tables_until`` is 0 while they cost little."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    fold: Fold | None = None
    shown: Dashboard | None = None
    until: float = 0.0
    tables_lock: threading.Lock = field(default_factory=threading.Lock)
    tables: Tables | None = None
    tables_until: float = 0.0


_remembered: OrderedDict[int, _Remembered] = OrderedDict()
_remembered_lock = threading.Lock()


def dashboard_of(run_id: int) -> Dashboard:
    """The run's counts, at most ``FRESH_S`` old, or older where looking takes long."""
    kept = _kept(run_id)
    with kept.lock:
        if kept.shown is None or monotonic() >= kept.until:
            kept.shown = _look(kept, run_id)
        shown = kept.shown
    return _with_new_tables(kept, run_id) or shown


def _kept(run_id: int) -> _Remembered:
    with _remembered_lock:
        kept = _remembered.setdefault(run_id, _Remembered())
        _remembered.move_to_end(run_id)
        while len(_remembered) > RUNS_KEPT:
            _remembered.popitem(last=False)
        return kept


def _look(kept: _Remembered, run_id: int) -> Dashboard:
    with reads.one_moment():
        mark = reads.mark_of(run_id)
        tables = kept.tables if kept.tables and kept.tables_until else _tables(kept, run_id)
        began = monotonic()
        fold, kept.fold = kept.fold, None  # a look that fails half-way leaves nothing half-counted
        if fold is None or fold.is_of_the_past(mark):
            fold = Fold(run_id)
        fold.advance(mark)
        kept.fold = fold
        shown = _shown(fold, tables)
    kept.until = monotonic() + max(FRESH_S, REST_TIMES * (monotonic() - began))
    return shown


def _tables(kept: _Remembered, run_id: int) -> Tables:
    """Where that costs little they are read with each look; else they rest by themselves."""
    began = monotonic()
    kept.tables = tables = Tables(
        behaviour=behaviour_table(behaviour.run_behaviour(run_id=run_id)),
        twins=twins.twin_tallies(run_id=run_id),
    )
    took = monotonic() - began
    kept.tables_until = 0.0 if took < CHEAP_S else monotonic() + REST_TIMES * took
    return tables


def _with_new_tables(kept: _Remembered, run_id: int) -> Dashboard | None:
    """What is shown, with tables that have rested long enough: who comes first waits, nobody else."""
    if not _are_due(kept) or not kept.tables_lock.acquire(blocking=False):
        return None
    try:
        if not _are_due(kept):  # somebody has just read them
            return None
        with reads.one_moment():
            tables = _tables(kept, run_id)
    finally:
        kept.tables_lock.release()
    with kept.lock:
        if kept.shown is not None:
            kept.shown = replace(kept.shown, tables=tables)
        return kept.shown


def _are_due(kept: _Remembered) -> bool:
    return 0.0 < kept.tables_until <= monotonic()


def _shown(fold: Fold, tables: Tables) -> Dashboard:
    unfinished = reads.unfinished_by_arm(fold.run_id)
    since = fold.mark.verdicts - fold.verdicts_within(reads.STEPS_WINDOW_S + 1)
    rates = {version: rate for version, one in fold.versions.items() if (rate := one.rate())}
    unversioned = rates.pop(None, None)
    voids = [(reason, number) for (outcome, reason), number in fold.endings.items() if outcome == "void"]
    return Dashboard(
        open=sum(one.open for one in unfinished.values()),
        submitted=sum(one.submitted for one in unfinished.values()),
        correct=fold.outcome("correct"),
        incorrect=fold.outcome("incorrect"),
        void=fold.outcome("void"),
        void_reasons=sorted(voids, key=lambda one: (-one[1], one[0])),
        guided=fold.guided,
        verdicts_per_minute=fold.verdicts_within(PACE_S) * 60 / PACE_S,
        stepping=reads.stepping(
            run_id=fold.run_id,
            unfinished=sum(one.open + one.submitted for one in unfinished.values()),
            since=since,
            upto=fold.mark.verdicts,
        ),
        plot=reward_plot({version: rate for version, rate in rates.items() if version is not None}),
        unversioned=unversioned,
        last_at=datetime.fromtimestamp(fold.last_at, UTC) if fold.last_at else None,
        arms=fold.arms_told(unfinished),
        endings=fold.endings_told(),
        page=episodes.episodes_newest(run_id=fold.run_id),
        policy_versions=selectors.run_policy_versions(run_id=fold.run_id),
        tables=tables,
        mark=fold.mark,
    )


def _steps_of(episode: Episode) -> tuple[int, int]:
    """``episodes_newest`` annotates them."""
    return getattr(episode, "last_index", None) or 0, getattr(episode, "steps_recorded", None) or 0
