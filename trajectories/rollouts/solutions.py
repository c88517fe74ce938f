"""Recorded scripted solutions: correct episodes in which the oracle or a person took every step."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from core.errors import GymError
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Task
from trajectories.models import Episode, Run, Step, Verdict
from trajectories.models.run import SETUP

SCRIPTED = (Step.Actor.ORACLE, Step.Actor.PERSON)


def solutions(tasks: Collection[int], *, run: Run, arm: str) -> QuerySet[Episode]:
    """Return each task's newest scripted solution whose run shows pages and takes actions as ``run`` does."""
    steps = Step.objects.filter(episode=OuterRef("pk"))
    same = {f"run__{name}": getattr(run, name) for name in SETUP}
    rows = Episode.objects.filter(
        Exists(steps.filter(index=1, actor__in=SCRIPTED)),
        ~Exists(steps.exclude(actor__in=SCRIPTED)),
        task__in=tasks,
        arm=arm,
        verdict__outcome=Verdict.Outcome.CORRECT,
        parent=None,
        guidance__isnull=True,
        **same,
    )
    return rows.order_by("task", "-pk").distinct("task")


def acts_text(solution: int, count: int) -> str:
    """Return the text that the first acts of a solution state, type and choose. A click writes nothing."""
    acts = Step.objects.filter(episode=solution, index__lte=count).order_by("index")
    written = ((act.thought, act.raw, _values(act.action)) for act in acts)
    return "\n".join(dict.fromkeys(part for parts in written for part in parts if part))


def is_leaking(task: Task, text: str, checks: LeakChecks) -> bool:
    """Return whether a text contains the answer.

    The check's error is not passed on, because it quotes the answer, which must not be shown.
    """
    try:
        checks.leaks_refuse([task], text)
    except GymError as error:
        if error.code == "guidance_leaks":
            return True
        raise
    return False


def _values(action: Mapping[str, Any] | None) -> str:
    """Return the text that an act types or chooses, because clients may record acts without a completion."""
    return "\n".join(str(value) for value in (action or {}).values())
