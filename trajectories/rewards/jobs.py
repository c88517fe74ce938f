"""Components of ended episodes: the job, and the sweep that sends it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task
from django.conf import settings

from core import jobs, queues
from core.sweep import Sweep
from trajectories.chores.walks import walks
from trajectories.facts.store import LATE_S, SETTLE_S
from trajectories.rewards import registry, store

logger = logging.getLogger(__name__)

BATCH = 50
SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300
# An episode that keeps failing is left alone; its first job may outlast several tries.
TRIES = 10
# Facts come first, as a rule.
FACTS_S = 10


@shared_task(
    name="rewards.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
)
def episodes(*, episode_ids: list[int]) -> None:
    for episode_id in episode_ids:
        try:
            store.components_compute([episode_id])
        except Exception:
            # One failure must not stop the others; the sweeper sends the episode again.
            logger.exception("episode %s has no reward components: computing them failed", episode_id)


def episodes_send(episode_ids: Sequence[int]) -> int:
    """Queue the computation of components, in batches; returns how many episodes the queue accepted."""
    for start in range(0, len(episode_ids), BATCH):
        batch = list(episode_ids[start : start + BATCH])
        if not jobs.job_send(episodes, queues.FACTS, episode_ids=batch):
            return start
    return len(episode_ids)


def rewards_sweep() -> Sweep[int]:
    return Sweep(
        queue=queues.FACTS,
        walks=walks(
            "rewards",
            version=int(registry.revision()[:7], 16),
            lowest=0,
            read=store.episodes_after,
            fresh_s=(SETTLE_S + FACTS_S, LATE_S + FACTS_S),
            settled_s=settings.STEP_GRACE_S,
            tries=TRIES,
        ),
        send=lambda episode_ids: episode_ids[: episodes_send(episode_ids)],
    )
