"""The rows and records of one opening call, built before anything is written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from msgspec import Struct

from core.draws import Draws
from core.episodes import answer_check
from core.episodes.presentation import AXES_BESIDE_LOOKS, Look, look_make, look_rotate
from core.episodes.tokens import token_make
from core.errors import GymError
from palaestra.protocol.arms import ARMS
from palaestra.protocol.looks import PageKind
from tasks_app import kinds
from tasks_app.models import Task, max_steps_for
from tasks_app.questions import question_tools, questions
from tasks_app.variation import Variation
from trajectories.models import Episode, Run
from trajectories.models.run import RECORDING_FULL_SHARE
from trajectories.record import hot_sql
from trajectories.record.prompts import conversation, templates
from trajectories.record.prompts.interface import Setup
from trajectories.rollouts.episodes import few_shot, guidance, variations
from trajectories.rollouts.episodes.creation_body import Opening

FIRST_VIRTUAL_DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
VIRTUAL_DAYS = 365
# One step for the completion and one to spare, because using up the budget would end the episode first.
TEXT_ARM_STEPS = 2
# A task without a page needs one action, its answer, plus one for each tool call. The budget must not reveal
# how many calls are needed, so all tasks with tools get the same number.
STEPS_WITHOUT_PAGE = 1
CALLS_NEEDED_MOST = 4
NO_FORK: dict[str, Any] = {"parent_id": None, "inherited_events": 0, "is_taken_over": False}
# docs/decisions/0020-step-budgets.md explains these factors.
STEPS_BY_POSITION = 2.0
STEPS_BY_PICTURE = 1.5
Recording = Episode.Recording


def derive(*parts: int | str) -> int:
    """Derive a number of 63 bits from the parts, the same on every machine."""
    text = ":".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


class Looks:
    """The looks of a group's samples: one for the group, one per episode, or a fixed rotation.

    In a rotation, sample k has the k-th look of the rotation in every task with the same kind of page, so
    that looks are crossed with tasks.
    """

    def __init__(self, opening: Opening, group_seed: int, page: PageKind) -> None:
        self._mode = opening.looks
        self._fixed = {
            axis: value for axis, value in opening.presentation.items() if axis not in AXES_BESIDE_LOOKS
        }
        self._page = page
        self._group_seed = group_seed
        self._rotation_seed = derive(opening.seed or 0, "rotation")
        self._shared = look_make(seed=group_seed, fixed=self._fixed, page=page)

    def of_sample(self, sample_index: int) -> Look:
        if self._mode == "per_group":
            return self._shared
        if self._mode == "rotation":
            return look_rotate(
                seed=self._rotation_seed, place=sample_index, fixed=self._fixed, page=self._page
            )
        seed = derive(self._group_seed, "look", sample_index)
        return look_make(seed=seed, fixed=self._fixed, page=self._page)


class Call(Struct, frozen=True, kw_only=True):
    """The part of an opening call that all its samples share."""

    opening: Opening
    run: Run
    setup: Setup
    seed: int
    variations: variations.VariationPlan
    examples: few_shot.Examples
    inserts: Mapping[int, guidance.Insert] = {}


class GroupPlan(Struct, frozen=True):
    """A group to fill. ``examples`` are the ids of the solved tasks in its prompt, None if it shows none."""

    id: int
    seed: int
    template: str
    examples: Sequence[int] | None = None


class Draft(Struct):
    """The rows to insert, and the API's response about them."""

    groups: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    records: list[dict[str, Any]]
    messages: dict[str, list[conversation.Message]]
    prompt_chars: int = 0

    def messages_add(self, added: list[conversation.Message]) -> str:
        """Add the messages and return their reference. Raises ``GymError`` 413 ``prompts_too_long``."""
        ref = conversation.messages_ref(added)
        if ref not in self.messages:
            self.prompt_chars += sum(map(conversation.measure_length, added))
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
    """Return an episode's address in the arena, or None in arms without a page."""
    if not ARMS[arm].has_page:
        return None
    return f"{settings.ARENA_URL}/e/{token_make(episode_id=episode_id, key=settings.TOKEN_KEY)}/"


