"""The process between Postgres and the queue. It listens for submissions, queues them, and resends lost ones.

An advisory lock lets only one sweeper run at a time. Only the sweeper can reach both the database and the
queue; the arena cannot reach the queue, and so cannot forge a job.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Collection, Sequence
from threading import Event

from django.conf import settings

from core.work import queues
from core.work.jobs import job_send, queue_lengths
from core.work.queues import Queue
from trajectories.record.api import health
from trajectories.record.chores import loop
from trajectories.record.hot_sql import SUBMISSION_CHANNEL, TOOL_CALL_CHANNEL
from trajectories.rollouts.judging import jobs, queue_sql, reaper, tool_calls
from trajectories.rollouts.judging.sandbox_sql import PROGRAM_CHANNEL
from trajectories.rollouts.judging.services import CLAIMS_MAX
from trajectories.rollouts.live import events

logger = logging.getLogger(__name__)

LOCK = 0x5357_4550  # "SWEP"
RESEND_EVERY_S = 1.0
# This is longer than a worker needs to take a lost lock again.
DEAD_EVERY_S = 0.5
REAP_EVERY_S = 5.0
# A queue of this length still contains all submissions that Postgres shows as waiting, so resending them
# would only lengthen it.
LONG_QUEUE = 1_000

# Episodes that were sent to workers with a sandbox and whose verdicts have not been announced yet.
_programs: set[int] = set()


def sweep_forever(*, stop: Event) -> None:
    """Run the sweeper until ``stop`` is set."""
    wakes: dict[str, Callable[[], object]] = {
        SUBMISSION_CHANNEL: new_send,
        TOOL_CALL_CHANNEL: calls_send_due,
        PROGRAM_CHANNEL: programs_announce,
    }
    loop.chores_do(name=health.SWEEPER, lock=LOCK, chores=_chores, stop=stop, wakes=wakes)


def _chores() -> Sequence[loop.Chore]:
    return [
        loop.Chore("resend", resend, RESEND_EVERY_S),
        loop.Chore("dead_workers", DeadWorkers(), DEAD_EVERY_S),
        loop.Chore("tool_calls", calls_send_due, RESEND_EVERY_S),
        loop.Chore("programs", programs_announce, RESEND_EVERY_S),
        loop.Chore("exhausted_claims", reaper.void_exhausted, REAP_EVERY_S),
        loop.Chore("given_up", reaper.given_up_end, REAP_EVERY_S),
        loop.Chore("step_budgets", reaper.overspent_end, REAP_EVERY_S),
        loop.Chore("leases", reaper.LeaseReaper(), reaper.look_every_s()),
    ]


def new_send() -> int:
    """Send submissions that were never sent, and return how many."""
    return _send(queue_sql.submissions_new())


class DeadWorkers:
    """The chore that resends what dead workers had claimed.

    A worker counts as dead if its lock is free in two looks in a row, because a worker that only lost its
    connection takes its lock again in between.
    """

    def __init__(self) -> None:
        self._suspects: set[int] = set()

    def __call__(self) -> int:
        """Free the claims of dead workers, and return how many."""
        free = queue_sql.workers_dead()
        freed = queue_sql.claims_free(free & self._suspects)
        self._suspects = free
        if freed:
            logger.warning("sending %d claims of dead workers again", freed)
            new_send()
        return freed


def resend() -> int:
    """Send submissions that were never sent or not judged in time, and return how many."""
    due = queue_sql.submissions_due(
        claims_max=CLAIMS_MAX, lost_s=settings.CLAIM_LOST_S, after_s=settings.RESEND_AFTER_S
    )
    return _send(due)


def _send(episode_ids: Sequence[int]) -> int:
    if not episode_ids:
        return 0
    lengths = queue_lengths(queues.VERIFY, queues.SANDBOX)
    if lengths is None:
        return 0
    long = {queue for queue, length in lengths.items() if length > LONG_QUEUE}
    # Episodes are marked as sent afterwards, so that what the queue did not accept stays due instead of
    # waiting for the next back-off.
    sent = jobs_send(episode_ids, leaving_out=long)
    queue_sql.submissions_mark_sent(sent)
    return len(sent)


def jobs_send(episode_ids: Sequence[int], *, leaving_out: Collection[Queue] = ()) -> list[int]:
    """Queue judging jobs. Return the episodes whose jobs were accepted; the next sweep sends the others.

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
            break
        sent.append(episode_id)
    _programs.update(sandboxed.intersection(sent))
    return sent


def programs_announce() -> int:
    """Announce the verdicts on programs, and return how many.

    The workers that judge programs cannot do so, because they reach only their queue in Redis.
    """
    judged = queue_sql.episodes_judged(_programs) if _programs else {}
    for run_id, episode_ids in judged.items():
        events.episodes_ended(run_id=run_id, ids=episode_ids)
        _programs.difference_update(episode_ids)
    return sum(map(len, judged.values()))


def calls_send_due() -> int:
    """Send tool calls that were never sent or that no worker has claimed, and return how many.

    Calls that are too old are left out, because pages give up after a time-out."""
    sent = calls_send(tool_calls.calls_due(after_s=settings.RESEND_AFTER_S[0]))
    tool_calls.calls_mark_sent(sent)
    return len(sent)


def calls_send(places: Sequence[tool_calls.Place]) -> list[tool_calls.Place]:
    """Queue tool calls for the workers with a sandbox, and return those that were accepted."""
    return list(
        itertools.takewhile(lambda place: job_send(jobs.run_tool, queues.SANDBOX, **place._asdict()), places)
    )
