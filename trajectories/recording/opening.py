"""Opening episodes: one call, a handful of statements, nothing started and nothing to reset."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from django.conf import settings
from django.db import transaction
from msgspec import Meta, Struct, structs

from gymsite.core.errors import GymError
from gymsite.core.presentation import Look, look_make
from gymsite.core.tokens import token_make
from tasks_app.models import Task
from tasks_app.questions import questions
from trajectories import hot_sql
from trajectories.models import Episode, Group, Run
from trajectories.recording import arranging, capacity, prompts
from trajectories.recording.auth import Principal

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1
SEED_BITS = 63
FIRST_VIRTUAL_DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
VIRTUAL_DAYS = 365
# One completion, and room to close without an answer: the step that uses up the budget would end it first.
TEXT_ARM_STEPS = 2
FREE_TEXT_ARMS = frozenset({"text_zero_shot", "text_few_shot"})
AXTREE = "axtree-v1"
# What ``presentation`` may name beside the axes of a look.
OWN_AXES = frozenset({"instruction", arranging.CHOICES_AXIS})

Id = Annotated[int, Meta(ge=1, le=BIGINT_MAX)]
Count = Annotated[int, Meta(ge=1, le=INT_MAX)]


class Guidance(Struct, forbid_unknown_fields=True):
    """Reserved: what of the solution was given away beforehand. Guided episodes are left out of reports."""

    kind: Annotated[str, Meta(max_length=64)]
    fraction: Annotated[float, Meta(ge=0, le=1)]
    hash: Annotated[str, Meta(max_length=128)] = ""


class Opening(Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of ``POST /episodes``; API.md."""

    run: Id
    tasks: Annotated[list[Id], Meta(min_length=1)]
    arm: str = "gym"
    samples_per_task: Annotated[int, Meta(ge=1, le=10_000)] = 1
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None
    max_steps: Count | None = None
    token_budget: Count | None = None
    recording: Literal["off", "events", "full"] = "events"
    presentation: dict[str, Any] = {}
    looks: Literal["per_group", "per_episode", "rotation"] = "per_group"
    answer_channel: Literal["page", "api"] | None = None
    guidance: Guidance | None = None


class _Draft(Struct):
    """Groups and episodes on their way into the database, and the answer that tells of them."""

    groups: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    records: list[dict[str, Any]]
    messages: dict[str, list[prompts.Message]]


class _Call(Struct, frozen=True, kw_only=True):
    """What all samples of one call share."""

    opening: Opening
    run: Run
    arranger: arranging.Arranger


def episodes_open(*, opening: Opening, principal: Principal) -> dict[str, Any]:
    """Open a group of samples for every task; returns the API's ``{"episodes", "messages"}``.

    Raises ``GymError``: 404 ``unknown_run``; 422 ``unknown_task``, ``unknown_arm``, ``arm_not_built``,
    ``unknown_look_axis``, ``unknown_choices_order``, ``wrong_channel``, ``unperceivable``;
    413 ``too_many_episodes``; 429 ``at_capacity``.
    """
    prompts.arm_check(opening.arm)
    _check_count(len(opening.tasks) * opening.samples_per_task)
    channel = _channel(opening)
    tasks = _tasks_load(opening.tasks, principal)
    call = _call(opening, _run_load(opening.run), tasks)
    capacity.capacity_check(wanted=len(opening.tasks) * opening.samples_per_task)
    with transaction.atomic():
        draft = _draft(call, tasks)
        _insert(draft, opening=opening, channel=channel)
    return {"episodes": draft.records, "messages": draft.messages}


def group_refill(*, group: Group, count: int) -> dict[str, Any]:
    """Open ``count`` more samples in a group, by the settings of the call that opened it.

    Raises ``GymError`` as ``episodes_open`` does.
    """
    _check_count(count)
    capacity.capacity_check(wanted=count)
    opening = Opening(
        run=group.run_id,
        tasks=[group.task_id],
        arm=group.arm,
        policy_version=group.policy_version,
        samples_per_task=count,
        **group.settings,
    )
    with transaction.atomic():
        # Two refills at once must not number their samples alike.
        locked = Group.objects.select_for_update(of=("self",)).select_related("task").get(pk=group.pk)
        draft = _Draft(groups=[], episodes=[], records=[], messages={})
        ids = hot_sql.ids_reserve(groups=0, episodes=count)[1]
        first = Episode.objects.filter(group=locked).count()
        call = _call(opening, _run_load(group.run_id), [locked.task])
        _group_fill(draft, call, locked.task, _GroupPlan(locked.pk, locked.seed, locked.template), ids, first)
        _insert(draft, opening=opening, channel=_channel(opening))
    return {"episodes": draft.records, "messages": draft.messages}


