"""What is told to others when episodes have ended: hints only, sent after the commit."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from django.db import transaction

from core import redis_client
from trajectories import heartbeats
from trajectories.live import events

logger = logging.getLogger(__name__)


def episodes_ended(*, run_id: int, ids: Sequence[int]) -> None:
    """Wake those who wait for the verdicts, and let heartbeats of these episodes answer ``gone``.

    Without Redis it is logged and forgotten: live asks Postgres anyway.
    """
    if ids:
        transaction.on_commit(partial(_tell, run_id=run_id, ids=list(ids)))


def _tell(*, run_id: int, ids: list[int]) -> None:
    try:
        redis_client.client().publish(
            events.VERDICT_CHANNEL, events.announcement_encode(run_id=run_id, episode_ids=ids)
        )
    except redis_client.Unreachable:
        logger.warning("verdicts of run %s could not be announced; waiters find them by polling", run_id)
    heartbeats.mark_gone(ids)
