"""Opening of forks: episodes that start in the state that another episode had after one of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.db import transaction
from msgspec import Meta, Struct

from core.database.integers import INT_MAX
from core.database.sql import Statement
from core.episodes import answer_check
from core.errors import GymError
from core.structs.fields import Id, Positive
from core.structs.schema import limit
from palaestra.protocol.arms import ARMS
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Gold
from tasks_app.worlds.evidence import ANSWER_RECORDED, PAGES_CAPPED
from trajectories.models import Episode, Group, Run, Verdict
from trajectories.models.run import SETUP
from trajectories.record import hot_sql, projects
from trajectories.record.api import capacity
from trajectories.record.api.auth import Principal
from trajectories.record.prompts.interface import setup_of
from trajectories.rollouts.episodes import creation as openings
from trajectories.rollouts.episodes import drafts, guidance, services
from trajectories.rollouts.episodes.creation_body import Guidance
from trajectories.rollouts.episodes.forks.lineage import (
    RESTORE,
    has_person,
    is_complete,
    places_until,
    shows_ids,
)
from trajectories.rollouts.episodes.opening_messages import FORK, build_unguided_messages
from trajectories.rollouts.live import events

SAMPLES_MAX = 10_000


class ForkSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """Settings of forks.

    ``step`` is the parent's last step that the forks inherit, 0 for none. The forks number their own steps
    from the next one, and ``max_steps`` and ``token_budget`` count from the parent's beginning. These two and
    ``run`` are the parent's unless given; another ``run`` must show pages and take actions in the same way.
    ``guidance`` replaces the parent's guidance, which forks otherwise keep.
    """

    step: Annotated[int, Meta(ge=0, le=INT_MAX)]
    count: Annotated[int, Meta(ge=1, le=SAMPLES_MAX)] = 1
    run: Id | None = None
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    max_steps: Positive | None = None
    token_budget: Positive | None = None
    guidance: Guidance | None = None


class Fork(ForkSettings, forbid_unknown_fields=True, kw_only=True):
    """Forks of one ``episode``. They form a group."""

    episode: Id


class Forks(Struct, forbid_unknown_fields=True):
    """Forks of several episodes, opened all together or not at all."""

    forks: Annotated[list[Fork], Meta(min_length=1), limit("FORKS_PER_CALL_MAX")]


SITE_RECORD = Statement(__file__, "site_record", capped=PAGES_CAPPED, answered=ANSWER_RECORDED)


def forks_open(*, forks: Sequence[Fork], principal: Principal) -> dict[str, Any]:
    """Open a group of forks for each of ``forks``. Return the API's ``{"episodes", "messages"}``.

    Raises ``GymError``: 404 ``unknown_episode``, ``unknown_run``; 409 ``episode_open``, ``gold_changed``,
    ``task_changed``; 413 ``too_many_episodes``, ``prompts_too_long``; 422 ``probe_parent``, ``void_parent``,
    ``checked_parent``, ``no_such_step``, ``budget_spent``, ``other_setup``, ``record_incomplete``; 429
    ``at_capacity``; and the errors of ``guidance.inserts_make``.
    """
    return groups_open(forks=forks, principal=principal)[1]


def groups_open(
    *, forks: Sequence[Fork], principal: Principal, inserts: Sequence[guidance.Insert | None] | None = None
) -> tuple[list[int], dict[str, Any]]:
    """Open forks as ``forks_open`` does, and also return the ids of their groups.

    A group with a count of 0 stays empty until a refill. ``inserts``, one for each fork, replace the guidance
    of the forks or their parents.
    """
    total = sum(fork.count for fork in forks)
    openings.count_check(total, setting="FORKS_PER_CALL_MAX")
    parents = _parents(forks, principal)
    runs = {fork.run: openings.run_load(fork.run, principal) for fork in forks if fork.run is not None}
    for fork in {(one.episode, one.step, one.run, one.max_steps): one for one in forks}.values():
        _check(fork, parents[fork.episode], runs.get(fork.run or 0))
    checks = LeakChecks()
    if inserts is None:
        inserts = [_build_insert(fork, parents[fork.episode], principal, checks) for fork in forks]
    capacity.capacity_check(requested=total)
    group_ids, ids = hot_sql.ids_reserve(groups=len(forks), episodes=total)
    draft, first = drafts.Draft.empty(), 0
    with transaction.atomic():
        for fork, group_id, insert in zip(forks, group_ids, inserts, strict=True):
            parent, fork_ids = parents[fork.episode], ids[first : first + fork.count]
            rows = _fill(draft, fork, parent, insert, group_id=group_id, ids=fork_ids, first=0)
            _insert(rows, fork, parent, group=_group(fork, parent, group_id))
            first += fork.count
    for run_id in {fork.run or parents[fork.episode].run_id for fork in forks}:
        events.episodes_opened(run_id=run_id)
    return group_ids, {"episodes": draft.records, "messages": draft.messages}


def group_refill(*, group: Group, count: int, principal: Principal) -> dict[str, Any]:
    """Open ``count`` more forks in a group of forks. Raises the same errors as ``forks_open``."""
    fork = find_fork(group, count=count)
    openings.count_check(count, setting="FORKS_PER_CALL_MAX")
    parent = _parents([fork], principal)[fork.episode]
    _check(fork, parent, openings.run_load(group.run_id, principal))
    # A group without forks so far has its parent's guidance.
    insert = guidance.copy_insert(group.episodes.order_by("sample_index").first() or parent, principal)
    capacity.capacity_check(requested=count)
    draft = drafts.Draft.empty()
    with transaction.atomic():
        size = openings.group_grow(group.pk, count).size
        ids = hot_sql.ids_reserve(groups=0, episodes=count)[1]
        rows = _fill(draft, fork, parent, insert, group_id=group.pk, ids=ids, first=size)
        _insert(rows, fork, parent, group=None)
    events.episodes_opened(run_id=group.run_id)
    return {"episodes": draft.records, "messages": draft.messages}


def find_fork(group: Group, *, count: int) -> Fork:
    """Return the call that opened a group of forks, changed to ask for ``count`` more of them."""
    stored = group.settings[FORK]
    return Fork(
        episode=stored["episode"],
        step=stored["step"],
        count=count,
        run=group.run_id,
        policy_version=group.policy_version,
        max_steps=group.settings.get("max_steps"),
        token_budget=group.settings.get("token_budget"),
    )


# ---- what can be forked
def _parents(forks: Sequence[Fork], principal: Principal) -> dict[int, Episode]:
    """Return the parents of the forks, by id. Raises ``GymError`` if one cannot be forked at any step."""
    rows = Episode.objects.select_related("run", "group", "task", "verdict")
    parents = projects.visible(rows.filter(pk__in={fork.episode for fork in forks}), principal).in_bulk()
    for fork in forks:
        if fork.episode not in parents:
            raise services.unknown_episode(fork.episode)
    for parent in parents.values():
        _check_parent(parent)
    return parents


def _check(fork: Fork, parent: Episode, run: Run | None) -> None:
    """Raise ``GymError`` if the parent's state after this step cannot be restored."""
    if any(answer_check.is_checked(one.settings) for one in (parent.run, run or parent.run)):
        message = "In a run that has answers checked, no episode can be forked or opened as a fork."
        raise GymError("checked_parent", message, status=422, fields={"episode": [message]})
    if run is not None and any(getattr(run, name) != getattr(parent.run, name) for name in SETUP):
        message = (
            f"Run {run.pk} shows pages or takes actions in another way than the run of episode {parent.pk}."
        )
        raise GymError("other_setup", message, status=422, fields={"run": [message]})
    _check_record(fork, parent)
    max_steps = fork.max_steps or parent.max_steps + parent.person_steps
    if fork.step >= max_steps:
        message = (
            f"After step {fork.step} of episode {parent.pk} no steps are left: the budget of {max_steps} "
            "counts from the beginning."
        )
        raise GymError("budget_spent", message, status=422, fields={"max_steps": [message]})