def start_url(*, episode_id: int, arm: str) -> str | None:
    """The arena's address of an episode; None in arms without a page."""
    if arm not in prompts.ARMS_WITH_PAGE:
        return None
    return f"{settings.ARENA_URL}/e/{token_make(episode_id=episode_id, key=settings.TOKEN_KEY)}/"


class _GroupPlan(Struct, frozen=True):
    group_id: int
    seed: int
    template: str


def _check_count(count: int) -> None:
    if count > settings.EPISODES_PER_CALL_MAX:
        limit = settings.EPISODES_PER_CALL_MAX
        message = f"{count:,} episodes in one call; the limit is {limit:,} (setting EPISODES_PER_CALL_MAX)."
        raise GymError("too_many_episodes", message, status=413)


def _channel(opening: Opening) -> str:
    has_page = opening.arm in prompts.ARMS_WITH_PAGE
    if opening.answer_channel == "page" and not has_page:
        raise GymError("wrong_channel", f"The arm {opening.arm!r} has no page to answer on.", status=422)
    return opening.answer_channel or ("page" if has_page else "api")


def _run_load(run_id: int) -> Run:
    run = Run.objects.filter(pk=run_id).only("pk", "kind", "observation", "affordances").first()
    if run is None:
        raise GymError(
            "unknown_run", f"There is no run {run_id}. Make one with POST /api/v1/runs.", status=404
        )
    return run


def _tasks_load(ids: Sequence[int], principal: Principal) -> list[Task]:
    """The tasks in the order asked for, repeated ones too; what a key may not see does not exist for it."""
    fields = ("pk", "split", "kind", "prompt", "payload", "oracle_steps")
    wanted = Task.objects.filter(pk__in=set(ids)).only(*fields)
    found = {task.pk: task for task in wanted if principal.sees_split(task.split)}
    missing = sorted({pk for pk in ids if pk not in found})
    if missing:
        shown = ", ".join(map(str, missing[:10]))
        message = f"There is no task {shown}{' and others' if len(missing) > 10 else ''}."
        raise GymError("unknown_task", message, status=422, fields={"tasks": [message]})
    return [found[pk] for pk in ids]


def _call(opening: Opening, run: Run, tasks: Sequence[Task]) -> _Call:
    has_page = opening.arm in prompts.ARMS_WITH_PAGE
    if run.observation == AXTREE and opening.arm not in prompts.ARMS_WITH_QUESTION:
        _check_perceivable(tasks)
    arranger = arranging.arranger_make(
        run=run, tasks=tasks, has_page=has_page, axis=opening.presentation.get(arranging.CHOICES_AXIS)
    )
    return _Call(opening=opening, run=run, arranger=arranger)


def _check_perceivable(tasks: Sequence[Task]) -> None:
    """A picture is in no accessibility tree: nobody could answer, and the score would say nothing."""
    pictured = [task.pk for task in tasks if task.payload.get("pictures")]
    if pictured:
        message = (
            f"Task {pictured[0]} shows pictures, and the run observes {AXTREE} alone. "
            "Open it in a run that observes screenshot or both."
        )
        raise GymError("unperceivable", message, status=422, fields={"tasks": [message]})


def _draft(call: _Call, tasks: Sequence[Task]) -> _Draft:
    opening = call.opening
    count = opening.samples_per_task
    group_ids, episode_ids = hot_sql.ids_reserve(groups=len(tasks), episodes=len(tasks) * count)
    draft = _Draft(groups=[], episodes=[], records=[], messages={})
    base = secrets.randbits(SEED_BITS) if opening.seed is None else opening.seed
    for place, (task, group_id) in enumerate(zip(tasks, group_ids, strict=True)):
        seed = _derive(base, "group", task.pk, place if opening.seed is None else 0)
        template = prompts.template_for(seed=seed, instruction=opening.presentation.get("instruction"))
        draft.groups.append({"id": group_id, "task": task.pk, "seed": seed, "template": template})
        plan = _GroupPlan(group_id, seed, template)
        _group_fill(draft, call, task, plan, episode_ids[place * count : (place + 1) * count], 0)
    return draft


