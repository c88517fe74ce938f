"""`python -m gymsite.services.worker QUEUE`: run the Celery worker of one queue."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Any

import django
from celery.signals import task_failure, task_postrun, task_prerun, worker_process_init, worker_ready
from django.conf import settings

from core.structs.schema import structs_prepare
from core.telemetry import exposition, garbage, metrics, request_ids
from core.work.queues import QUEUES, SANDBOX, Queue
from gymsite.celery import app
from gymsite.services import parent_death, processes
from verifiers.sandbox import cgroups


def main(queue: Queue) -> None:
    """Run the worker until stopped. Workers do not depend on each other, so they start without gossip."""
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # its checks would load every lab page, and no job needs those
    with garbage.loading():
        django.setup(set_prefix=False)  # this also sets up the log
    parent = os.getpid()

    def watch_parent(**_kwargs: Any) -> None:
        parent_death.die_with_parent(parent)
        exposition.expose(queue.worker)

    def mark_ready(**_kwargs: Any) -> None:
        mark = processes.ready_mark(settings.VAR_DIR, queue.worker)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        exposition.expose(queue.worker)
        if queue.pool == "threads":
            structs_prepare()
            garbage.collect_seldom()

    worker_process_init.connect(watch_parent, weak=False)
    worker_ready.connect(mark_ready, weak=False)
    task_prerun.connect(_job_begin)
    task_postrun.connect(_job_end)
    task_failure.connect(_job_failed)
    logging.captureWarnings(True)  # this includes lines of the log
    if queue is SANDBOX:
        cgroups.prepare()  # must precede the forking of processes that start sandboxes
    app.conf.broker_transport_options |= queue.broker_options()
    sys.exit(_celery_worker(queue).exitcode)


def _celery_worker(queue: Queue) -> Any:
    """Create the worker without Celery's command line, which takes 0.2 s to load terminal libraries."""
    left_out: dict[str, Any] = dict.fromkeys(("without_gossip", "without_mingle", "without_heartbeat"), True)
    with garbage.loading():
        worker = app.Worker(
            **queue.worker_options(), **left_out, loglevel="INFO", optimization="fair", quiet=True
        )
    worker.start()
    return worker


def _job_begin(task: Any, **_kwargs: Any) -> None:
    """Put the id of the request or chore that caused the job on the job's log lines."""
    request_ids.current.set(task.request.get(request_ids.JOB_HEADER) or request_ids.generate())
    task.request.began_at = time.perf_counter()


def _job_end(task: Any, **_kwargs: Any) -> None:
    metrics.JOB_SECONDS.labels(task.name).observe(time.perf_counter() - task.request.began_at)


def _job_failed(sender: Any, **_kwargs: Any) -> None:
    metrics.JOB_FAILURES.labels(sender.name).inc()


if __name__ == "__main__":
    main(next(queue for queue in QUEUES if queue.id == sys.argv[1]))
