"""How each sample of a call shows its task: the order of choices, the asserts, the tools on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gymsite.core.errors import GymError, did_you_mean
from tasks_app import choices
from tasks_app.models import Gold, Task
from tasks_app.questions import questions
from trajectories.models import Run

CHOICES_AXIS = "choices"
SOURCE_ORDER = "source"
PERMUTED = "permuted"
CODE_KIND = "code"


@dataclass(frozen=True, kw_only=True)
class Arranger:
    """``asserts`` are by task, for the tasks that show all of theirs."""

    is_permuted: bool
    tools: frozenset[str] = frozenset()
    asserts: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def arrangement(self, task: Task, *, seed: int) -> dict[str, Any] | None:
        """What one sample shows otherwise than its task; None when nothing (``tasks_app/arrangement.py``)."""
        made: dict[str, Any] = {}
        if self.is_permuted and choices.is_movable(task.payload):
            made["order"] = choices.order_draw(len(task.payload["choices"]), seed=seed)
        if task.pk in self.asserts:
            made["asserts"] = list(self.asserts[task.pk])
        if tools := self.tools & questions.get(task.kind).tools:
            made["tools"] = sorted(tools)
        return made or None


def arranger_make(*, run: Run, tasks: Sequence[Task], has_page: bool, axis: object) -> Arranger:
    """Training permutes choices and holds asserts back, unless the call names an order of its own.

    Raises ``GymError`` ``unknown_choices_order`` (422).
    """
    is_training = run.kind == Run.Kind.TRAIN
    return Arranger(
        is_permuted=is_training if axis is None else _order_read(axis) == PERMUTED,
        tools=run.tools if has_page else frozenset(),
        asserts={} if is_training else asserts_of(tasks),
    )


def _order_read(axis: object) -> str:
    orders = (SOURCE_ORDER, PERMUTED)
    if axis in orders:
        return str(axis)
    message = f"There is no order of choices {axis!r}. {did_you_mean(str(axis), orders)}"
    raise GymError("unknown_choices_order", message, status=422, fields={"presentation": [message]})


def asserts_of(tasks: Sequence[Task]) -> dict[int, list[str]]:
    """All asserts of the official grade: evaluation shows them, as the benchmark's own prompt does."""
    ids = {task.pk for task in tasks if task.kind == CODE_KIND}
    if not ids:
        return {}
    golds = Gold.objects.filter(task__in=ids, is_current=True).values_list("task_id", "extra")
    return {task_id: extra["tests"] for task_id, extra in golds if extra.get("tests")}
