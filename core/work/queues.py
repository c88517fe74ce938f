"""Table of Celery's queues. A new queue needs a record here and a service in docker-compose.yml."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings


@dataclass(frozen=True)
class Queue:
    """One queue and its worker. The code that sends a job names the queue."""

    id: str
    pool: Literal["threads", "prefork"]
    concurrency: int | str
    """The number of jobs that run concurrently, or the setting that holds it."""
    connections: int
    """Database connections that each process of the worker may hold."""
    soft_limit_s: int | None = None
    hard_limit_s: int | None = None
    """The time limits apply to jobs that have none of their own."""
    prefetch: int | None = None
    """Jobs reserved per running job, if this differs from ``CELERY_WORKER_PREFETCH_MULTIPLIER``."""
    role: str = "gym_worker"
    """The database role of the worker."""
    redis_user: str = ""
    """The worker's Redis user, if it has fewer rights than the other workers."""
    has_lock: bool = False
    """True if each process holds one more connection, for the lock that its claims refer to."""
    has_world_salt: bool = False
    has_files: bool = False
    """True if the worker's jobs read or write blobs or recordings."""
    is_awaited: bool = False
    """True if the installation counts as started only once this worker is ready."""
    copies: int = 1
    """Workers of this queue per installation. If one dies, the others continue."""

    @property
    def worker(self) -> str:
        return f"worker-{self.id}"

    def job_count(self) -> int:
        return getattr(settings, self.concurrency) if isinstance(self.concurrency, str) else self.concurrency

    def process_count(self) -> int:
        """Return a worker's number of processes; prefork adds one for each concurrent job."""
        return 1 + (self.job_count() if self.pool == "prefork" else 0)

    def broker_options(self) -> dict[str, str]:
        """Return options that give the queue its own record of reserved jobs in Redis.

        By default all queues share one record, from which any worker may restore lost jobs of other queues.
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


# The pool has threads because each verdict is computed in a child process of its own, which prefork forbids.
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
# A job takes at most 50 s (verifiers/sandbox/limits.py), so it ends before its claim expires. Nothing is
# prefetched, because another worker may be free sooner.
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
    """Build the queue of one kind of slow work, so that a thousand pictures do not delay the facts."""
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

# Model judges have their own queue, so that facts never wait for them: a judge's call may take a minute. A
# job makes several calls concurrently.
JUDGES = Queue(id="judges", pool="prefork", concurrency=1, connections=1, soft_limit_s=280, hard_limit_s=300)

QUEUES = (VERIFY, SANDBOX, PICTURES, FACTS, REPLAYS, JUDGES)
