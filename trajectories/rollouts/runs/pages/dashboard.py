"""The state of a run for its page. All numbers of episodes are from the same moment."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any

from django.conf import settings

from core.database.sessions import read_one_snapshot
from core.episodes.answer_check import is_checked
from trajectories.models import Episode
from trajectories.models.origins import Origin
from trajectories.reports import behaviour
from trajectories.reports.run_tallies import (
    AnswerChanges,
    FormatTally,
    PairedTally,
    answer_changes,
    format_tallies,
    paired_tallies,
)
from trajectories.rollouts.runs.pages import dashboard_selectors
from trajectories.rollouts.runs.pages.behaviour import EPISODES_MEASURED, BehaviourTable, behaviour_table
from trajectories.rollouts.runs.pages.curves import Curve, build_curves, endings_of
from trajectories.rollouts.runs.pages.family import find_family
from trajectories.rollouts.runs.pages.heat_map import HeatMap, build_heat_map
from trajectories.rollouts.runs.pages.histograms import Histograms, build_histograms
from trajectories.rollouts.runs.pages.reason_chart import ReasonChart, reason_chart
from trajectories.rollouts.runs.pages.result import Comparison, Result, comparison_of
from trajectories.rollouts.runs.pages.reward_plot import reward_plot
from trajectories.rollouts.runs.void_rates import (
    LATEST_OF_A_RUN,
    VoidAlarm,
    VoidRate,
    rank_rates,
    void_alarms,
    void_rates,
)
from trajectories.shell.queries import episodes
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.runs import run_tallies_by_arm
from trajectories.shell.text.untrusted import visible

ROWS_SHOWN = 5
ALARMS_SHOWN = 5
FINGERPRINT_CHARS = 16
FRESH_S = 1.0
# After a read, the numbers are reused for this many times as long as the read took. Reading dashboards or
# slow tables thus never takes more than a fifth of one thread's time.
REST_TIMES = 5.0
# Tables that can be read faster than this are read each time.
CHEAP_S = 0.05
RUNS_MAX = 16
_entries: OrderedDict[int, _Entry] = OrderedDict()
_entries_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class VoidTable:
    """A run's highest void rates. Those of tasks are over the ``latest`` episodes.

    Alarms begin at ``share_max``. ``withdrawn`` has the shares of cancelled and of unused episodes, which no
    other row counts.
    """

    total: VoidRate
    policy_versions: Sequence[tuple[int | None, VoidRate]]
    reasons: Sequence[tuple[str, VoidRate]]
    tasks: Sequence[tuple[int, VoidRate]]
    withdrawn: Sequence[tuple[str, VoidRate]]
    alarms: Sequence[VoidAlarm]
    alarms_more: int
    share_max: float
    latest: int = LATEST_OF_A_RUN


def void_table(run_id: int) -> VoidTable | None:
    """Return the void rates of a run, or None if no episode is void."""
    rates = void_rates(run_id=run_id)
    if not rates.total.void and not rates.withdrawn:
        return None
    alarms = void_alarms(rates, share_max=settings.VOID_ALARM_SHARE)
    versions = [(version, rate) for (_, version), rate in rank_rates(rates.by_policy_version)]
    return VoidTable(
        total=rates.total,
        policy_versions=versions[:ROWS_SHOWN],
        reasons=list(rates.by_reason.items()),
        tasks=rank_rates(rates.by_task)[:ROWS_SHOWN],
        withdrawn=list(rates.by_withdrawal.items()),
        alarms=alarms[:ALARMS_SHOWN],
        alarms_more=len(alarms[ALARMS_SHOWN:]),
        share_max=settings.VOID_ALARM_SHARE,
    )


# How often a page asks for updates by itself: less often while nothing is happening.
ACTIVE_EVERY_MS, IDLE_EVERY_MS = 3_000, 15_000


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Tables that count many episodes each time they are read.

    In a long run they may be older than the rest of the dashboard.
    """

    comparison: Comparison
    formats: Mapping[str, FormatTally]
    answer_changes: Sequence[AnswerChanges]
    heat_map: HeatMap | None
    histograms: Histograms | None
    curves: Sequence[Curve]
    reasons: ReasonChart | None
    behaviour: BehaviourTable | None
    paired_tasks: Sequence[PairedTally]
    voids: VoidTable | None
    origins: Mapping[Origin, int]
    person_share: dashboard_selectors.PersonShare | None


