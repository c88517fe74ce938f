"""Celery job of the media queue: facts of episodes that have ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task
from kombu.exceptions import OperationalError as QueueUnreachable

from trajectories.capture.jobs import MEDIA_QUEUE
from trajectories.facts import store

logger = logging.getLogger(__name__)

BATCH = 20
SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300


@shared_task(
    name="summaries.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
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
        try:
            episodes.apply_async(kwargs={"episode_ids": batch}, queue=MEDIA_QUEUE, retry=False)
        except QueueUnreachable:
            logger.warning("the queue does not answer: %s episodes are summarised later", len(episode_ids))
            return start
    return len(episode_ids)
