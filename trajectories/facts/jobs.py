"""Facts of ended episodes: the job, and the sweep that sends it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task
from django.conf import settings

from core import jobs, queues
from core.sweep import Sweep
from trajectories.chores.walks import walks
from trajectories.facts import store
from trajectories.facts.behaviour import VERSION

logger = logging.getLogger(__name__)

BATCH = 20
SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300
# An episode that keeps failing is left alone; its first job may outlast several tries.
TRIES = 10


@shared_task(name="facts.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def episodes(*, episode_ids: list[int]) -> None:
    for episode_id in episode_ids:
        try:
            store.facts_compute([episode_id])
        except Exception:
            # One failure must not stop the others; the sweeper sends the episode again.
            logger.exception("episode %s has no facts: computing them failed", episode_id)


def episodes_send(episode_ids: Sequence[int]) -> int:
    """Queue the computation of facts, in batches; returns how many episodes the queue accepted."""
    for start in range(0, len(episode_ids), BATCH):
        batch = list(episode_ids[start : start + BATCH])
        if not jobs.job_send(episodes, queues.FACTS, episode_ids=batch):
            return start
    return len(episode_ids)


def facts_sweep() -> Sweep[int]:
    return Sweep(
        queue=queues.FACTS,
        walks=walks(
            "facts",
            version=VERSION,
            lowest=0,
            read=store.episodes_after,
            fresh_s=(store.SETTLE_S, store.LATE_S),
            settled_s=settings.STEP_GRACE_S,
            tries=TRIES,
        ),
        send=lambda episode_ids: episode_ids[: episodes_send(episode_ids)],
    )
