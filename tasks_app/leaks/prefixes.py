"""Prefixes of a reference solution that can be given away: its first steps, up to the one with the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.errors import GymError
from tasks_app.leaks.detection import gold_leaks
from tasks_app.models import Gold

NEVER_CHECKED = ("text_too_long", "no_leak_check")


def clean_steps_store(golds: Iterable[Gold]) -> None:
    """Count the clean steps of golds, which need their tasks.

    Each needs a leak check of its solution, once. Of a solution that cannot be checked no step can be given.
    Raises ``GymError`` 422 ``no_solution``, naming the task, where another try might end otherwise.
    """
    for gold in golds:
        gold.clean_steps = _clean_steps(gold)
        # Of a gold whose steps were cut again meanwhile, nothing is stored.
        Gold.objects.filter(pk=gold.pk, steps=gold.steps).update(clean_steps=gold.clean_steps)


def _clean_steps(gold: Gold) -> int:
    """Count the first steps without the answer. The last step never counts, whatever is in it."""
    if not gold.steps:
        return 0
    try:
        spans = gold_leaks(gold.task, gold, "".join(gold.steps))
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
