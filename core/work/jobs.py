"""Sending of jobs. Postgres records what is left to do, so a job that cannot be sent now is sent later."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from celery import Task
from kombu.exceptions import OperationalError

from core.telemetry import request_ids
from core.work import redis_client
from core.work.queues import Queue

logger = logging.getLogger(__name__)


# Circuit breaker: a hanging broker costs seconds per call, so after a failure no call is made for this long.
BREAK_S = 5.0


class _Breaker:
    closes_at = 0.0


def job_send(job: Task[Any, Any], queue: Queue, **ids: Any) -> bool:
    """Send a job to a queue; return False if the broker does not answer, or did not a moment ago.

    Never call it in a request. A request only marks its row as due, and the sweeper or the housekeeper sends
    the job.
    """
    if monotonic() < _Breaker.closes_at:
        return False
    try:
        job.apply_async(
            kwargs=ids,
            queue=queue.id,
            retry=False,
            headers={request_ids.JOB_HEADER: request_ids.current.get()},
        )
    except OperationalError:
        _Breaker.closes_at = monotonic() + BREAK_S
        logger.warning("the broker does not answer: %s %s will be sent later", job.name, ids)
        return False
    return True


def queue_length(queue: Queue) -> int | None:
    """Count the jobs that no worker has taken yet; return None if Redis does not answer."""
    lengths = queue_lengths(queue)
    return None if lengths is None else lengths[queue]


def queue_lengths(*queues: Queue) -> dict[Queue, int] | None:
    """Read the lengths of several queues in one round trip; return None if Redis does not answer."""
    pipeline = redis_client.client().pipeline(transaction=False)
    for queue in queues:
        pipeline.llen(queue.id)
    try:
        return dict(zip(queues, pipeline.execute(), strict=True))
    except redis_client.Unreachable:
        return None


def serves(worker: Any, queue: Queue) -> bool:
    """Return whether the worker that sent a ``worker_ready`` signal takes jobs of the queue."""
    return queue.id in worker.app.amqp.queues.consume_from
