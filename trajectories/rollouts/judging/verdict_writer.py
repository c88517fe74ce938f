"""Writes verdicts in batches: those that arrive during a write go into the next one together.

A run's verdicts are numbered under the lock of its counter, which is held until the commit is on disk.
Written one by one, each would wait for its own disk write.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from concurrent.futures import Future
from typing import NamedTuple

from trajectories.record import hot_sql
from trajectories.rollouts.live import notices

logger = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    run_id: int
    verdict: hot_sql.Ending
    is_written: Future[bool]


class VerdictWriter:
    """Shared by the threads of one worker. The first to get the lock writes for all that wait."""

    def __init__(self) -> None:
        self._queue: list[_Waiting] = []
        self._queue_lock = threading.Lock()
        self._writing = threading.Lock()

    def write(self, *, run_id: int, verdict: hot_sql.Ending) -> bool:
        """End a submitted episode; False when it had ended already. Raises the database's errors."""
        mine = _Waiting(run_id, verdict, Future())
        with self._queue_lock:
            self._queue.append(mine)
        with self._writing:
            if not mine.is_written.done():
                self._write_all()
        return mine.is_written.result()

    def _write_all(self) -> None:
        with self._queue_lock:
            batch, self._queue = self._queue, []
        by_run: dict[int, list[_Waiting]] = defaultdict(list)
        for waiting in batch:
            by_run[waiting.run_id].append(waiting)
        for run_id, verdicts in by_run.items():
            try:
                _write(run_id, verdicts)
            except Exception:
                logger.exception("%d verdicts could not be written together", len(verdicts))
                _write_singly(run_id, verdicts)


def _write(run_id: int, batch: list[_Waiting]) -> None:
    verdicts = [waiting.verdict for waiting in batch]
    ended = hot_sql.finish_many(run_id=run_id, endings=verdicts, statuses=["submitted"])
    notices.episodes_ended(run_id=run_id, ids=ended)
    for waiting in batch:
        waiting.is_written.set_result(waiting.verdict.episode in ended)


def _write_singly(run_id: int, batch: list[_Waiting]) -> None:
    """Write one at a time: a verdict that the database refuses must not fail the others."""
    for waiting in batch:
        try:
            _write(run_id, [waiting])
        except Exception as error:  # noqa: BLE001 (raised again in the thread whose verdict it is)
            waiting.is_written.set_exception(error)
