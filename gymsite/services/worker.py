"""`python -m gymsite.services.worker QUEUE`: the Celery worker of one queue."""

from __future__ import annotations

import os
import sys
from typing import Any

from celery.signals import worker_process_init, worker_ready
from django.conf import settings

from core.garbage import collect_seldom
from core.queues import QUEUES, SANDBOX, Queue
from gymsite.celery import app
from gymsite.services import parent_death, processes
from verifiers.sandbox import cgroups


def main(queue: Queue) -> None:
    """Work until stopped. Workers need nothing from each other, so they start without gossip."""
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # the checks load every lab page, which no job needs
    parent = os.getpid()

    def watch_parent(**_kwargs: Any) -> None:
        parent_death.die_with_parent(parent)

    def mark_ready(**_kwargs: Any) -> None:
        mark = processes.ready_mark(settings.VAR_DIR, queue.worker)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        if queue.pool == "threads":
            collect_seldom()

    worker_process_init.connect(watch_parent, weak=False)
    worker_ready.connect(mark_ready, weak=False)
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO")
    if queue is SANDBOX:
        cgroups.prepare()  # before the processes that start sandboxes are forked
    app.conf.broker_transport_options |= queue.broker_options()
    app.worker_main(["worker", *queue.worker_options(), *quiet])


if __name__ == "__main__":
    main(next(queue for queue in QUEUES if queue.id == sys.argv[1]))
