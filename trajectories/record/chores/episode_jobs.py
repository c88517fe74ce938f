"""Background jobs over ended episodes: sent in batches, and again for those where one failed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from celery import Task
from django.conf import settings

from core import jobs, queues
from core.sweep import Place, Seen, Sweep
from trajectories.record.chores.walks import walks

logger = logging.getLogger(__name__)

SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300
# An episode that keeps failing is left alone; its first job may outlast several tries.
TRIES = 10


def each_computed(episode_ids: Sequence[int], compute: Callable[[list[int]], object], *, what: str) -> None:
    """Compute something for each episode. One failure must not stop the others; the sweeper retries it."""
    for episode_id in episode_ids:
        try:
            compute([episode_id])
        except Exception:
            logger.exception("episode %s has no %s: computing them failed", episode_id, what)


def episodes_sweep(
    job: Task[Any, Any],
    *,
    name: str,
    version: int,
    read: Callable[[Place[int], float], Sequence[Seen[int]]],
    fresh_s: Sequence[float],
    batch: int,
) -> Sweep[int]:
    """Sends due episodes to the queue of facts, so many to a job. See ``walks`` for the other arguments."""

    def send(episode_ids: Sequence[int]) -> Sequence[int]:
        """Send the batches; return the episodes that the queue accepted."""
        for start in range(0, len(episode_ids), batch):
            if not jobs.job_send(job, queues.FACTS, episode_ids=list(episode_ids[start : start + batch])):
                return episode_ids[:start]
        return episode_ids

    settled_s = settings.STEP_GRACE_S
    of_history = walks(
        name, version=version, lowest=0, read=read, fresh_s=fresh_s, settled_s=settled_s, tries=TRIES
    )
    return Sweep(queue=queues.FACTS, walks=of_history, send=send)
