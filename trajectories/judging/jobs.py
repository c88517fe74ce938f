"""Celery jobs: ids in, one service call. A job may come twice, or never: Postgres says what is left to do."""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from trajectories.judging import services
from trajectories.recording import health, heartbeats

logger = logging.getLogger(__name__)
VERIFY_QUEUE = "verify"


@shared_task(name="judging.judge", ignore_result=True)
def judge(*, episode_id: int) -> None:
    try:
        services.submission_judge(episode_id=episode_id)
    except Exception:
        # The claim runs out and the sweeper sends it again.
        logger.exception("judging of episode %s failed", episode_id)


@worker_ready.connect
def _warm_up(sender: Any, **_kwargs: Any) -> None:
    """A worker of the verify queue has its children ready before it says that it is alive."""
    if VERIFY_QUEUE in sender.app.amqp.queues.consume_from:
        services.children().warm()
        heartbeats.alive_keep(health.VERIFY_WORKER)
