"""Long work that a worker does for a row.

Work is sent while it is due, can be paused and resumed, and is sent again if a worker loses it. Postgres
knows what is due (``trajectories/models/due_work.py``); a job in the queue is only a hint.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

from billiard.exceptions import SoftTimeLimitExceeded
from celery import Task, shared_task
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from core.work import jobs, queues
from trajectories.models.due_work import DueWork

logger = logging.getLogger(__name__)

SOFT_LIMIT_S = 270
HARD_LIMIT_S = 300
# Lost work is sent again only after this time, when its worker can no longer be working on it.
AGAIN_S = HARD_LIMIT_S + 30
CLAIMS_MAX = 3
# Resumable work pauses between rows after this time, long before its worker is stopped.
PAUSE_S = 200.0
NOTE_EVERY_S = 1.0
PROBLEM_MAX_CHARS = 500
BROKEN = (
    "An error in this program ended it. Start it again; if that fails too, send the details to the "
    "administrator of this installation."
)
Row = TypeVar("Row", bound=DueWork)
# Called with the amount done and the total.
Progress = Callable[[int, int], None]


class Pause(Exception):
    """The worker's time is up, so the work pauses and the next worker continues it."""


class Withdrawn(Exception):
    """The work is no longer wanted, because it was cancelled or requested again."""


@dataclass(kw_only=True, eq=False)
class WorkKind(Generic[Row]):
    """A kind of work. ``do`` gets a row, does its work, and returns the columns to fill in.

    ``do`` calls ``Progress`` after each commit. Work that is ``resumable`` continues where it stopped when it
    is called again; for it, ``Progress`` raises ``Pause`` when time is up, which ``do`` must not catch.
    ``subject`` and ``advice`` are parts of the message shown when workers keep losing the work; ``too_long``
    is the message shown when the work takes longer than its time limit.
    """

    name: str  # the name of its Celery task
    model: type[Row]
    do: Callable[[Row, Progress], dict[str, Any]]
    is_resumable: Callable[[Row], bool]
    subject: str
    advice: str
    too_long: str
    task: Task[Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        def work(*, pk: int) -> None:
            try:
                self.run(pk)
            except Exception:
                # The error is stored in the row for the user, so the job only logs it.
                logger.exception("%s %s failed", self.name, pk)

        self.task = shared_task(
            name=self.name, ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
        )(work)

    @property
    def rows(self) -> QuerySet[Row]:
        return self.model._default_manager.all()

    @property
    def loss(self) -> str:
        """The message for a row whose work was lost by ``CLAIMS_MAX`` workers."""
        cause = f"its worker was killed, out of memory or after {HARD_LIMIT_S} s"
        return f"{self.subject} was lost {CLAIMS_MAX} times: {cause}. {self.advice}"

    def send(self) -> int:
        """Send the work that is due, oldest request first, and return how much the queue accepted."""
        lost = Q(sent_at__lt=Now() - timedelta(seconds=AGAIN_S))
        requested = self.rows.filter(requested_at__isnull=False)
        failure = {"state": self.model.FAILED, "problem": self.loss, **self.model.end_fields()}
        requested.filter(lost, claims__gte=CLAIMS_MAX).update(**failure, requested_at=None, sent_at=None)
        due = requested.filter(Q(sent_at=None) | lost)
        sent = 0
        for pk in due.order_by("requested_at", "pk").values_list("pk", flat=True):
            # Mark the row before sending, because a worker may start immediately. Skip rows that were done or
            # requested again in the meantime.
            if not due.filter(pk=pk).update(sent_at=Now(), state=self.model.WAITING):
                continue
            if not jobs.job_send(self.task, queues.FACTS, pk=pk):
                requested.filter(pk=pk).update(sent_at=None)
                break
            sent += 1
        return sent

    def run(self, pk: int) -> bool:
        """Do the work of a row. Return False if it is not waiting, was requested again, or was withdrawn."""
        waiting = self.rows.filter(pk=pk, state=self.model.WAITING, requested_at__isnull=False)
        # Work counts as lost by the time since it began, so ``sent_at`` is reset however long it waited in
        # the queue.
        if not waiting.update(state=self.model.DOING, claims=F("claims") + 1, sent_at=Now()):
            return False
        row = self.rows.get(pk=pk)
        try:
            fields = self.do(row, self._progress(row))
        except Withdrawn:
            return False
        except Pause:
            # Due again immediately. Only lost claims count towards the limit, so the counter starts again at
            # 0.
            return self._write(row, state=row.WAITING, sent_at=None, claims=0)
        except GymError as error:
            return self._end(row, row.FAILED, problem=error.message, **row.refusal_fields(error.fields))
        except SoftTimeLimitExceeded:
            self._end(row, row.FAILED, problem=self.too_long)
            raise
        except Exception as error:
            self._end(row, row.FAILED, problem=f"{BROKEN}\n{type(error).__name__}: {error}")
            raise
        return self._end(row, row.DONE, **fields)

    def _progress(self, row: Row) -> Progress:
        """Return the callback that stores progress once a second and pauses work that is out of time."""
        begun_at = time.monotonic()
        written_at = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal written_at
            now = time.monotonic()
            is_over = now > begun_at + PAUSE_S and done < total and self.is_resumable(row)
            if is_over or done >= total or now > written_at + NOTE_EVERY_S:
                if not self._write(row, **row.progress_fields(done, total)):
                    raise Withdrawn
                written_at = now
            if is_over:
                raise Pause

        return progress

    def _write(self, row: Row, **fields: Any) -> bool:
        """Update fields of the row, unless it has been requested again or given up in the meantime."""
        return self.rows.filter(pk=row.pk, requested_at=row.requested_at).update(**fields) > 0

    def _end(self, row: Row, state: str, *, problem: str = "", **fields: Any) -> bool:
        fields |= {"state": state, "problem": problem[:PROBLEM_MAX_CHARS], **row.end_fields()}
        return self._write(row, **fields, requested_at=None, sent_at=None)
