"""Guidance: a part of the reference solution, a hint or an abstraction, inserted into the opening messages.

The text comes from the gold tables or from the caller. It is checked for the answer and put at the end of the
last opening message, after an instruction. Episodes store its hash, kind and place, but never the text.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Gold, Task
from trajectories.models import Abstraction, Episode, GuidanceText
from trajectories.models.access import Scope
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.record.prompts.conversation import Message
from trajectories.rollouts.episodes.creation_body import Guidance
from verifiers.types import storable

INSTRUCTIONS = {
    "prefix": "The beginning of a correct solution follows. Study it, then go on from where it stops and "
    "finish the task yourself.",
    "hint": "A hint for this task follows. Use it where it helps.",
    "abstraction": "General knowledge about tasks like this one follows. Use it where it helps.",
}
HIDDEN = "(guidance, visible to keys with the scope guidance or golds)"
SPAN = ("message", "part", "start", "end")
TASKS_NAMED = 10
START_STATE = "start_state"
"""Nothing is inserted: the episode is a fork of a scripted solution, after its first acts."""


class Insert(Struct, frozen=True):
    """Guidance to insert.

    ``record`` is what episodes store, except for the place. ``block`` is the text, empty if the caller
    delivers it.
    """

    record: Mapping[str, Any]
    block: str = ""


def inserts_make(
    guidance: Guidance | None,
    tasks: Sequence[Task],
    principal: Principal,
    *,
    checks: LeakChecks | None = None,
) -> dict[int, Insert]:
    """Make the inserts, by task id; none if there is no guidance.

    ``checks`` counts the leak checks of the call so far. Raises ``GymError``: 403 ``missing_scope``; 413
    ``too_many_leak_checks``; 422 ``bad_guidance``, ``no_solution``, ``guidance_leaks``,
    ``unknown_abstraction``, and the errors of ``detection.leaks``.
    """
    if guidance is None:
        return {}
    if guidance.hash:
        record = {"kind": guidance.kind, "fraction": guidance.fraction, "hash": guidance.hash}
        return {task.pk: Insert(record) for task in tasks}
    principal.require(Scope.GUIDANCE)
    _check(guidance)
    is_prefix = guidance.kind == "prefix"
    checks = LeakChecks() if checks is None else checks
    inserts = _prefixes(guidance, tasks, checks) if is_prefix else _texts(guidance, tasks, principal, checks)
    texts = [GuidanceText(sha256=one.record["hash"], text=one.block) for one in inserts.values()]
    GuidanceText.objects.bulk_create(texts, ignore_conflicts=True)
    return inserts


def guided(messages: Sequence[Message], insert: Insert | None) -> tuple[list[Message], dict[str, Any] | None]:
    """Append an insert to opening messages. Return the messages, and the record that the episode stores.

    The record contains the insert's place: ``message``, ``part`` (null if the content is a text), and the
    characters ``start`` to ``end``.
    """
    if insert is None or not insert.block:
        return list(messages), None if insert is None else dict(insert.record)
    *before, last = messages
    content, block = last["content"], f"\n\n{insert.block}"
    if isinstance(content, str):
        part, start = None, len(content)
        longer: Any = content + block
    elif content[-1]["type"] == "text":
        part, start = len(content) - 1, len(content[-1]["text"])
        longer = [*content[:-1], {**content[-1], "text": content[-1]["text"] + block}]
    else:
        part, start = len(content), 0
        longer = [*content, {"type": "text", "text": block}]
    place = {"message": len(before), "part": part, "start": start, "end": start + len(block)}
    return [*before, {**last, "content": longer}], {**insert.record, **place}


def build_insert(episode: Episode, *, is_shown: bool = True) -> Insert | None:
    """Return what was inserted into an episode's opening messages. Hide its text unless ``is_shown``."""
    if episode.guidance is None:
        return None
    record = {name: value for name, value in episode.guidance.items() if name not in SPAN}
    if not is_delivered(episode):
        return Insert(record)
    texts = GuidanceText.objects.filter(sha256=record["hash"]).values_list("text", flat=True)
    return Insert(record, (texts.first() if is_shown else None) or HIDDEN)


def is_delivered(episode: Episode) -> bool:
    """Return whether the gym, rather than the caller, inserted the guidance."""
    return episode.guidance is not None and "message" in episode.guidance


def is_start_state(episode: Episode) -> bool:
    """Return whether the gym opened the episode, or one of its ancestors, as a start state."""
    record = episode.guidance or {}
    return record.get("kind") == START_STATE and "episode" in record


