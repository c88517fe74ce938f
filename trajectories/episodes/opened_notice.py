"""What is told to others when episodes have been opened: hints only, sent after the commit."""

from __future__ import annotations

import logging
from functools import partial
from time import monotonic

from django.db import transaction

from core import redis_client
from trajectories.live import events

logger = logging.getLogger(__name__)

# Opening needs no Redis: one that hangs makes one call late, and not every one.
REST_S = 10.0


class _Rest:
    until = 0.0


def episodes_opened(*, run_id: int) -> None:
    """Tell pages that count the run's episodes, once for all that a call opens.

    Without Redis it is logged and forgotten: pages look by themselves some seconds later.
    """
    transaction.on_commit(partial(_tell, run_id=run_id))


def _tell(*, run_id: int) -> None:
    if monotonic() < _Rest.until:
        return
    try:
        redis_client.client().publish(events.OPENING_CHANNEL, events.opening_encode(run_id=run_id))
    except redis_client.Unreachable:
        _Rest.until = monotonic() + REST_S
        logger.warning("new episodes of run %s could not be announced", run_id)
