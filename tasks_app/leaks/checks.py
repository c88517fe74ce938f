"""Leak checks of one call of the API: each is made once, up to a limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.conf import settings

from core.errors import GymError
from tasks_app.leaks import detection, prefixes
from tasks_app.models import Gold, Task


class LeakChecks:
    """Checks texts for answers, and remembers by task and SHA-256 what has passed.

    Raises ``GymError`` 413 ``too_many_leak_checks`` instead of making more than LEAK_CHECKS_PER_CALL_MAX.
    """

    def __init__(self) -> None:
        self._passed: set[tuple[int, str]] = set()
        self._made = 0

    def clean_steps_store(self, golds: Iterable[Gold]) -> None:
        """Store as ``prefixes.clean_steps_store`` does; solutions counted already need no check."""
        uncounted = [gold for gold in golds if gold.clean_steps is None]
        self._count(len(uncounted))
        prefixes.clean_steps_store(uncounted)

    def leaks_refuse(self, tasks: Iterable[Task], text: str, *, before: str = "") -> None:
        """Refuse leaks as ``detection.leaks_refuse`` does, for each of the tasks."""
        sha256 = hashlib.sha256(f"{len(before)} {before}{text}".encode()).hexdigest()
        unknown = {task.pk: task for task in tasks if (task.pk, sha256) not in self._passed}
        self._count(len(unknown))
        for task in unknown.values():
            detection.leaks_refuse(task, text, before=before)
            self._passed.add((task.pk, sha256))

    def _count(self, more: int) -> None:
        limit = settings.LEAK_CHECKS_PER_CALL_MAX
        self._made += more
        if self._made > limit:
            message = (
                f"This call checks {self._made:,} texts and solutions for answers, or more; the limit is "
                f"{limit:,} (setting LEAK_CHECKS_PER_CALL_MAX). Send fewer tasks at once; solutions are "
                "checked the first time alone."
            )
            raise GymError("too_many_leak_checks", message, status=413)
