"""Few-shot examples: solved tasks in the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import GymError
from palaestra.protocol.arms import ARMS
from tasks_app import few_shot, gold_answers
from tasks_app.models import Gold, Task
from tasks_app.questions import questions
from trajectories.models import Run
from trajectories.record.api.auth import Principal
from trajectories.record.prompts import conversation
from trajectories.rollouts.episodes import variations
from trajectories.rollouts.episodes.creation_body import Opening

SHOTS_DEFAULT = 4


@dataclass(frozen=True, kw_only=True)
class Examples:
    """The examples of a call: ``chosen`` has the ids for each task, ``solved`` the examples by id."""

    chosen: Mapping[int, Sequence[int]] = field(default_factory=dict)
    solved: Mapping[int, conversation.Example] = field(default_factory=dict)

    def list_solved(self, ids: Sequence[int] | None) -> list[conversation.Example]:
        return [self.solved[pk] for pk in ids or () if pk in self.solved]


def shots_check(opening: Opening) -> None:
    """Raise ``GymError`` 422 ``shots_without_few_shot`` if ``shots`` is given for an arm without examples."""
    if opening.shots is not None and not ARMS[opening.arm].has_examples:
        message = f"The arm {opening.arm!r} shows no examples: omit shots, or use the arm text_few_shot."
        raise GymError("shots_without_few_shot", message, status=422, fields={"shots": [message]})


def examples_choose(*, opening: Opening, run: Run, principal: Principal, seed: int) -> Examples:
    """Choose the examples of a new call; arms without examples get none.

    Raises ``GymError`` 422 ``no_exemplars``.
    """
    if not ARMS[opening.arm].has_examples:
        return Examples()
    chosen = few_shot.examples_choose(
        opening.tasks, count=opening.shots or SHOTS_DEFAULT, seed=seed, sees_split=principal.sees_split
    )
    ids = {pk for of_task in chosen.values() for pk in of_task}
    return Examples(chosen=chosen, solved=load_solved(ids, run=run))


def examples_check(ids: Sequence[int], *, principal: Principal) -> None:
    """Raise ``GymError`` 422 ``no_exemplars`` if any of a group's examples is missing or hidden."""
    splits = Task.objects.filter(pk__in=set(ids)).values_list("split", flat=True)
    if len(splits) < len(set(ids)) or not all(map(principal.sees_split, splits)):
        message = "This key cannot see all the examples of this group: open a new group instead."
        raise GymError("no_exemplars", message, status=422)


def load_solved(ids: set[int], *, run: Run) -> dict[int, conversation.Example]:
    """Load tasks as solved examples, with their current golds, in the form that a run's prompts show."""
    if not ids:
        return {}
    tasks = list(Task.objects.filter(pk__in=ids).only("pk", "kind", "prompt", "payload"))
    asserts = {} if run.kind == Run.Kind.TRAIN else variations.list_asserts(tasks)
    golds = Gold.objects.filter(task__in=ids, is_current=True).values_list("task_id", "answer", "solution")
    texts = {task_id: (answer, solution) for task_id, answer, solution in golds}
    return {
        task.pk: _solved(task, *texts[task.pk], asserts=asserts.get(task.pk))
        for task in tasks
        if task.pk in texts
    }


def _solved(task: Task, answer: str, solution: str, *, asserts: Sequence[str] | None) -> conversation.Example:
    # The full text of a site would make each example longer than the question itself.
    shown: dict[str, Any] = dict(conversation.text_variation(task.payload, conversation.RELEVANT))
    if asserts:
        shown["asserts"] = list(asserts)
    question = conversation.question_of(
        kind=task.kind, prompt=task.prompt, payload=task.payload, variation=shown or None
    )
    form = questions.get(task.kind).form_of(task.payload)
    given = gold_answers.write_gold_answer(answer, form=form)
    return conversation.Example(
        question=question, reply=conversation.build_reply(form=form, answer=given, solution=solution)
    )
