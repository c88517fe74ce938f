"""Opening of episodes: one call and a handful of statements, with nothing to start or to reset."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction

from core.episodes import answer_check
from core.episodes.arms import arm_open
from core.errors import GymError
from palaestra.protocol.arms import ARMS, Arm
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from tasks_app import question_pictures
from tasks_app.models import Task
from tasks_app.questions import questions
from trajectories.models import Group, Run
from trajectories.record import hot_sql, projects
from trajectories.record.api import capacity
from trajectories.record.api.auth import Principal
from trajectories.record.prompts.interface import setup_of
from trajectories.rewards.profiles.fitness import fitness_check
from trajectories.rollouts.episodes import drafts, few_shot, guidance, variations
from trajectories.rollouts.episodes.creation_body import Opening
from trajectories.rollouts.live import events

SEED_BITS = 63
RUN_FIELDS = (
    *("pk", "kind", "affordances", "settings"),
    *("observation", "observation_settings", "grammar", "history", "actions_per_turn"),
)


def episodes_open(*, opening: Opening, principal: Principal) -> dict[str, Any]:
    """Open a group of samples for each task. Return the API's ``{"episodes", "messages"}``.

    Raises ``GymError``: 404 ``unknown_run``; 422 ``unknown_task``, ``unknown_arm``, ``unknown_look_axis``,
    ``unknown_choices_order``, ``unknown_text_form``, ``unknown_task_bar``, ``wrong_channel``,
    ``unperceivable``, ``not_drawn``, ``probe_in_training``, ``checked_probe``, ``not_one_page``,
    ``arm_without_text``, ``arm_without_tools``, ``other_world_salt``, ``no_exemplars``,
    ``shots_without_few_shot``, ``profile_unfit``; 413 ``too_many_episodes``, ``prompts_too_long``; 429
    ``at_capacity``; and the errors of ``guidance.inserts_make``.
    """
    arm = arm_open(opening.arm)
    few_shot.shots_check(opening)
    count_check(len(opening.tasks) * opening.samples_per_task)
    channel = _channel(opening)
    tasks = tasks_load(opening.tasks, principal)
    _check_text(tasks, opening.arm)
    run = run_load(opening.run, principal)
    fitness_check(run, [(task.benchmark_id, task.kind) for task in tasks], viewer=principal)
    if arm.is_probe:
        _check_probe(arm, tasks, run)
        _check_unguided(arm, opening)
    seed = secrets.randbits(SEED_BITS) if opening.seed is None else opening.seed
    examples = few_shot.examples_choose(opening=opening, run=run, principal=principal, seed=seed)
    inserts = guidance.inserts_make(opening.guidance, tasks, principal)
    call = _call(opening, run, tasks, seed=seed, examples=examples, inserts=inserts)
    capacity.capacity_check(requested=len(opening.tasks) * opening.samples_per_task)
    with transaction.atomic():
        draft = drafts.draft_make(call, tasks)
        _insert(draft, opening=opening, channel=channel)
    events.episodes_opened(run_id=opening.run)
    return {"episodes": draft.records, "messages": draft.messages}


def group_refill(*, group: Group, count: int, principal: Principal) -> dict[str, Any]:
    """Open ``count`` more samples in a group, with the settings of the call that opened it.

    Raises the same errors as ``episodes_open``.
    """
    few_shot.examples_check(group.examples or (), principal=principal)
    count_check(count)
    capacity.capacity_check(requested=count)
    opening = msgspec.convert(
        {
            "run": group.run_id,
            "tasks": [group.task_id],
            "arm": group.arm,
            "policy_version": group.policy_version,
            "samples_per_task": count,
            **{name: value for name, value in group.settings.items() if name != "guidance"},
        },
        Opening,
    )
    copied = guidance.copy_insert(group.episodes.order_by("sample_index").first(), principal)
    run = run_load(group.run_id, principal)
    examples = few_shot.Examples(solved=few_shot.load_solved(set(group.examples or ()), run=run))
    with transaction.atomic():
        locked = group_grow(group.pk, count)
        draft = drafts.Draft.empty()
        ids = hot_sql.ids_reserve(groups=0, episodes=count)[1]
        inserts = {} if copied is None else {locked.task_id: copied}
        call = _call(opening, run, [locked.task], seed=locked.seed, examples=examples, inserts=inserts)
        plan = drafts.GroupPlan(locked.pk, locked.seed, locked.template, locked.examples)
        drafts.group_fill(draft, call, locked.task, plan, ids, first=locked.size)
        _insert(draft, opening=opening, channel=_channel(opening))
    events.episodes_opened(run_id=opening.run)
    return {"episodes": draft.records, "messages": draft.messages}


def group_grow(group_id: int, count: int) -> Group:
    """Make room for ``count`` more samples in a group, and return the group with its size before.

    Needs a transaction. The group stays locked until the transaction ends, so that two refills never use the
    same numbers.
    """
    group = Group.objects.select_for_update(of=("self",)).select_related("task").get(pk=group_id)
    Group.objects.filter(pk=group_id).update(size=group.size + count, completed_seq=None)
    return group


def count_check(count: int, *, setting: str = "EPISODES_PER_CALL_MAX") -> None:
    """Raise ``GymError`` 413 ``too_many_episodes`` if the count exceeds the named setting."""
    limit: int = getattr(settings, setting)
    if count > limit:
        message = f"{count:,} episodes in one call are too many; the limit is {limit:,} (setting {setting})."
        raise GymError("too_many_episodes", message, status=413)


def _channel(opening: Opening) -> str:
    arm = ARMS[opening.arm]
    if opening.channel == "page" and not arm.has_page:
        raise GymError("wrong_channel", f"The arm {arm.id!r} has no page to answer on.", status=422)
    if opening.channel == "page" and arm.is_probe:
        message = f"The pages of the arm {arm.id!r} take no answer: leave answer_channel out, or send 'api'."
        raise GymError("wrong_channel", message, status=422)
    return opening.channel


def run_load(run_id: int, principal: Principal) -> Run:
    """Return the run, with the fields needed to open episodes. Raises ``GymError`` 404 ``unknown_run``."""
    run = projects.visible(Run.objects.filter(pk=run_id).only(*RUN_FIELDS), principal).first()
    if run is None:
        raise GymError(
            "unknown_run", f"There is no run {run_id}. Create one with POST /api/v1/runs.", status=404
        )
    return run


def tasks_load(ids: Sequence[int], principal: Principal) -> list[Task]:
    """Return the tasks in the given order, repeats included. Raises ``GymError`` 422 ``unknown_task``.

    Tasks of splits that are hidden from the key count as unknown.
    """
    fields = ("pk", "split", "kind", "prompt", "payload", "oracle_steps", "benchmark")
    rows = Task.objects.filter(pk__in=set(ids)).only(*fields)
    tasks = {task.pk: task for task in rows if principal.sees_split(task.split)}
    missing = sorted(set(ids) - tasks.keys())
    if missing:
        shown = ", ".join(map(str, missing[:10]))
        message = f"There is no task {shown}{' and others' if len(missing) > 10 else ''}."
        raise GymError("unknown_task", message, status=422, fields={"tasks": [message]})
    return [tasks[pk] for pk in ids]


def _call(
    opening: Opening,
    run: Run,
    tasks: Sequence[Task],
    *,
    seed: int,
    examples: few_shot.Examples,
    inserts: Mapping[int, guidance.Insert],
) -> drafts.Call:
    arm = ARMS[opening.arm]
    if arm.has_page:
        _check_positions(run)
    if arm.has_page and not (arm.has_text or arm.is_pictured or arm.is_probe):
        _check_perceivable(tasks, run)
    pictures = _pictures(tasks, run, opening.arm) if arm.is_pictured else {}
    plan = variations.variation_plan(
        run=run,
        tasks=tasks,
        arm=arm,
        axes=opening.presentation,
        has_task_bar=variations.task_bar_read(opening.presentation, channel=_channel(opening)),
    )
    plan = replace(plan, pictures=pictures)
    setup = setup_of(run, arm=opening.arm, channel=opening.channel)
    return drafts.Call(
        opening=opening, run=run, setup=setup, seed=seed, variations=plan, examples=examples, inserts=inserts
    )


def _check_probe(arm: Arm, tasks: Sequence[Task], run: Run) -> None:
    """Refuse tasks and runs that are not fit for a reading probe.

    A probe pays no reward, has no answer to check, and copies a single page.
    """
    if answer_check.is_checked(run.settings):
        message = f"The arm {arm.id!r} copies questions, but this run has answers checked: use another run."
        raise GymError("checked_probe", message, status=422, fields={"arm": [message]})
    if run.kind == Run.Kind.TRAIN:
        message = (
            f"The arm {arm.id!r} measures how well a policy reads, but a training run rewards its episodes: "
            "use a run of kind 'eval' or 'collect'."
        )
        raise GymError("probe_in_training", message, status=422, fields={"arm": [message]})
    if sites := [task for task in tasks if questions.get(task.kind).transcript is None]:
        message = f"Task {sites[0].pk} is a site of many pages, but in the arm {arm.id!r} only one is copied."
        raise GymError("not_one_page", message, status=422, fields={"tasks": [message]})


def _check_unguided(arm: Arm, opening: Opening) -> None:
    if opening.guidance is not None:
        message = f"The arm {arm.id!r} copies questions and takes no guidance."
        raise GymError("bad_guidance", message, status=422, fields={"guidance": [message]})


def _pictures(tasks: Sequence[Task], run: Run, arm: str) -> dict[int, dict[str, Any]]:
    """Return the pictures that are shown in place of the tasks' questions.

    Raises ``GymError`` 422 ``unperceivable`` or ``not_drawn``.
    """
    observation = OBSERVATION_FORMATS.get(run.observation)
    if ARMS[arm].has_page and not (observation and observation.has_screenshot):
        # A run that states no observation counts as having outlines, so the message says "outlines".
        observed = observation.id if observation else "outlines"
        message = f"The arm {arm!r} shows each question as a picture, but the run observes only {observed}."
        raise GymError("unperceivable", message, status=422, fields={"arm": [message]})
    if whole := [task for task in tasks if task.kind not in question_pictures.KINDS]:
        message = f"Task {whole[0].pk} is of kind {whole[0].kind!r}, which cannot be shown as a picture."
        raise GymError("unperceivable", message, status=422, fields={"tasks": [message]})
    drawn = question_pictures.find_pictures(tasks)
    if missing := [task for task in tasks if task.pk not in drawn]:
        message = (
            f"Task {missing[0].pk} has no picture of its question, or has changed since it was drawn: run "
            f"manage.py draw_questions {missing[0].benchmark_id}."
        )
        raise GymError("not_drawn", message, status=422, fields={"tasks": [message]})
    return drawn


def _check_perceivable(tasks: Sequence[Task], run: Run) -> None:
    """Refuse tasks with pictures in a run that sees only outlines.

    Nobody could answer them, and their scores would mean nothing.
    """
    observation = OBSERVATION_FORMATS.get(run.observation)
    if observation is None or observation.has_screenshot:
        return
    pictured = [task.pk for task in tasks if task.payload.get("pictures")]
    if pictured:
        with_pictures = " or ".join(one.id for one in OBSERVATION_FORMATS.values() if one.has_screenshot)
        message = (
            f"Task {pictured[0]} shows pictures, but the run observes only {observation.id}. "
            f"Open it in a run that observes {with_pictures}."
        )
        raise GymError("unperceivable", message, status=422, fields={"tasks": [message]})


def _check_positions(run: Run) -> None:
    """Refuse a run that sees no pictures if its grammar names elements by their position in a picture."""
    observation = OBSERVATION_FORMATS.get(run.observation)
    if observation is None or observation.has_screenshot or not GRAMMARS[run.grammar].is_by_position:
        return
    with_pictures = " or ".join(one.id for one in OBSERVATION_FORMATS.values() if one.has_screenshot)
    message = (
        f"The grammar {run.grammar} acts by position in a picture, but the run observes {observation.id}: "
        f"use one that observes {with_pictures}."
    )
    raise GymError("unperceivable", message, status=422, fields={"run": [message]})


def _check_text(tasks: Sequence[Task], arm: str) -> None:
    """Refuse tasks that an arm without a page cannot pose.

    These are tasks that are done on pages and have no text. In an arm without turns, they are also the tasks
    whose tools have to be called."""
    if ARMS[arm].has_page:
        return
    without_text = [task for task in tasks if not questions.get(task.kind).has_text(task.payload)]
    if without_text:
        message = f"Task {without_text[0].pk} is done on its pages, but the arm {arm!r} has none."
        raise GymError("arm_without_text", message, status=422, fields={"tasks": [message]})
    with_tools = [task for task in tasks if questions.get(task.kind).own_tools(task.payload)]
    if with_tools and not ARMS[arm].has_tools:
        others = ", ".join(one.id for one in ARMS.values() if one.has_tools and not one.is_pictured)
        message = (
            f"Task {with_tools[0].pk} comes with tools, but the arm {arm!r}, whose answer is one text, has "
            f"no turns to call them in. Open it in one of: {others}."
        )
        raise GymError("arm_without_tools", message, status=422, fields={"tasks": [message]})


def _insert(draft: drafts.Draft, *, opening: Opening, channel: str) -> None:
    call = {name: getattr(opening, name) for name in hot_sql.CALL_COLUMNS}
    hot_sql.episodes_insert(
        run_id=opening.run,
        settings=opening.settings,
        call={**call, "answer_channel": channel},
        groups=draft.groups,
        episodes=draft.episodes,
    )
