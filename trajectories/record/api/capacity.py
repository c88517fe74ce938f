"""The installation's capacity, and the refusal of further episodes before performance degrades."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings

from core.database.sql import Statement
from core.errors import GymError
from core.work import queues
from core.work.jobs import queue_length
from verifiers import registry

RETRY_AFTER_S = 10
RECENT_VERDICTS = 200
# This many verdicts are searched, because one queue may be quiet while the other writes thousands.
SEARCHED_VERDICTS = 5_000
# An open episode posts about one step a second, and a core records several hundred (`make bench`).
INFLIGHT_PER_CORE = 256
# A warm child process gives roughly this many verdicts per second (`make bench`).
VERDICTS_PER_CHILD_S = 100

ACTIVE = Statement(__file__, "active")
VERIFY = Statement(__file__, "verify")


def capacity_check(*, requested: int) -> None:
    """Raise ``GymError`` 429 ``at_capacity`` if ``requested`` more episodes would exceed the limit."""
    active, limit = _active(), settings.ACTIVE_EPISODES_MAX
    if active + requested > limit:
        message = (
            f"{active:,} episodes are open or submitted; {requested:,} more would exceed the limit of"
            f" {limit:,} (setting ACTIVE_EPISODES_MAX). Finish or cancel some, or wait."
        )
        raise GymError("at_capacity", message, status=429, retry_after_s=RETRY_AFTER_S)


def capacity_report() -> dict[str, Any]:
    """Return the API's record of active episodes, queues and the recommended concurrency.

    ``p95_ms`` measures the time from submission to verdict over each queue's recent verdicts; it is null if
    there are none. ``queued`` is capped at ``max_active`` plus one.
    """
    queued, verify_p95_ms, sandbox_p95_ms = _recent()
    active = _active()
    return {
        "active": active,
        "max_active": settings.ACTIVE_EPISODES_MAX,
        "verify": {"queued": queued, "p95_ms": _rounded(verify_p95_ms)},
        "sandbox": {"queued": queue_length(queues.SANDBOX), "p95_ms": _rounded(sandbox_p95_ms)},
        "recommended_inflight": _recommended(active=active, queued=queued),
    }


def verdict_p95_ms() -> dict[str, float | None]:
    """Return each queue's 95th percentile of recent verdict delays, or None for a queue without verdicts."""
    _, verify_p95_ms, sandbox_p95_ms = _recent()
    return {queues.VERIFY.id: verify_p95_ms, queues.SANDBOX.id: sandbox_p95_ms}


def _recent() -> tuple[int, float | None, float | None]:
    """Return the number of submissions without a verdict, and ``p95_ms`` of the verify and sandbox queues."""
    ((queued, verify_p95_ms, sandbox_p95_ms),) = VERIFY.rows(
        sandboxed=registry.list_sandboxed(),
        searched=SEARCHED_VERDICTS,
        recent=RECENT_VERDICTS,
        waiting=settings.ACTIVE_EPISODES_MAX + 1,
    )
    return queued, verify_p95_ms, sandbox_p95_ms


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)


def _recommended(*, active: int, queued: int) -> int:
    """Return the recommended concurrency, at most the number of free slots.

    It starts from the capacity of the CPU cores and is halved for every second that the queued verdicts take.
    """
    waiting_s = queued / (VERDICTS_PER_CHILD_S * settings.VERIFY_CHILDREN)
    by_cores = INFLIGHT_PER_CORE * (os.cpu_count() or 1)
    free = max(0, settings.ACTIVE_EPISODES_MAX - active)
    return max(1, min(free, int(by_cores / 2 ** min(waiting_s, 10.0))))


def _active() -> int:
    ((count,),) = ACTIVE.rows()
    return int(count)
