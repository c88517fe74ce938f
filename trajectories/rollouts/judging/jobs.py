"""Celery jobs for judging. Each takes ids and makes one service call.

A job may run twice or be lost without harm, because Postgres knows what is due.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from core.work import jobs, queues
from trajectories.record import heartbeats
from trajectories.record.api import health
from trajectories.rollouts.judging import services, tool_calls, worker_locks
from verifiers import sandbox
from verifiers.sandbox import cgroups

logger = logging.getLogger(__name__)


@shared_task(name="judging.judge", ignore_result=True)
def judge(*, episode_id: int) -> None:
    try:
        worker_locks.lock_hold()
        services.submission_judge(episode_id=episode_id)
    except Exception:
        # The claim expires, and the sweeper sends the job again.
        logger.exception("judging of episode %s failed", episode_id)


@shared_task(name="judging.judge_program", ignore_result=True)
def judge_program(*, episode_id: int) -> None:
    try:
        worker_locks.lock_hold()
        services.program_judge(episode_id=episode_id)
    except Exception:
        # As above, the claim expires and the job is sent again.
        logger.exception("judging of the program of episode %s failed", episode_id)


@shared_task(name="judging.run_tool", ignore_result=True)
def run_tool(*, episode_id: int, number: int) -> None:
    try:
        tool_calls.call_do(episode_id=episode_id, number=number)
    except Exception:
        # The page reports the failure and offers a retry.
        logger.exception("call %s of episode %s failed", number, episode_id)


@worker_ready.connect
def _say_alive(sender: Any, **_kwargs: Any) -> None:
    """Report a worker as alive once its child processes are warm or its sandbox works."""
    if jobs.serves(sender, queues.VERIFY):
        services.children().warm()
        heartbeats.alive_keep(health.VERIFY_WORKER)
    if jobs.serves(sender, queues.SANDBOX):
        problem = sandbox.sandbox_problem()
        if problem:
            logger.warning("no sandbox: %s", problem)
        else:
            heartbeats.alive_keep(health.SANDBOX_WORKER)
        if undelegated := cgroups.problem():
            logger.warning("%s", undelegated)
