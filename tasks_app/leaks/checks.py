"""Leak checks of one API call: each text is checked once, up to a limit on the number of checks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from django.conf import settings

from core.errors import GymError
from tasks_app.leaks import detection
from tasks_app.models import Gold, Task


class LeakChecks:
    """Leak checks that remember, by task and SHA-256, which texts have passed.

    Raises ``GymError`` 413 ``too_many_leak_checks`` before exceeding LEAK_CHECKS_PER_CALL_MAX.
    """

    def __init__(self) -> None:
        self._passed: set[tuple[int, str]] = set()
        self._made = 0

    def clean_steps_store(self, golds: Iterable[Gold]) -> None:
        """Count and store the golds' clean steps. Solutions that have been counted need no check."""
        uncounted = [gold for gold in golds if gold.clean_steps is None]
        self._count(len(uncounted))
        clean_steps_store(uncounted)

    def leaks_refuse(self, tasks: Iterable[Task], text: str, *, before: str = "") -> None:
        """Refuse texts that leak an answer, for each task, as ``detection.leaks_refuse`` does."""
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
                f"This call would check at least {self._made:,} texts and solutions for answers; "
                f"the limit is {limit:,} (setting LEAK_CHECKS_PER_CALL_MAX). Send fewer tasks per call; "
                "a solution is checked only the first time."
            )
            raise GymError("too_many_leak_checks", message, status=413)


NEVER_CHECKED = ("text_too_long", "no_leak_check")


def clean_steps_store(golds: Iterable[Gold]) -> None:
    """Count and store the clean steps of golds, whose tasks must be loaded.

    Each solution needs one leak check. If a solution can never be checked, none of its steps may be given.
    Raises ``GymError`` 422 ``no_solution``, naming the task, if another attempt might succeed.
    """
    for gold in golds:
        gold.clean_steps = _clean_steps(gold)
        # If the gold's steps have been cut again in the meantime, nothing is stored.
        Gold.objects.filter(pk=gold.pk, steps=gold.steps).update(clean_steps=gold.clean_steps)


def _clean_steps(gold: Gold) -> int:
    """Count the leading steps without the answer. The last step never counts, whatever it contains."""
    if not gold.steps:
        return 0
    try:
        spans = detection.gold_leaks(gold.task, gold, "".join(gold.steps))
    except GymError as error:
        if error.code in NEVER_CHECKED:
            return 0
        # The error's own message may quote the solution.
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
