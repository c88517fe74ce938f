"""Dashboards of runs, read at most once a second per process and shared by all readers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from copy import copy
from dataclasses import dataclass, field
from time import monotonic

from core.snapshots import read_one_snapshot
from trajectories.rollouts.runs.pages.dashboard import Dashboard, Tables, tables_of

FRESH_S = 1.0
# Reading takes at most a fifth of one thread's time, however much there is to count; so do slow tables.
REST_TIMES = 5.0
# Tables that are read faster than this are read each time.
CHEAP_S = 0.05
RUNS_MAX = 16


@dataclass
class _Entry:
    """``tables_until`` is 0 while tables are cheap to read."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    dashboard: Dashboard | None = None
    until: float = 0.0
    tables_lock: threading.Lock = field(default_factory=threading.Lock)
    tables: Tables | None = None
    tables_until: float = 0.0


_entries: OrderedDict[int, _Entry] = OrderedDict()
_entries_lock = threading.Lock()


def run_dashboard(run_id: int) -> Dashboard:
    """Return the run's dashboard, at most ``FRESH_S`` old, or older if reading takes long."""
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
    """Cheap tables are read with each dashboard; slow ones have an interval of their own."""
    began = monotonic()
    entry.tables = tables_of(run_id)
    took = monotonic() - began
    entry.tables_until = 0.0 if took < CHEAP_S else monotonic() + REST_TIMES * took
    return entry.tables


def _has_stale_tables(entry: _Entry) -> bool:
    return 0.0 < entry.tables_until <= monotonic()


def _with_fresh_tables(entry: _Entry, run_id: int) -> Dashboard | None:
    """Read slow tables again once they are stale; only the first reader waits."""
    if not _has_stale_tables(entry) or not entry.tables_lock.acquire(blocking=False):
        return None
    try:
        if not _has_stale_tables(entry):  # another thread has just read them
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
