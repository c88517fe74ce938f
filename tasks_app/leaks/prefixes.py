"""How much of a reference solution can be given away: its first steps, up to the one that has the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tasks_app.leaks.detection import gold_leaks
from tasks_app.models import Gold


def clean_steps_store(golds: Iterable[Gold]) -> None:
    """Count the clean steps of golds that lack the count; the golds need their tasks.

    Each needs a leak check of its solution, once. Raises ``GymError`` as ``leaks`` does.
    """
    for gold in golds:
        if gold.clean_steps is None:
            gold.clean_steps = _clean_steps(gold)
            # Of a gold whose steps were cut again meanwhile, nothing is stored.
            Gold.objects.filter(pk=gold.pk, steps=gold.steps).update(clean_steps=gold.clean_steps)


def _clean_steps(gold: Gold) -> int:
    """Count the first steps without the answer. The last step never counts, whatever is in it."""
    if not gold.steps:
        return 0
    spans = gold_leaks(gold.task, gold, "".join(gold.steps))
    end = min((leak.end for leak in spans), default=None)
    return _steps_before(gold.steps, end)


def _steps_before(steps: Sequence[str], end: int | None) -> int:
    position = 0
    for number, step in enumerate(steps[:-1]):
        position += len(step)
        if end is not None and position >= end:
            return number
    return len(steps) - 1
