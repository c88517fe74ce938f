"""Long work that a worker does for a row: its progress, its pauses and its outcome.

Such a row is one of ``core/due_work.py``, with ``done``, ``total``, ``result`` and ``finished_at``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from django.db.models import Model
from django.db.models.functions import Now

from core.errors import GymError

# Rows done, and rows in all.
Progress = Callable[[int, int], None]
PROBLEM_MAX_CHARS = 500
# Resumable work stops between rows, long before its worker is stopped.
PAUSE_S = 200.0
NOTE_EVERY_S = 1.0
BROKEN = (
    "It ended by an error of this program. Start it again; if it ends so again, send the detail to whoever "
    "runs this installation."
)
STATES = ("waiting", "done", "failed")


class Pause(Exception):
    """The worker's time is up; the next one does the rest."""


class Withdrawn(Exception):
    """Nobody wants the work any longer: it was cancelled, or requested again."""


def describe_failure(error: Exception) -> str:
    """Word the problem of work that an error ended, with its detail below."""
    return f"{BROKEN}\n{type(error).__name__}: {error}"[:PROBLEM_MAX_CHARS]


@dataclass(frozen=True, kw_only=True)
class LongWork:
    """The work of a row; ``too_long`` is its problem if it takes longer than a worker has.

    ``resumable`` work calls ``Progress`` after each commit, and does the rest when called again.
    ``Progress`` may raise ``Pause``, which the work must not catch.
    """

    row: Model
    is_resumable: bool
    too_long: str

    def do(self, work: Callable[[Progress], dict[str, Any]]) -> bool:
        """Do the work and store its outcome; False if the row was requested again or withdrawn meanwhile."""
        waiting, done, failed = STATES
        try:
            result = work(self._progress())
        except Withdrawn:
            return False
        except Pause:
            # Due again at once; only what is lost counts against it.
            return self.write(state=waiting, sent_at=None, claims=0)
        except GymError as error:
            problem = error.message[:PROBLEM_MAX_CHARS]
            return self._finish(state=failed, problem=problem, result=error.fields)
        except SoftTimeLimitExceeded:
            self._finish(state=failed, problem=self.too_long)
            raise
        except Exception as error:
            self._finish(state=failed, problem=describe_failure(error))
            raise
        problem = str(result.pop("problem", ""))[:PROBLEM_MAX_CHARS]
        return self._finish(state=done, result=result, problem=problem)

    def write(self, **fields: Any) -> bool:
        """Update fields of the row, unless it was requested again, or given up, meanwhile."""
        rows = type(self.row)._default_manager
        requested_at = getattr(self.row, "requested_at", None)
        return rows.filter(pk=self.row.pk, requested_at=requested_at).update(**fields) > 0

    def _progress(self) -> Progress:
        """Make the callback that stores progress once a second, and ends the work when its time is up."""
        begun_at = time.monotonic()
        written_at = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal written_at
            now = time.monotonic()
            is_over = self.is_resumable and now > begun_at + PAUSE_S and done < total
            if is_over or done >= total or now > written_at + NOTE_EVERY_S:
                if not self.write(done=done, total=total):
                    raise Withdrawn
                written_at = now
            if is_over:
                raise Pause

        return progress

    def _finish(self, **fields: Any) -> bool:
        return self.write(**fields, requested_at=None, sent_at=None, finished_at=Now())
