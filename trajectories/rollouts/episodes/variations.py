"""The variation of each sample of a call: its choice order, asserts, tools and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import GymError
from palaestra.protocol.arms import Arm
from palaestra.protocol.suggestions import did_you_mean
from tasks_app import choices, kinds
from tasks_app.models import Gold, Task
from tasks_app.questions import questions
from tasks_app.variation import payload_shown
from tasks_app.worlds.text_view import Form
from trajectories.models import Run
from trajectories.record.prompts import conversation

CHOICES_AXIS = "choices"
SOURCE_ORDER = "source"
PERMUTED = "permuted"
TASK_BAR_AXIS = "task_bar"


@dataclass(frozen=True, kw_only=True)
class VariationPlan:
    """The plan from which each sample's variation is made.

    ``asserts`` are by task id, for tasks that show all of theirs. ``pictures``, also by task id, are shown in
    place of whole questions. ``text`` is the form in which prompts describe a mock site, None if they do not.
    ``tools`` are those that the run grants to pages; with ``has_own_tools``, the question's own tools are
    offered as well. With ``is_copied`` the agent copies the question, so the text that its page shows is
    noted.
    """

    is_permuted: bool
    text: Form | None = None
    tools: frozenset[str] = frozenset()
    has_own_tools: bool = True
    has_task_bar: bool = True
    is_copied: bool = False
    asserts: Mapping[int, Sequence[str]] = field(default_factory=dict)
    pictures: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def get_variation(self, task: Task, *, seed: int) -> dict[str, Any] | None:
        """Return the variation of one sample, or None if it has none (``tasks_app/variation.py``)."""
        if task.pk in self.pictures:
            return {"picture": self.pictures[task.pk]}
        entries: dict[str, Any] = {}
        if self.is_permuted and choices.is_movable(task.payload):
            entries["order"] = choices.order_draw(len(task.payload["choices"]), seed=seed)
        if task.pk in self.asserts:
            entries["asserts"] = list(self.asserts[task.pk])
        if tools := self._tools_of(task):
            entries["tools"] = sorted(tools)
        if task.kind == kinds.SITE and not self.has_task_bar:
            entries["task_bar"] = False
        if self.text:
            entries |= conversation.text_variation(task.payload, self.text)
        transcript = questions.get(task.kind).transcript
        if self.is_copied and transcript:
            entries["transcript"] = transcript(payload_shown(task.payload, entries))
        return entries or None

    def _tools_of(self, task: Task) -> frozenset[str]:
        kind = questions.get(task.kind)
        own = kind.own_tools(task.payload) if self.has_own_tools else ()
        return (self.tools & kind.tools).union(own)


def variation_plan(
    *, run: Run, tasks: Sequence[Task], arm: Arm, axes: Mapping[str, object], has_task_bar: bool = True
) -> VariationPlan:
    """Plan the variations of a call.

    Training permutes choices, unless the call names an order, and keeps asserts hidden. ``axes`` are those of
    the call's ``presentation``. A page whose question is copied has no tools, because they would change what
    it shows. Raises ``GymError`` 422 ``unknown_choices_order``, ``unknown_text_form``.
    """
    axis, form = axes.get(CHOICES_AXIS), conversation.form_read(axes.get(conversation.TEXT_AXIS))
    is_training = run.kind == Run.Kind.TRAIN
    return VariationPlan(
        is_permuted=is_training if axis is None else _order_read(axis) == PERMUTED,
        text=form if arm.has_text else None,
        tools=run.tools if arm.has_form else frozenset(),
        has_own_tools=arm.has_tools,
        has_task_bar=has_task_bar or not arm.has_page,
        is_copied=arm.is_probe,
        asserts={} if is_training else list_asserts(tasks),
    )


def task_bar_read(presentation: Mapping[str, object], *, channel: str) -> bool:
    """Return whether the pages of mock sites have the task bar, which states the task and takes its answer.

    Raises ``GymError`` 422 ``unknown_task_bar``, or ``wrong_channel`` if no page would take the answer.
    """
    value = presentation.get(TASK_BAR_AXIS, True)
    if not isinstance(value, bool):
        message = f"The axis {TASK_BAR_AXIS!r} must be true or false, not {value!r}."
        raise GymError("unknown_task_bar", message, status=422, fields={"presentation": [message]})
    if not value and channel == "page":
        message = (
            "Without the task bar, no page of a mock site takes an answer. Open the episodes with "
            '"answer_channel": "api", and submit answers to POST /api/v1/episodes/{id}/submission.'
        )
        raise GymError("wrong_channel", message, status=422, fields={"presentation": [message]})
    return value


def _order_read(axis: object) -> str:
    orders = (SOURCE_ORDER, PERMUTED)
    if axis in orders:
        return str(axis)
    message = f"There is no choice order {axis!r}. {did_you_mean(str(axis), orders)}"
    raise GymError("unknown_choices_order", message, status=422, fields={"presentation": [message]})


def list_asserts(tasks: Sequence[Task]) -> dict[int, list[str]]:
    """Return all asserts of the official tests, by task id.

    Evaluation shows them, as the benchmark's own prompt does.
    """
    ids = {task.pk for task in tasks if task.kind == kinds.CODE}
    if not ids:
        return {}
    golds = Gold.objects.filter(task__in=ids, is_current=True).values_list("task_id", "extra")
    return {task_id: extra["tests"] for task_id, extra in golds if extra.get("tests")}