def _check_parent(parent: Episode) -> None:
    verdict: Verdict | None = parent.verdict
    if ARMS[parent.arm].is_probe:
        raise GymError("probe_parent", f"Episode {parent.pk} is a probe and cannot be forked.", status=422)
    if parent.status != Episode.Status.FINISHED or verdict is None:
        message = f"Episode {parent.pk} has not ended: it can be forked once its steps are complete."
        raise GymError("episode_open", message, status=409)
    if verdict.outcome == Verdict.Outcome.VOID:
        message = f"Episode {parent.pk} is void ({verdict.reason}), so what it shows is unreliable."
        raise GymError("void_parent", message, status=422)
    gold = Gold.objects.filter(task=parent.task_id, is_current=True, created_at__gt=parent.opened_at)
    if gold.exists():
        message = f"The gold of task {parent.task_id} has changed since episode {parent.pk} was opened."
        raise GymError("gold_changed", message, status=409)
    if parent.task.changed_at is not None and parent.task.changed_at > parent.opened_at:
        message = f"Task {parent.task_id} has changed since episode {parent.pk} was opened."
        raise GymError("task_changed", message, status=409)


def _check_record(fork: Fork, parent: Episode) -> None:
    """Refuse a parent that has no observation after the fork's last inherited step.

    The restored fork is compared with that observation.
    """
    steps = places_until(parent.pk, fork.step + 1)
    last = steps[-1].index if steps else parent.begins_after
    if last <= fork.step:
        message = f"Episode {parent.pk} has no observation after step {fork.step}: it has {last} steps."
        raise GymError("no_such_step", message, status=422, fields={"step": [message]})
    problem = ""
    if not is_complete(steps, last=fork.step + 1):
        problem = "steps are missing from its record or its ancestors'"
    elif parent.inherited_events is None:
        problem = "it was closed before it was restored"
    elif parent.has_page:
        has_ids = any(step.element_ids for step in steps) or not shows_ids(parent.pk, fork.step + 1)
        problem = _page_problem(parent, fork.step, has_ids=has_ids)
    if problem:
        message = f"Episode {parent.pk} cannot be restored to step {fork.step}: {problem}."
        raise GymError("record_incomplete", message, status=422, fields={"step": [message]})


