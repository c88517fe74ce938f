"""`python -m gymsite.services.work verify|sandbox|media`: the Celery worker of one queue."""

from __future__ import annotations

import os
import sys
from typing import Any

from celery.signals import worker_process_init, worker_ready
from django.conf import settings

from core.garbage import collect_seldom
from gymsite.celery import app
from gymsite.services import parent_death, processes

# The verify queue runs in threads: its children have clocks of their own, which prefork would forbid.
# A job of the sandbox queue takes 30 s at most (verifiers/sandbox/limits.py) and has ended before its claim
# is lost. Such a worker takes no job beyond those it works on: another may be free sooner.
POOLS = {
    "verify": ("--pool=threads", "--concurrency=4"),
    "sandbox": (
        "--pool=prefork",
        f"--concurrency={settings.SANDBOXES}",
        "--prefetch-multiplier=1",
        "--time-limit=45",
        "--soft-time-limit=40",
    ),
    "media": ("--pool=prefork", "--concurrency=1", "--time-limit=300", "--soft-time-limit=280"),
}


def main(queue: str) -> None:
    """Work until told to stop. Workers learn nothing from each other: start without asking around."""
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # they load every page of the lab, which no job needs
    parent = os.getpid()

    def leashed(**_kwargs: Any) -> None:
        parent_death.die_with_parent(parent)

    def mark_ready(**_kwargs: Any) -> None:
        mark = processes.ready_mark(settings.VAR_DIR, f"worker-{queue}")
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        if queue == "verify":
            collect_seldom()

    worker_process_init.connect(leashed, weak=False)
    worker_ready.connect(mark_ready, weak=False)
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO")
    app.worker_main(["worker", f"--queues={queue}", f"--hostname={queue}@%h", *POOLS[queue], *quiet])


if __name__ == "__main__":
    main(sys.argv[1])