def whereabouts(task: Task, *, episode_id: int, arm: str) -> dict[str, Any]:
    """Return an episode's ``start_url``, ``answer_form`` and ``is_site``."""
    form = questions.get(task.kind).form_of(task.payload)
    return {
        "start_url": start_url(episode_id=episode_id, arm=arm),
        "answer_form": conversation.answer_form(ARMS[arm], form),
        "is_site": task.kind == kinds.SITE,
    }


def entrance(task: Task, *, episode_id: int, arm: str, variation: Variation | None) -> dict[str, Any]:
    """Return an episode's ``whereabouts``, along with the ``tools`` that are called by actions."""
    tools = list_called_tools(task, arm=arm, variation=variation)
    return {**whereabouts(task, episode_id=episode_id, arm=arm), "tools": tools}


def list_called_tools(task: Task, *, arm: str, variation: Variation | None) -> list[str]:
    """Return the tools that an episode calls by actions. There are none if its page shows them."""
    if not ARMS[arm].calls_tools:
        return []
    return list(question_tools(kind=task.kind, payload=task.payload, variation=variation))


def draft_make(call: Call, tasks: Sequence[Task]) -> Draft:
    """Draft a new group with all its samples for every task."""
    opening = call.opening
    count = opening.samples_per_task
    group_ids, episode_ids = hot_sql.ids_reserve(groups=len(tasks), episodes=len(tasks) * count)
    draft = Draft.empty()
    for place, (task, group_id) in enumerate(zip(tasks, group_ids, strict=True)):
        seed = derive(call.seed, "group", task.pk, place if opening.seed is None else 0)
        template = templates.template_for(seed=seed, instruction=opening.presentation.get("instruction"))
        plan = GroupPlan(group_id, seed, template, call.examples.chosen.get(task.pk))
        group = {"id": group_id, "task": task.pk, "seed": seed, "template": template, "size": count}
        draft.groups.append({**group, "examples": plan.examples})
        group_fill(draft, call, task, plan, episode_ids[place * count : (place + 1) * count], 0)
    return draft


def group_fill(draft: Draft, call: Call, task: Task, plan: GroupPlan, ids: Sequence[int], first: int) -> None:
    """Add samples of one group, numbered from ``first``, to the draft."""
    kind = questions.get(task.kind)
    opening, setup, prompts = call.opening, call.setup, _Prompts(draft, call, task, plan)
    looks = Looks(opening, plan.seed, kind.pages)
    is_checked = answer_check.is_checked(call.run.settings)
    for sample_index, episode_id in enumerate(ids, start=first):
        look = looks.of_sample(sample_index)
        variation = call.variations.get_variation(task, seed=derive(plan.seed, "choices", sample_index))
        max_steps = opening.max_steps or limit_steps(task, setup=setup, look=look, is_checked=is_checked)
        ref, given = prompts.ref(variation, max_steps=max_steps)
        shared = {
            "id": episode_id,
            "sample_index": sample_index,
            "max_steps": max_steps,
            "presentation_hash": look.digest(),
            "begins_after": 0,
        }
        row = {
            "group_id": plan.id,
            "task_id": task.pk,
            "seed": plan.seed,
            "recording": choose_extent(opening, call.run, plan.seed, sample_index),
            "virtual_start": draw_virtual_start(task, seed=plan.seed, time_zone=look.time_zone),
            "presentation": look.as_dict(kind.pages),
            "variation": variation,
            "guidance": given,
            **NO_FORK,
            "answer_check": Episode.AnswerCheck.DUE if is_checked else Episode.AnswerCheck.NONE,
        }
        of_group = {
            "group": plan.id,
            "task": task.pk,
            "arm": opening.arm,
            "messages_ref": ref,
            "parent": None,
        }
        where = entrance(task, episode_id=episode_id, arm=opening.arm, variation=variation)
        draft.episodes.append({**shared, **row})
        draft.records.append({**shared, **of_group, **where})