class Dashboard:
    """The state of a run. ``last_at`` is the time of the newest verdict."""

    def __init__(self, run_id: int, tables: Tables) -> None:
        position = dashboard_selectors.position_of(run_id)
        self.position = position
        self.arms = run_tallies_by_arm(run_id=run_id)
        self.tables_renew(tables)
        self.open, self.submitted = self._total("open"), self._total("submitted")
        self.correct, self.incorrect = self._total("correct"), self._total("incorrect")
        self.void = self._total("void")
        self.endings = dashboard_selectors.endings(run_id)
        self.void_reasons = [(end.reason, end.episodes) for end in self.endings if end.outcome == "void"]
        self.verdicts_per_minute = position.in_pace * 60 / dashboard_selectors.PACE_S
        self.step_pace = dashboard_selectors.step_pace(
            run_id=run_id,
            unfinished=self.open + self.submitted,
            after=position.verdicts - position.lately,
            upto=position.verdicts,
        )
        rates = dashboard_selectors.version_rates(run_id)
        self.plot = reward_plot({version: rate for version, rate in rates.items() if version is not None})
        self.last_at = position.last_at
        self.page = episodes.episodes_newest(run_id=run_id)
        self.policy_versions = selectors.run_policy_versions(run_id=run_id)

    def tables_renew(self, tables: Tables) -> None:
        self.tables = tables
        self.result = Result(tables.comparison, self.arms, formats=tables.formats)

    def _total(self, name: str) -> int:
        return sum(getattr(arm, name) for arm in self.arms.values())

    @property
    def curves_record(self) -> list[dict[str, Any]]:
        """Return the curves in the form that the page's script reads."""
        return [{**asdict(curve), "title": visible(curve.title)} for curve in self.tables.curves]

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect

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
    def fingerprint(self) -> str:
        """A value that changes whenever anything shown on the page changes."""
        shown = (
            self.position.verdicts,
            self.endings,
            f"{self.verdicts_per_minute:.1f}",
            f"{self.step_pace.steps_per_s:.1f}",
            self.arms,
            [(row.pk, row.status, row.verdict_id, _steps_of(row)) for row in self.page.episodes],
            [row.version for row in self.policy_versions],
            self.tables,
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:FINGERPRINT_CHARS]


def tables_of(run_id: int) -> Tables:
    run, ends = selectors.run_get(run_id), endings_of(run_id)
    family = find_family(run)
    return Tables(
        comparison=comparison_of(family),
        formats=format_tallies(run_id=run_id),
        answer_changes=answer_changes(run_id=run_id) if is_checked(run.settings) else (),
        heat_map=build_heat_map(family),
        histograms=build_histograms(run_id),
        curves=build_curves(run_id, rates=dashboard_selectors.version_rates(run_id), ends=ends),
        reasons=reason_chart(ends),
        behaviour=behaviour_table(behaviour.run_behaviour(run_id=run_id, latest=EPISODES_MEASURED)),
        paired_tasks=paired_tallies(run_id=run_id),
        voids=void_table(run_id),
        origins=dashboard_selectors.origins(run_id),
        person_share=dashboard_selectors.person_share(run_id),
    )


def _steps_of(episode: Episode) -> tuple[int, int]:
    """Return the last step and the number of steps, with which ``episodes_newest`` annotated the episode."""
    return getattr(episode, "last_index", None) or 0, getattr(episode, "steps_recorded", None) or 0


@dataclass
class _Entry:
    """The cached state of one run. ``tables_until`` is 0 while its tables are cheap to read."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    dashboard: Dashboard | None = None
    until: float = 0.0
    tables_lock: threading.Lock = field(default_factory=threading.Lock)
    tables: Tables | None = None
    tables_until: float = 0.0


def run_dashboard(run_id: int) -> Dashboard:
    """Return the run's dashboard, at most ``FRESH_S`` old, or older if reading it takes long."""
    entry = _entry(run_id)
    with entry.lock:
        if entry.dashboard is None or monotonic() >= entry.until:
            entry.dashboard = _read(entry, run_id)
        dashboard = entry.dashboard
    return _with_fresh_tables(entry, run_id) or dashboard


def _entry(run_id: int) -> _Entry:
    with _entries_lock:
        entry = _entries.setdefault(run_id, _Entry())
        _entries.move_to_end(run_id)
        while len(_entries) > RUNS_MAX:
            _entries.popitem(last=False)
        return entry


def _read(entry: _Entry, run_id: int) -> Dashboard:
    with read_one_snapshot():
        tables = entry.tables if entry.tables and entry.tables_until else _read_tables(entry, run_id)
        began = monotonic()
        dashboard = Dashboard(run_id, tables)
    entry.until = monotonic() + max(FRESH_S, REST_TIMES * (monotonic() - began))
    return dashboard


def _read_tables(entry: _Entry, run_id: int) -> Tables:
    """Read the tables. Cheap ones are read with each dashboard, slow ones at their own interval."""
    began = monotonic()
    entry.tables = tables_of(run_id)
    took = monotonic() - began
    entry.tables_until = 0.0 if took < CHEAP_S else monotonic() + REST_TIMES * took
    return entry.tables


def _has_stale_tables(entry: _Entry) -> bool:
    return 0.0 < entry.tables_until <= monotonic()


def _with_fresh_tables(entry: _Entry, run_id: int) -> Dashboard | None:
    """Read slow tables again once they are stale. Only the first caller waits."""
    if not _has_stale_tables(entry) or not entry.tables_lock.acquire(blocking=False):
        return None
    try:
        if not _has_stale_tables(entry):  # Another thread has just read them.
            return None
        with read_one_snapshot():
            tables = _read_tables(entry, run_id)
    finally:
        entry.tables_lock.release()
    with entry.lock:
        if entry.dashboard is not None:
            entry.dashboard = copy(entry.dashboard)
            entry.dashboard.tables_renew(tables)
        return entry.dashboard
