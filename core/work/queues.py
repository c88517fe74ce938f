"""Celery's queues, in one table. A new queue is one more record here and a service in docker-compose.yml."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings


@dataclass(frozen=True)
class Queue:
    """One queue and its worker. A job names its queue where it is sent."""

    id: str
    pool: Literal["threads", "prefork"]
    concurrency: int | str
    """Jobs that run at once, or the setting with their number."""
    connections: int
    """Database connections that each process of the worker may hold."""
    soft_limit_s: int | None = None
    hard_limit_s: int | None = None
    """Time limit for jobs that state none of their own."""
    prefetch: int | None = None
    """Jobs reserved for each that runs, where this differs from ``CELERY_WORKER_PREFETCH_MULTIPLIER``."""
    role: str = "gym_worker"
    """The database role of the worker."""
    redis_user: str = ""
    """The worker's user in Redis, if it has fewer rights than the others."""
    has_lock: bool = False
    """Each process holds one more connection, for the lock that its claims name."""
    has_world_salt: bool = False
    has_files: bool = False
    """The worker's jobs read or write blobs or recordings."""
    is_awaited: bool = False
    """The installation counts as started only once this worker is ready."""
    copies: int = 1
    """Workers of this queue per installation: when one dies, the others go on."""

    @property
    def worker(self) -> str:
        return f"worker-{self.id}"

    def job_count(self) -> int:
        return getattr(settings, self.concurrency) if isinstance(self.concurrency, str) else self.concurrency

    def process_count(self) -> int:
        """Return the processes of a worker: prefork adds one for each job that runs at once."""
        return 1 + (self.job_count() if self.pool == "prefork" else 0)

    def broker_options(self) -> dict[str, str]:
        """Return a place of its own to note reserved jobs. By default all queues share one, from which a
        worker sends lost jobs to whichever queue the note names.
        """
        return {f"unacked{part}_key": f"{self.id}.unacked{part}" for part in ("", "_index", "_mutex")}

    def worker_options(self) -> dict[str, Any]:
        options = {
            "queues": [self.id],
            "hostname": f"{self.id}@{socket.gethostname()}",
            "pool": self.pool,
            "concurrency": self.job_count(),
            "prefetch_multiplier": self.prefetch,
            "soft_time_limit": self.soft_limit_s,
            "time_limit": self.hard_limit_s,
        }
        return {name: value for name, value in options.items() if value is not None}


# Threads, since each verdict is computed in a child process with its own clock, which prefork forbids.
VERIFY: Queue = Queue(
    id="verify",
    pool="threads",
    concurrency=4,
    connections=6,
    has_lock=True,
    has_world_salt=True,
    is_awaited=True,
    copies=2,
)
# A job takes 50 s at most (verifiers/sandbox/limits.py) and so ends before its claim is lost. Nothing is
# prefetched: another worker may be free sooner.
SANDBOX = Queue(
    id="sandbox",
    role="gym_sandbox",
    redis_user="redis_sandbox",
    pool="prefork",
    concurrency="SANDBOXES",
    connections=1,
    has_lock=True,
    soft_limit_s=52,
    hard_limit_s=55,
    prefetch=1,
)


def _media(name: str) -> Queue:
    """Build the queue of one kind of slow background work: a thousand pictures keep no facts waiting."""
    return Queue(
        id=name,
        pool="prefork",
        concurrency="MEDIA_PROCESSES",
        connections=1,
        has_files=True,
        soft_limit_s=280,
        hard_limit_s=300,
    )


PICTURES, FACTS, REPLAYS = map(_media, ("pictures", "facts", "replays"))

# A queue of its own, so that no facts wait for judges: a call may take a minute. A job makes several at once.
JUDGES = Queue(id="judges", pool="prefork", concurrency=1, connections=1, soft_limit_s=280, hard_limit_s=300)

QUEUES = (VERIFY, SANDBOX, PICTURES, FACTS, REPLAYS, JUDGES)
