"""An episode's step index: small rows from which the viewer's script builds the timeline."""

from __future__ import annotations

from typing import Any

import msgspec

from tasks_app import kinds
from tasks_app.families import milestones
from tasks_app.models import Gold
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models import Episode, SiteEvent
from trajectories.shell.queries import steps
from trajectories.shell.queries.timeline import INDEX_MAX, SPAN, Cell, timeline_cells
from trajectories.shell.text.formulas import first_line_to_text
from trajectories.shell.text.untrusted import cut, visible

FIELDS = (
    "index",
    "type",
    "phrase",
    "result",
    "tone",
    "ms",
    "bar",
    "picture",
    "page_change",
    "repeats",
    "check",
)
# This field is sent only on request.
THOUGHT = "thought"
# With rows of at most 200 bytes, a span takes 100 kB; a third of it is hashes of screenshots.
# ``THOUGHT`` may double the size.
TYPE_BYTES, PHRASE_BYTES, THOUGHT_BYTES = 18, 40, 160
THOUGHT_CHARS = 140

SITE_EVENTS_MAX = 20_000


def episode_index(episode: Episode, *, first: int, has_thoughts: bool = False) -> dict[str, Any]:
    """Build the index of an episode from step ``first`` on, with at most ``SPAN`` steps.

    Each row of ``steps`` has the columns in ``fields``; with ``has_thoughts`` it ends with the beginning of
    the step's thought.

    The columns ``picture`` and ``check`` are positions in ``pictures``, which lists each hash once, and in
    ``checks``, which lists each sign and label of an action check once. ``is_provisional`` is true if some
    rows may still change; ``next_from`` is the first recorded step after these.
    """
    last = first + SPAN - 1
    cells = timeline_cells(episode_id=episode.pk, first=first, last=last)
    pictures: dict[str, int] = {}
    checks: dict[tuple[str, str], int] = {}
    rows = [_row(cell, pictures, checks) for cell in cells]
    if has_thoughts:
        starts = steps.thought_starts(episode_id=episode.pk, first=first, last=min(last, INDEX_MAX))
        for row in rows:
            row.append(_fit(thought_line(starts.get(row[0], "")), THOUGHT_BYTES))
    return {
        "episode": episode.pk,
        "status": episode.status,
        "outcome": episode.verdict.outcome if episode.verdict else None,
        "last": steps.last_index(episode_id=episode.pk),
        "from": first,
        "next_from": steps.step_after(episode_id=episode.pk, index=min(last, INDEX_MAX)),
        "fields": (*FIELDS, THOUGHT) if has_thoughts else FIELDS,
        "steps": rows,
        "is_provisional": any(cell.is_provisional for cell in cells),
        "pictures": list(pictures),
        "checks": list(checks),
        "milestones": milestones_reached(episode) if first == 1 else [],
    }


def thought_line(beginning: str) -> str:
    """Return the first line of a thought, for lists."""
    return first_line_to_text(beginning, THOUGHT_CHARS)


def milestones_reached(episode: Episode) -> list[tuple[str, int]]:
    """Return the milestones reached on a mock site, each with its step; empty for other tasks."""
    if episode.task.kind != kinds.SITE or not episode.has_page:
        return []
    family = milestones.find_by_tags(episode.task.tags)
    gold = Gold.objects.filter(task_id=episode.task_id, is_current=True).only("answer", "extra").first()
    if not family or gold is None or gold.answer is None:
        return []
    facts = milestones.gold_facts(answer=gold.answer, extra=gold.extra or {})
    rows = SiteEvent.objects.filter(episode_id=episode.pk).exclude(kind=PAGE_SERVED).order_by("seq")
    events = milestones.parse_events(rows.values("seq", "step", "kind", "data")[:SITE_EVENTS_MAX])
    reached = milestones.reached(family, facts, events)
    return [
        (milestone.name, milestone.event.step)
        for milestone in reached
        if milestone.event and milestone.event.step
    ]


def _row(cell: Cell, pictures: dict[str, int], checks: dict[tuple[str, str], int]) -> list[Any]:
    phrase = " on ".join(part for part in (cell.phrase.what, cell.phrase.where) if part)
    return [
        cell.index,
        _fit(cell.action_type, TYPE_BYTES),
        _fit(phrase, PHRASE_BYTES),
        cell.result,
        cell.tone,
        None if cell.duration_ms is None else round(cell.duration_ms),
        cell.bar,
        pictures.setdefault(cell.screenshot, len(pictures)) if cell.screenshot else None,
        int(cell.is_page_change),
        cell.repeats,
        checks.setdefault(cell.check, len(checks)) if cell.check else None,
    ]


def _fit(text: str, room: int) -> str:
    """Cut a text so that its JSON takes at most ``room`` bytes."""
    whole = visible(text)
    candidates = (cut(whole, length) for length in range(room, 0, -1))
    return next((shown for shown in candidates if len(msgspec.json.encode(shown)) <= room), "")