def _page_problem(parent: Episode, step: int, *, has_ids: bool) -> str:
    row = SITE_RECORD.row(episode=parent.pk, step=step) or (False, False, False)
    is_unnumbered, is_capped, is_answered = row
    if is_unnumbered:
        return "some of its pages were opened without a step number"
    if is_capped:
        return "not all of its pages were recorded"
    if is_answered:
        return "it had already answered by then"
    form = setup_of(parent.run, arm=parent.arm, channel=parent.answer_channel).observation
    return (
        ""
        if has_ids or not form.has_ids
        else "its steps do not give the ids of elements, because an older client sent them"
    )


# ---- rows
def _group(fork: Fork, parent: Episode, group_id: int) -> dict[str, Any]:
    return {
        "id": group_id,
        "task": parent.task_id,
        "seed": parent.seed,
        "template": parent.group.template,
        "size": fork.count,
        "examples": parent.group.examples,
    }


def _settings(fork: Fork, parent: Episode) -> Mapping[str, Any]:
    """Return the settings to store with the forks' group.

    They include the budgets that the forks' prompts state, which are those of the line's first episode.
    """
    opened = parent.group.settings.get(FORK) or {
        "max_steps": parent.max_steps,
        "token_budget": parent.token_budget,
    }
    budgets = {name: opened[name] for name in ("max_steps", "token_budget")}
    return {
        "max_steps": fork.max_steps,
        "token_budget": fork.token_budget,
        FORK: {"episode": parent.pk, "step": fork.step, **budgets},
    }


def _build_insert(
    fork: Fork, parent: Episode, principal: Principal, checks: LeakChecks
) -> guidance.Insert | None:
    """Return a fork's own guidance, or its parent's if it has none."""
    if fork.guidance is None:
        return guidance.copy_insert(parent, principal)
    return guidance.inserts_make(fork.guidance, [parent.task], principal, checks=checks)[parent.task_id]


def _fill(
    draft: drafts.Draft,
    fork: Fork,
    parent: Episode,
    insert: guidance.Insert | None,
    *,
    group_id: int,
    ids: Sequence[int],
    first: int,
) -> list[dict[str, Any]]:
    """Add the response about forks, numbered from ``first``, to the draft, and return the forks' rows."""
    rows: list[dict[str, Any]] = []
    opening = build_unguided_messages(parent, with_solutions=True)
    if insert is not None and insert.block and not opening:
        message = f"The prompt of episode {parent.pk} cannot be rebuilt, but guidance is a part of it."
        raise GymError("record_incomplete", message, status=422, fields={"guidance": [message]})
    messages, given = guidance.guided(opening, insert)
    ref = draft.messages_add(messages)
    inherited = _inherited(parent, fork.step)
    for sample_index, episode_id in enumerate(ids, start=first):
        shared = {
            "id": episode_id,
            "sample_index": sample_index,
            "max_steps": fork.max_steps or parent.max_steps + parent.person_steps,
            "presentation_hash": parent.presentation_hash,
            "begins_after": fork.step,
        }
        record = {
            "group": group_id,
            "task": parent.task_id,
            "arm": parent.arm,
            "parent": parent.pk,
            **drafts.entrance(parent.task, episode_id=episode_id, arm=parent.arm, variation=parent.variation),
            "messages_ref": ref,
        }
        rows.append({**shared, **inherited, "group_id": group_id, "guidance": given})
        draft.records.append({**shared, **record})
    return rows


def _inherited(parent: Episode, step: int) -> dict[str, Any]:
    """Return the columns that a fork after ``step`` takes over from its parent."""
    return {
        "task_id": parent.task_id,
        "seed": parent.seed,
        "recording": parent.recording,
        "virtual_start": parent.virtual_start,
        "presentation": parent.presentation,
        "variation": parent.variation,
        "parent_id": parent.pk,
        "inherited_events": None if parent.has_page or _calls_tools(parent) else 0,
        "answer_check": Episode.AnswerCheck.NONE,
        # Steps that a person took before the fork begins are part of its conversation, although no policy
        # took them.
        "is_taken_over": parent.is_taken_over and has_person(parent.pk, step),
    }


def _insert(rows: list[dict[str, Any]], fork: Fork, parent: Episode, *, group: dict[str, Any] | None) -> None:
    call = {
        "arm": parent.arm,
        "policy_version": fork.policy_version,
        "token_budget": fork.token_budget or parent.token_budget,
        "answer_channel": parent.answer_channel,
    }
    hot_sql.episodes_insert(
        run_id=fork.run or parent.run_id,
        settings=_settings(fork, parent),
        call=call,
        groups=[] if group is None else [group],
        episodes=rows,
    )
    if _calls_tools(parent):
        # There is no page to restore. A fork needs only a copy of what the server did for its parent.
        for row in rows:
            RESTORE.run(episode=row["id"])


def _calls_tools(parent: Episode) -> bool:
    """Return whether the calls of an episode without a page have to be copied."""
    return bool(drafts.list_called_tools(parent.task, arm=parent.arm, variation=parent.variation))
