"""Groups and episodes of one call on their way into the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from msgspec import Struct

from gymsite.core.presentation import Look
from gymsite.core.tokens import token_make
from tasks_app.models import Task
from tasks_app.questions import questions
from trajectories import hot_sql
from trajectories.models import Run
from trajectories.recording import arranging, prompts, solving
from trajectories.recording.looks import Looks
from trajectories.recording.opening_body import Opening
from trajectories.recording.seeds import derive

FIRST_VIRTUAL_DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
VIRTUAL_DAYS = 365
# One completion, and room to close without an answer: the step that uses up the budget would end it first.
TEXT_ARM_STEPS = 2
FREE_TEXT_ARMS = frozenset({"text_zero_shot", "text_few_shot"})


class Call(Struct, frozen=True, kw_only=True):
    """What all samples of one call share."""

    opening: Opening
    run: Run
    seed: int
    arranger: arranging.Arranger
    exemplars: solving.Exemplars


class GroupPlan(Struct, frozen=True):
    """``exemplars`` are the tasks solved in the prompt; None in arms that have none."""

    id: int
    seed: int
    template: str
    exemplars: Sequence[int] | None = None


class Draft(Struct):
    """Rows to insert, and the answer that tells of them."""

    groups: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    records: list[dict[str, Any]]
    messages: dict[str, list[prompts.Message]]

    @classmethod
    def empty(cls) -> Draft:
        return cls(groups=[], episodes=[], records=[], messages={})


def start_url(*, episode_id: int, arm: str) -> str | None:
    """The arena's address of an episode; None in arms without a page."""
    if arm not in prompts.ARMS_WITH_PAGE:
        return None
    return f"{settings.ARENA_URL}/e/{token_make(episode_id=episode_id, key=settings.TOKEN_KEY)}/"


def draft_make(call: Call, tasks: Sequence[Task]) -> Draft:
    """A new group for every task, with all its samples."""
    opening = call.opening
    count = opening.samples_per_task
    group_ids, episode_ids = hot_sql.ids_reserve(groups=len(tasks), episodes=len(tasks) * count)
    draft = Draft.empty()
    for place, (task, group_id) in enumerate(zip(tasks, group_ids, strict=True)):
        seed = derive(call.seed, "group", task.pk, place if opening.seed is None else 0)
        template = prompts.template_for(seed=seed, instruction=opening.presentation.get("instruction"))
        plan = GroupPlan(group_id, seed, template, call.exemplars.chosen.get(task.pk))
        draft.groups.append(
            {
                "id": group_id,
                "task": task.pk,
                "seed": seed,
                "template": template,
                "exemplars": plan.exemplars,
            }
        )
        group_fill(draft, call, task, plan, episode_ids[place * count : (place + 1) * count], 0)
    return draft


def group_fill(draft: Draft, call: Call, task: Task, plan: GroupPlan, ids: Sequence[int], first: int) -> None:
    """Samples of one group, numbered from ``first``."""
    opening = call.opening
    max_steps = opening.max_steps or (TEXT_ARM_STEPS if opening.arm in FREE_TEXT_ARMS else task.max_steps)
    prompting = _Prompting(draft, call, task, plan, max_steps=max_steps)
    shared = {"task": task.pk, "max_steps": max_steps}
    placed = {
        "group_id": plan.id,
        "seed": plan.seed,
        "virtual_start": virtual_start_of(task, seed=plan.seed),
    }
    form = questions.get(task.kind).form_of(task.payload)
    told = {"group": plan.id, "arm": opening.arm, "answer_form": form}
    looks = Looks(opening, plan.seed)
    for sample_index, episode_id in enumerate(ids, start=first):
        look = looks.of_sample(sample_index)
        arrangement = call.arranger.arrangement(task, seed=derive(plan.seed, "choices", sample_index))
        sample = {**shared, "id": episode_id, "sample_index": sample_index, **_hashed(look)}
        draft.episodes.append(
            {**sample, **placed, "presentation": look.as_dict(), "arrangement": arrangement}
        )
        draft.records.append(
            {
                **sample,
                **told,
                "start_url": start_url(episode_id=episode_id, arm=opening.arm),
                "messages_ref": prompting.ref(arrangement),
            }
        )


def virtual_start_of(task: Task, *, seed: int) -> datetime:
    """When the episodes of a group begin: the day that the task was made for, else one of the seed."""
    day = task.payload.get("first_day")
    if day is None:
        return FIRST_VIRTUAL_DAY + timedelta(days=seed % VIRTUAL_DAYS)
    return datetime.combine(date.fromisoformat(day), FIRST_VIRTUAL_DAY.timetz())


def _hashed(look: Look) -> dict[str, str]:
    return {"presentation_hash": look.digest()}


class _Prompting:
    """The opening messages of a group's samples: one for each arrangement that its words can tell apart."""

    def __init__(self, draft: Draft, call: Call, task: Task, plan: GroupPlan, *, max_steps: int) -> None:
        self._draft = draft
        self._task = task
        self._arm = call.opening.arm
        self._template = plan.template
        self._solved = call.exemplars.solved_of(plan.exemplars)
        self._max_steps = max_steps
        self._refs: dict[str, str] = {}

    def ref(self, arrangement: dict[str, Any] | None) -> str:
        known = str(arrangement)
        if known not in self._refs:
            self._refs[known] = self._write(arrangement)
        return self._refs[known]

    def _write(self, arrangement: dict[str, Any] | None) -> str:
        task = self._task
        question = prompts.question_of(
            kind=task.kind, prompt=task.prompt, payload=task.payload, arrangement=arrangement
        )
        messages = prompts.messages_for(
            arm=self._arm,
            template=self._template,
            question=question,
            max_steps=self._max_steps,
            solved=self._solved,
        )
        ref = prompts.messages_ref(messages)
        self._draft.messages[ref] = messages
        return ref
