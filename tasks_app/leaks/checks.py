"""Leak checks of one call of the API: each is made once, up to a limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from django.conf import settings

from core.errors import GymError
from tasks_app.leaks import detection
from tasks_app.models import Gold, Task


class LeakChecks:
    """Checks texts for answers, and remembers by task and SHA-256 what has passed.

    Raises ``GymError`` 413 ``too_many_leak_checks`` instead of making more than LEAK_CHECKS_PER_CALL_MAX.
    """

    def __init__(self) -> None:
        self._passed: set[tuple[int, str]] = set()
        self._made = 0

    def clean_steps_store(self, golds: Iterable[Gold]) -> None:
        """Store as the function ``clean_steps_store`` does; solutions counted already need no check."""
        uncounted = [gold for gold in golds if gold.clean_steps is None]
        self._count(len(uncounted))
        clean_steps_store(uncounted)

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


NEVER_CHECKED = ("text_too_long", "no_leak_check")


def clean_steps_store(golds: Iterable[Gold]) -> None:
    """Count the clean steps of golds, which need their tasks.

    Each needs a leak check of its solution, once. Of a solution that cannot be checked no step can be given.
    Raises ``GymError`` 422 ``no_solution``, naming the task, where another try might end otherwise.
    """
    for gold in golds:
        gold.clean_steps = _clean_steps(gold)
        # Nothing is stored if the gold's steps were cut again meanwhile.
        Gold.objects.filter(pk=gold.pk, steps=gold.steps).update(clean_steps=gold.clean_steps)


def _clean_steps(gold: Gold) -> int:
    """Count the first steps without the answer. The last step never counts, whatever is in it."""
    if not gold.steps:
        return 0
    try:
        spans = detection.gold_leaks(gold.task, gold, "".join(gold.steps))
    except GymError as error:
        if error.code in NEVER_CHECKED:
            return 0
        # Its own message may quote the solution.
        message = f"The reference solution of task {gold.task_id} could not be checked for the answer."
        raise GymError("no_solution", message, status=422, fields={"tasks": [message]}) from None
    end = min((leak.end for leak in spans), default=None)
    return _steps_before(gold.steps, end)


def _steps_before(steps: Sequence[str], end: int | None) -> int:
    position = 0
    for number, step in enumerate(steps[:-1]):
        position += len(step)
        if end is not None and position >= end:
            return number
    return len(steps) - 1
