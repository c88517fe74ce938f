"""Drawn tasks with their worlds, and the drafts that are stored for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tasks_app import kinds
from tasks_app.families.registry import FAMILIES, TAG
from tasks_app.families.types import LEVELS, SiteTask
from tasks_app.sites.worlds import SiteWorld
from tasks_app.types import GoldDraft, TaskDraft
from tasks_app.worlds import registry, text_view
from tasks_app.worlds.keys import changes_seal
from verifiers import denotations

KEY_DIGITS = 20
LEVEL = "level-"
DONE_REASON = "interaction: it requires actions on its pages and has no arm without them"
LONG_REASON = f"interaction: its text has more than {text_view.SHORT_TOKENS:,} tokens"


@dataclass(frozen=True, kw_only=True)
class PlacedTask:
    """A task in its world.

    ``scope`` is where to look according to the wording, or None for a task that requires actions.
    ``gap_reason`` explains why the task cannot count in a modality gap.
    """

    task: SiteTask
    world: SiteWorld
    scope: Mapping[str, Any] | None = None
    gap_reason: str = ""


def task_place(task: SiteTask, where: SiteWorld, world: Any) -> PlacedTask:
    """Place a task with the scope of its text. ``world`` is the opened world of ``where``."""
    if task.goal is not None:
        return PlacedTask(task=task, world=where, gap_reason=DONE_REASON)
    scope = registry.worlds.get(where.site).text_view.scope_of(world, task.given)
    reason = "" if text_view.is_short(where.site, world, scope) else LONG_REASON
    return PlacedTask(task=task, world=where, scope=scope, gap_reason=reason)


def draft_make(
    placed: PlacedTask, *, split: str | None, guess_rate: float = 0.0, place: str = ""
) -> TaskDraft:
    """Build the draft to store. Only its gold contains whether the task is possible."""
    task, world = placed.task, placed.world
    sealed = changes_seal(task.changes, key=world.key, text=task.wording)
    key = sha256(f"{world.site}:{world.number}:{task.wording}:{sealed}".encode()).hexdigest()[:KEY_DIGITS]
    scope = {} if placed.scope is None else {text_view.SCOPE: placed.scope}
    return TaskDraft(
        key=f"{task.family}/{key}",
        kind=kinds.SITE,
        prompt=task.wording,
        payload={
            "site": world.site,
            "world": world.number,
            "edition": world.edition,
            "first_day": world.first_day.isoformat(),
            "changes": sealed,
            "text": task.wording,
            "format": "plain",
            "fields": list(task.fields),
            "forms": task.forms,
            **scope,
        },
        gold=gold_make(task),
        split=split,
        difficulty=(task.level - 1) / (len(LEVELS) - 1),
        tags=(f"{TAG}{task.family}", f"{LEVEL}{task.level}"),
        guess_rate=guess_rate,
        oracle_steps=FAMILIES.get(task.family).steps[task.level - 1],
        gap_reason=placed.gap_reason,
        place=place,
    )


def gold_make(task: SiteTask) -> GoldDraft:
    """Build the gold: the answer and, if the task requires actions, the required parts of the final state."""
    extra: dict[str, Any] = {
        "is_possible": task.is_possible,
        "twin": task.twin,
        "oracle_steps": task.oracle_steps,
        "needs": list(task.needs),
        "given": dict(task.given),
    }
    if task.goal is not None:
        extra |= {"state": task.goal["state"], "free": task.goal["free"]}
    parts = zip(task.fields, task.answer, strict=True)
    result = "; ".join(f"{label}: {value}" for label, value in parts)
    solution = "\n".join([*FAMILIES.get(task.family).way, f"{result}."])
    return GoldDraft(answer=denotations.join_cell(task.answer), solution=solution, extra=extra)