def copy_insert(episode: Episode | None, principal: Principal) -> Insert | None:
    """Return an episode's insert for use in another one. Raises ``GymError`` 403 ``missing_scope``."""
    if episode is None:
        return None
    if is_delivered(episode) or is_start_state(episode):
        principal.require(Scope.GUIDANCE)
    return build_insert(episode)


def _check(guidance: Guidance) -> None:
    """Refuse guidance that does not give exactly one amount or content that fits its kind."""
    given = [
        name for name in ("fraction", "steps", "text", "abstraction") if getattr(guidance, name) is not None
    ]
    needed = {"prefix": ("fraction", "steps"), "hint": ("text",), "abstraction": ("abstraction",)}
    if guidance.kind == START_STATE:
        message = "Start states are opened with POST /api/v1/episodes, in arms with a page except probes."
    elif guidance.kind not in needed:
        message = f"There is no guidance of kind {guidance.kind!r}. {did_you_mean(guidance.kind, needed)}"
    elif len(given) != 1 or given[0] not in needed[guidance.kind]:
        message = f"Guidance of kind {guidance.kind!r} takes only {' or '.join(needed[guidance.kind])}."
    else:
        return
    raise GymError("bad_guidance", message, status=422, fields={"guidance": [message]})


def _prefixes(guidance: Guidance, tasks: Sequence[Task], checks: LeakChecks) -> dict[int, Insert]:
    golds = {
        gold.task_id: gold
        for gold in Gold.objects.filter(task__in={task.pk for task in tasks}, is_current=True)
        .select_related("task")
        .exclude(steps=[])
    }
    if missing := [task for task in tasks if task.pk not in golds]:
        named = ", ".join(str(task.pk) for task in missing[:TASKS_NAMED])
        message = f"There is no reference solution with steps for task {named}."
        raise GymError("no_solution", message, status=422, fields={"tasks": [message]})
    checks.clean_steps_store(golds.values())
    return {task_id: _prefix(guidance, gold, checks) for task_id, gold in golds.items()}


def _prefix(guidance: Guidance, gold: Gold, checks: LeakChecks) -> Insert:
    total = len(gold.steps)
    count = guidance.steps or max(1, math.ceil((guidance.fraction or 0) * total))
    if count > (gold.clean_steps or 0):
        unchecked = "" if gold.clean_steps else ", or cannot be checked for it"
        message = (
            f"The first {min(count, total)} of {total} steps of the solution of task {gold.task_id} contain "
            f"its answer{unchecked}; {gold.clean_steps} can be given."
        )
        raise GymError("guidance_leaks", message, status=422, fields={"guidance": [message]})
    text = "".join(gold.steps[:count]).strip()
    if guidance.instruction:
        _check_leaks(guidance, [gold.task], text, checks)
    size = {"fraction": count / total if guidance.fraction is None else guidance.fraction, "steps": count}
    return _insert(guidance, text, {**size, "of": total, "gold_version": gold.version})


def _texts(
    guidance: Guidance, tasks: Sequence[Task], principal: Principal, checks: LeakChecks
) -> dict[int, Insert]:
    text, more = guidance.text or "", {}
    if guidance.abstraction is not None:
        abstraction = (
            projects.visible(Abstraction.objects.all(), principal).filter(pk=guidance.abstraction).first()
        )
        if abstraction is None or {task.pk for task in tasks} != {abstraction.task_id}:
            message = f"There is no abstraction {guidance.abstraction} for these tasks."
            raise GymError("unknown_abstraction", message, status=422, fields={"guidance": [message]})
        text, more = abstraction.text, {"abstraction": abstraction.pk}
    _check_leaks(guidance, tasks, text, checks)
    return {task.pk: _insert(guidance, text, more) for task in tasks}


def _check_leaks(guidance: Guidance, tasks: Sequence[Task], text: str, checks: LeakChecks) -> None:
    """Check the insert in its final form, including an instruction of the caller's."""
    if guidance.instruction is None:
        checks.leaks_refuse(tasks, text, before=_block(guidance, ""))
    else:
        checks.leaks_refuse(tasks, _block(guidance, text))


def _block(guidance: Guidance, text: str) -> str:
    instruction = INSTRUCTIONS[guidance.kind] if guidance.instruction is None else guidance.instruction
    return f"{instruction}\n\n{text}" if instruction else text


def _insert(guidance: Guidance, text: str, more: Mapping[str, Any]) -> Insert:
    block = storable(_block(guidance, text))
    sha256 = hashlib.sha256(block.encode()).hexdigest()
    return Insert({"kind": guidance.kind, "hash": sha256, **more}, block)
