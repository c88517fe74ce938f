"""Groups and episodes of one call on their way into the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from msgspec import Struct

from core.arms import ARMS
from core.errors import GymError
from core.presentation import Look
from core.tokens import token_make
from tasks_app.models import Task, max_steps_for
from tasks_app.questions import questions
from trajectories import hot_sql
from trajectories.episodes import extents, few_shot, variations
from trajectories.episodes.looks import Looks
from trajectories.episodes.opening_body import Opening
from trajectories.episodes.seeds import derive
from trajectories.models import Run
from trajectories.prompts import conversation, templates

FIRST_VIRTUAL_DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
VIRTUAL_DAYS = 365
# One completion, and room to close without an answer: the step that uses up the budget would end it first.
TEXT_ARM_STEPS = 2


class Call(Struct, frozen=True, kw_only=True):
    """What all samples of one call share."""

    opening: Opening
    run: Run
    seed: int
    variations: variations.VariationPlan
    examples: few_shot.Examples


class GroupPlan(Struct, frozen=True):
    """``examples`` are the tasks solved in the prompt; None in arms that have none."""

    id: int
    seed: int
    template: str
    examples: Sequence[int] | None = None


class Draft(Struct):
    """Rows to insert, and the answer that tells of them."""

    groups: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    records: list[dict[str, Any]]
    messages: dict[str, list[conversation.Message]]
    prompt_chars: int = 0

    def messages_add(self, added: list[conversation.Message]) -> str:
        """Their reference. Raises ``GymError`` ``prompts_too_long`` (413)."""
        ref = conversation.messages_ref(added)
        if ref not in self.messages:
            self.prompt_chars += sum(map(conversation.length_of, added))
            if self.prompt_chars > settings.PROMPT_CHARS_MAX:
                limit = settings.PROMPT_CHARS_MAX
                message = (
                    f"The prompts of this call have more than {limit:,} characters (setting "
                    "PROMPT_CHARS_MAX): open fewer tasks in one call."
                )
                raise GymError("prompts_too_long", message, status=413)
            self.messages[ref] = added
        return ref

    @classmethod
    def empty(cls) -> Draft:
        return cls(groups=[], episodes=[], records=[], messages={})


def start_url(*, episode_id: int, arm: str) -> str | None:
    """The arena's address of an episode; None in arms without a page."""
    if not ARMS[arm].has_page:
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
        template = templates.template_for(seed=seed, instruction=opening.presentation.get("instruction"))
        plan = GroupPlan(group_id, seed, template, call.examples.chosen.get(task.pk))
        draft.groups.append(
            {
                "id": group_id,
                "task": task.pk,
                "seed": seed,
                "template": template,
                "examples": plan.examples,
            }
        )
        group_fill(draft, call, task, plan, episode_ids[place * count : (place + 1) * count], 0)
    return draft


def group_fill(draft: Draft, call: Call, task: Task, plan: GroupPlan, ids: Sequence[int], first: int) -> None:
    """Samples of one group, numbered from ``first``."""
    kind = questions.get(task.kind)
    prompting = _Prompting(draft, call, task, plan)
    told = {"group": plan.id, "arm": call.opening.arm, "answer_form": kind.form_of(task.payload)}
    looks = Looks(call.opening, plan.seed, kind.pages)
    for sample_index, episode_id in enumerate(ids, start=first):
        look = looks.of_sample(sample_index)
        variation = call.variations.variation_of(task, seed=derive(plan.seed, "choices", sample_index))
        max_steps = _max_steps(call.opening, task, look)
        sample = {
            "id": episode_id,
            "task": task.pk,
            "sample_index": sample_index,
            "max_steps": max_steps,
            "presentation_hash": look.digest(),
        }
        placed = {
            "recording": extents.extent_of(call.opening, call.run, plan.seed, sample_index),
            "group_id": plan.id,
            "seed": plan.seed,
            "virtual_start": virtual_start_of(task, seed=plan.seed, time_zone=look.time_zone),
            "presentation": look.as_dict(kind.pages),
            "variation": variation,
        }
        draft.episodes.append({**sample, **placed})
        draft.records.append(
            {
                **sample,
                **told,
                "start_url": start_url(episode_id=episode_id, arm=call.opening.arm),
                "messages_ref": prompting.ref(variation, max_steps=max_steps),
            }
        )


def _max_steps(opening: Opening, task: Task, look: Look) -> int:
    """What the call says, else what an agent gets for the task in its look."""
    return opening.max_steps or max_steps_of(task, arm=opening.arm, look=look)


def max_steps_of(task: Task, *, arm: str, look: Look) -> int:
    """What an agent gets for a task where the call says nothing: a look may ask for more moves."""
    if ARMS[arm].is_free_text:
        return TEXT_ARM_STEPS
    more = questions.get(task.kind).more_moves(task.payload, look) if ARMS[arm].has_page else 0
    return max_steps_for(task.oracle_steps + more)


def virtual_start_of(task: Task, *, seed: int, time_zone: str = "UTC") -> datetime:
    """When an episode begins, in its time zone: the day that the task was made for, else one of the seed."""
    day = task.payload.get("first_day")
    if day is None:
        return FIRST_VIRTUAL_DAY + timedelta(days=seed % VIRTUAL_DAYS)
    morning = FIRST_VIRTUAL_DAY.time()
    return datetime.combine(date.fromisoformat(day), morning, tzinfo=ZoneInfo(time_zone))


class _Prompting:
    """The opening messages of a group's samples: one for each variation and number of steps."""

    def __init__(self, draft: Draft, call: Call, task: Task, plan: GroupPlan) -> None:
        self._draft = draft
        self._task = task
        self._arm = call.opening.arm
        self._channel = call.opening.answer_channel or "page"
        self._template = plan.template
        self._examples = call.examples.solved_of(plan.examples)
        self._refs: dict[tuple[str, int], str] = {}

    def ref(self, variation: dict[str, Any] | None, *, max_steps: int) -> str:
        known = (str(variation), max_steps)
        if known not in self._refs:
            self._refs[known] = self._write(variation, max_steps)
        return self._refs[known]

    def _write(self, variation: dict[str, Any] | None, max_steps: int) -> str:
        task = self._task
        question = conversation.question_of(
            kind=task.kind, prompt=task.prompt, payload=task.payload, variation=variation
        )
        opening_messages = conversation.messages_for(
            arm=self._arm,
            template=self._template,
            question=question,
            max_steps=max_steps,
            channel=self._channel,
            examples=self._examples,
        )
        return self._draft.messages_add(opening_messages)
