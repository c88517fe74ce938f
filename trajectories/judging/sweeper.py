"""The process between Postgres and the queue: it listens for submissions, queues them, and resends lost ones.

An advisory lock lets one run at a time. Only the sweeper can reach both the database and the queue, so the
arena, which cannot reach the queue, cannot forge a job.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Collection, Sequence
from threading import Event

import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from core import queues
from core.jobs import job_send, queue_length
from core.queues import Queue
from trajectories import heartbeats
from trajectories.api import health, idempotency
from trajectories.capture.jobs import picture_sweep
from trajectories.facts.jobs import facts_sweep
from trajectories.fidelity.sweep import FidelitySweep
from trajectories.hot_sql import SUBMISSION_CHANNEL, TOOL_CALL_CHANNEL
from trajectories.judging import jobs, queue_sql, reaper, tool_calls
from trajectories.judging.services import CLAIMS_MAX

logger = logging.getLogger(__name__)

LOCK = 0x5357_4550  # "SWEP"
LOCK_RETRY_S = 0.5
RESEND_EVERY_S = 1.0
REAP_EVERY_S = 5.0
TIDY_EVERY_S = 600.0
PICTURES_EVERY_S = 10.0
FACTS_EVERY_S = 5.0
FIDELITY_EVERY_S = 1.0
RECONNECT_S = 0.5
# A lost connection, as psycopg raises it for the listening connection and Django for its own.
DATABASE_LOST = (psycopg.OperationalError, OperationalError, InterfaceError)
# A queue this long still holds what Postgres shows as waiting; resending would only make it longer.
LONG_QUEUE = 1_000


def sweep_forever(*, stop: Event) -> None:
    """Run until ``stop``. After a lost database connection it reconnects and starts afresh."""
    alive = heartbeats.alive_keep(health.SWEEPER)
    while not stop.is_set():
        try:
            with psycopg.connect(**connection.get_connection_params(), autocommit=True) as listening:
                if _is_locked(listening, stop):
                    _listen(listening, stop)
        except DATABASE_LOST as error:
            logger.warning("the database is unreachable; trying again: %s", error)
            connection.close()
            stop.wait(RECONNECT_S)
    alive.set()


def _is_locked(listening: psycopg.Connection, stop: Event) -> bool:
    while not stop.is_set():
        row = listening.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone()
        if row and row[0]:
            return True
        stop.wait(LOCK_RETRY_S)
    return False


def _listen(listening: psycopg.Connection, stop: Event) -> None:
    for channel in (SUBMISSION_CHANNEL, TOOL_CALL_CHANNEL):
        listening.execute(f"LISTEN {channel}")
    chores = _Chores()
    while not stop.is_set():
        notices = list(listening.notifies(timeout=chores.seconds_to_next(), stop_after=1))
        jobs_send([int(notice.payload) for notice in notices if notice.channel == SUBMISSION_CHANNEL])
        calls = [notice.payload for notice in notices if notice.channel == TOOL_CALL_CHANNEL]
        calls_send([tool_calls.place_read(payload) for payload in calls])
        chores.do_due()


class _Chores:
    """The periodic work."""

    def __init__(self) -> None:
        now = time.monotonic()
        self._plan: list[tuple[Callable[[], object], float]] = [
            (resend, RESEND_EVERY_S),
            (calls_resend, RESEND_EVERY_S),
            (reaper.exhausted_void, REAP_EVERY_S),
            (reaper.LeaseReaper(), reaper.look_every_s()),
            (idempotency.sweep_idempotent_calls, TIDY_EVERY_S),
            (picture_sweep(), PICTURES_EVERY_S),
            (facts_sweep(), FACTS_EVERY_S),
            (FidelitySweep(), FIDELITY_EVERY_S),
        ]
        self._next = [now] * len(self._plan)

    def seconds_to_next(self) -> float:
        return max(0.0, min(self._next) - time.monotonic())

    def do_due(self) -> None:
        for place, (chore, every_s) in enumerate(self._plan):
            if time.monotonic() >= self._next[place]:
                chore()
                self._next[place] = time.monotonic() + every_s


def resend() -> int:
    """Send submissions again that were not judged in time; returns how many."""
    lengths = {queue: queue_length(queue) for queue in (queues.VERIFY, queues.SANDBOX)}
    if None in lengths.values():
        return 0
    long = {queue for queue, length in lengths.items() if length and length > LONG_QUEUE}
    due = queue_sql.submissions_due(
        claims_max=CLAIMS_MAX, lost_s=settings.CLAIM_LOST_S, after_s=settings.RESEND_AFTER_S
    )
    # Marked afterwards: what the queue did not accept stays due instead of waiting for the next back-off.
    sent = jobs_send(due, leaving_out=long)
    queue_sql.submissions_mark_sent(sent)
    return len(sent)


def jobs_send(episode_ids: Sequence[int], *, leaving_out: Collection[Queue] = ()) -> list[int]:
    """Queue judging jobs; returns the episodes whose jobs were accepted. The next sweep sends the others.

    Answers that are judged by running them go to the workers with a sandbox.
    """
    if not episode_ids:
        return []
    sandboxed = queue_sql.episodes_sandboxed(episode_ids)
    sent: list[int] = []
    for episode_id in episode_ids:
        queue = queues.SANDBOX if episode_id in sandboxed else queues.VERIFY
        if queue in leaving_out:
            continue
        job = jobs.judge_program if queue is queues.SANDBOX else jobs.judge
        if not job_send(job, queue, episode_id=episode_id):
            return sent
        sent.append(episode_id)
    return sent


def calls_resend() -> int:
    """Send tool calls again that no worker has claimed; returns how many. Pages give up after a time-out."""
    sent = calls_send(tool_calls.calls_due(after_s=settings.RESEND_AFTER_S[0]))
    tool_calls.calls_mark_sent(sent)
    return len(sent)


def calls_send(places: Sequence[tool_calls.Place]) -> list[tool_calls.Place]:
    """Queue calls for the workers with a sandbox; returns those that were accepted."""
    return list(
        itertools.takewhile(lambda place: job_send(jobs.run_tool, queues.SANDBOX, **place._asdict()), places)
    )