def limit_steps(task: Task, *, setup: Setup, look: Look, is_checked: bool = False) -> int:
    """Return a task's default step budget.

    It is the length of the scripted solution, plus what the look adds, multiplied by the number of actions
    that the set-up needs for each step. If the answer is checked, there is room to give it twice.
    """
    answers = 2 if is_checked else 1
    if setup.arm.is_free_text:
        return TEXT_ARM_STEPS + answers - 1
    if not setup.arm.has_page:
        calls = CALLS_NEEDED_MOST if questions.get(task.kind).own_tools(task.payload) else 0
        return max_steps_for(STEPS_WITHOUT_PAGE * answers + calls)
    more = questions.get(task.kind).more_moves(task.payload, look)
    if is_checked:
        # To answer again, an agent refills a site's task bar, or repeats all its actions on a question.
        fields = task.payload.get("fields", ())
        more += len(fields) + 1 if task.kind == kinds.SITE else task.oracle_steps + more
    by_position = STEPS_BY_POSITION if setup.grammar.is_by_position else 1.0
    by_picture = 1.0 if setup.observation.has_text else STEPS_BY_PICTURE
    return max_steps_for((task.oracle_steps + more) * by_position * by_picture)


def draw_virtual_start(task: Task, *, seed: int, time_zone: str = "UTC") -> datetime:
    """Return the morning on which an episode begins: the task's own day, or else a day drawn by seed."""
    day = task.payload.get("first_day")
    if day is None:
        return FIRST_VIRTUAL_DAY + timedelta(days=seed % VIRTUAL_DAYS)
    morning = FIRST_VIRTUAL_DAY.time()
    return datetime.combine(date.fromisoformat(day), morning, tzinfo=ZoneInfo(time_zone))


class _Prompts:
    """The opening messages of a group's samples, built once for each variation and number of steps."""

    def __init__(self, draft: Draft, call: Call, task: Task, plan: GroupPlan) -> None:
        self._draft = draft
        self._task = task
        self._setup = call.setup
        self._token_budget = call.opening.token_budget
        self._template = plan.template
        self._examples = call.examples.list_solved(plan.examples)
        self._insert = call.inserts.get(task.pk)
        self._refs: dict[tuple[str, int], tuple[str, dict[str, Any] | None]] = {}

    def ref(self, variation: dict[str, Any] | None, *, max_steps: int) -> tuple[str, dict[str, Any] | None]:
        """Return the reference of the messages, and the guidance in them."""
        key = (str(variation), max_steps)
        if key not in self._refs:
            messages, given = guidance.guided(self._messages(variation, max_steps), self._insert)
            self._refs[key] = self._draft.messages_add(messages), given
        return self._refs[key]

    def _messages(self, variation: dict[str, Any] | None, max_steps: int) -> list[conversation.Message]:
        task = self._task
        question = conversation.question_of(
            kind=task.kind, prompt=task.prompt, payload=task.payload, variation=variation
        )
        return conversation.messages_for(
            template=self._template,
            setup=self._setup,
            question=question,
            max_steps=max_steps,
            token_budget=self._token_budget,
            examples=self._examples,
        )


def choose_extent(opening: Opening, run: Run, seed: int, sample_index: int) -> Recording:
    """Return the extent of an episode's recording.

    If the run has a share of full recordings and the call states ``full`` or nothing, the extent is drawn by
    seed. Otherwise it is what the call states, or ``events``.
    """
    share = run.recording_full_share
    if opening.recording in (None, Recording.FULL) and share is not None:
        is_full = Draws(RECORDING_FULL_SHARE, seed, sample_index).chance(share)
        return Recording.FULL if is_full else Recording.EVENTS
    return opening.recording or Recording.EVENTS
