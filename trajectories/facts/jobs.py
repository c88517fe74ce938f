"""Celery job of the media queue: facts of episodes that have ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task

from core import jobs, queues
from trajectories.facts import store

logger = logging.getLogger(__name__)

BATCH = 20
SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300


@shared_task(
    name="summaries.episodes",
    ignore_result=True,
    soft_time_limit=SOFT_LIMIT_S,
    time_limit=HARD_LIMIT_S,
)
def episodes(*, episode_ids: list[int]) -> None:
    for episode_id in episode_ids:
        try:
            store.episodes_summarise([episode_id])
        except Exception:
            # The others are not to wait for it; the sweeper sends it again.
            logger.exception("episode %s could not be summarised", episode_id)


def episodes_ask(episode_ids: Sequence[int]) -> int:
    """Have episodes summarised, in batches; how many the queue took. The sweeper asks again for others."""
    for start in range(0, len(episode_ids), BATCH):
        batch = list(episode_ids[start : start + BATCH])
        if not jobs.job_send(episodes, queues.MEDIA, episode_ids=batch):
            return start
    return len(episode_ids)
