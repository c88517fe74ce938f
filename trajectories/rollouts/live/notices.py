"""Notices that episodes were opened or have ended: hints only, sent after the commit.

Without Redis they are dropped with a log entry: waiters poll Postgres as well.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from time import monotonic

from django.db import transaction

from core import redis_client
from trajectories.record import heartbeats
from trajectories.rollouts.live import events

logger = logging.getLogger(__name__)

# Opening episodes does not need Redis: when Redis hangs, one call is delayed and the next ones skip it.
PAUSE_S = 10.0


class _Pause:
    until = 0.0


def episodes_opened(*, run_id: int) -> None:
    """Wake the pages that count the run's episodes, once per call that opens any."""
    transaction.on_commit(partial(_announce_opened, run_id=run_id))


def episodes_ended(*, run_id: int, ids: Sequence[int]) -> None:
    """Wake those who wait for the verdicts, and let heartbeats of these episodes answer ``gone``."""
    if ids:
        transaction.on_commit(partial(_announce_ended, run_id=run_id, ids=list(ids)))


def _announce_opened(*, run_id: int) -> None:
    if monotonic() < _Pause.until:
        return
    try:
        redis_client.client().publish(events.OPENING_CHANNEL, events.opening_encode(run_id=run_id))
    except redis_client.Unreachable:
        _Pause.until = monotonic() + PAUSE_S
        logger.warning("new episodes of run %s could not be announced", run_id)


def _announce_ended(*, run_id: int, ids: list[int]) -> None:
    try:
        redis_client.client().publish(
            events.VERDICT_CHANNEL, events.announcement_encode(run_id=run_id, episode_ids=ids)
        )
    except redis_client.Unreachable:
        logger.warning("verdicts of run %s could not be announced; waiters find them by polling", run_id)
    heartbeats.mark_gone(ids)
