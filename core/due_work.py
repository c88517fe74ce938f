"""Long work requested by a row: sent to a queue while it is due, and again once a worker has lost it.

Such a row has ``requested_at`` (null unless the work is due or goes on), ``sent_at``, ``claims`` (by workers,
since it was requested), ``state`` and ``problem``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

SOFT_LIMIT_S = 270
HARD_LIMIT_S = 300
# Lost work is sent again once its worker can no longer be at it.
AGAIN_S = HARD_LIMIT_S + 30
CLAIMS_MAX = 3


def describe_loss(work: str, advice: str) -> str:
    """Word the problem of a row whose work ``CLAIMS_MAX`` workers have lost."""
    cause = f"its worker was killed, for lack of memory or after {HARD_LIMIT_S} s"
    return f"{work} was lost {CLAIMS_MAX} times: {cause}. {advice}"


def due_send(
    rows: QuerySet[Any], *, send: Callable[[int], bool], waiting: str, failure: Mapping[str, Any]
) -> int:
    """Send the work that is due, the oldest request first; returns how much the queue accepted.

    ``send`` gets the key of a row and returns whether the queue accepted it; ``failure`` is written to rows
    whose work ``CLAIMS_MAX`` workers have lost.
    """
    lost = Q(sent_at__lt=Now() - timedelta(seconds=AGAIN_S))
    requested = rows.filter(requested_at__isnull=False)
    requested.filter(lost, claims__gte=CLAIMS_MAX).update(**failure, requested_at=None, sent_at=None)
    due = requested.filter(Q(sent_at=None) | lost)
    sent = 0
    for pk in due.order_by("requested_at", "pk").values_list("pk", flat=True):
        # First, since a worker may begin at once; and not what was done or requested again meanwhile.
        if not due.filter(pk=pk).update(sent_at=Now(), state=waiting):
            continue
        if not send(pk):
            requested.filter(pk=pk).update(sent_at=None)
            break
        sent += 1
    return sent


def due_claim(rows: QuerySet[Any], pk: int, *, waiting: str, state: str, **fields: Any) -> bool:
    """Claim waiting work for the worker that begins it; False if it is not waiting.

    Lost work is recognised by the time since it began, however long it had waited.
    """
    mine = rows.filter(pk=pk, state=waiting, requested_at__isnull=False)
    return mine.update(**fields, state=state, claims=F("claims") + 1, sent_at=Now()) > 0