def _group_fill(
    draft: _Draft, call: _Call, task: Task, plan: _GroupPlan, ids: Sequence[int], first: int
) -> None:
    opening = call.opening
    max_steps = opening.max_steps or (TEXT_ARM_STEPS if opening.arm in FREE_TEXT_ARMS else task.max_steps)
    prompting = _Prompting(draft, task, arm=opening.arm, template=plan.template, max_steps=max_steps)
    answer_form = questions.get(task.kind).answer_form
    virtual_start = FIRST_VIRTUAL_DAY + timedelta(days=plan.seed % VIRTUAL_DAYS)
    looks = _Looks(opening, plan.seed)
    for sample_index, episode_id in enumerate(ids, start=first):
        look = looks.of_sample(sample_index)
        arrangement = call.arranger.arrangement(task, seed=_derive(plan.seed, "choices", sample_index))
        draft.episodes.append(
            {
                "id": episode_id,
                "group_id": plan.group_id,
                "task": task.pk,
                "sample_index": sample_index,
                "seed": plan.seed,
                "presentation": look.as_dict(),
                "presentation_hash": look.digest(),
                "arrangement": arrangement,
                "max_steps": max_steps,
                "virtual_start": virtual_start,
            }
        )
        draft.records.append(
            {
                "id": episode_id,
                "task": task.pk,
                "group": plan.group_id,
                "sample_index": sample_index,
                "arm": opening.arm,
                "start_url": start_url(episode_id=episode_id, arm=opening.arm),
                "messages_ref": prompting.ref(arrangement),
                "answer_form": answer_form,
                "max_steps": max_steps,
                "presentation_hash": look.digest(),
            }
        )


class _Prompting:
    """The opening messages of a group's samples: one for each arrangement that its words can tell apart."""

    def __init__(self, draft: _Draft, task: Task, *, arm: str, template: str, max_steps: int) -> None:
        self._draft = draft
        self._task = task
        self._facts = {"arm": arm, "template": template}
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
        messages = prompts.messages_for(**self._facts, question=question, max_steps=self._max_steps)
        ref = prompts.messages_ref(messages)
        self._draft.messages[ref] = messages
        return ref


class _Looks:
    """The look of each sample: one a group, one an episode, or the k-th of a fixed rotation for sample k.

    In a rotation sample k has the same look in every task, so that looks are crossed with tasks.
    """

    def __init__(self, opening: Opening, group_seed: int) -> None:
        self._mode = opening.looks
        self._fixed = {axis: value for axis, value in opening.presentation.items() if axis not in OWN_AXES}
        self._group_seed = group_seed
        self._rotation_seed = opening.seed or 0
        self._shared = look_make(seed=group_seed, fixed=self._fixed)

    def of_sample(self, sample_index: int) -> Look:
        if self._mode == "per_group":
            return self._shared
        if self._mode == "per_episode":
            seed = _derive(self._group_seed, "look", sample_index)
        else:
            seed = _derive(self._rotation_seed, "rotation", sample_index)
        return look_make(seed=seed, fixed=self._fixed)


def _insert(draft: _Draft, *, opening: Opening, channel: str) -> None:
    kept = (
        "seed",
        "max_steps",
        "token_budget",
        "recording",
        "presentation",
        "looks",
        "answer_channel",
        "guidance",
    )
    hot_sql.episodes_insert(
        run_id=opening.run,
        arm=opening.arm,
        policy_version=opening.policy_version,
        settings={name: getattr(opening, name) for name in kept},
        groups=draft.groups,
        episodes=draft.episodes,
        token_budget=opening.token_budget,
        recording=opening.recording,
        channel=channel,
        guidance=structs.asdict(opening.guidance) if opening.guidance else None,
    )


def _derive(*parts: int | str) -> int:
    """A seed from seeds: the same on every machine."""
    text = ":".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
