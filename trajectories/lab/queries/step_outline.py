"""What the timeline of an episode shows of its steps: a small row of each, whatever the step holds."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from tasks_app import kinds
from tasks_app.families import milestones
from tasks_app.models import Gold
from trajectories.actions import registry
from trajectories.actions.checks import CHECKS, MISMATCHES
from trajectories.lab.queries import interim_facts
from trajectories.lab.text.action_check import check_label, step_tone
from trajectories.lab.text.actions import Phrase, short_phrase
from trajectories.models import Episode, SiteEvent

SPAN = 500
WORDS_CHARS = 80
SITE_EVENTS_READ = 20_000
# A bar is full at this duration; its length goes with the root, so that short steps can be told apart too.
BAR_FULL_MS = 10_000
# Step numbers are 32-bit integers.
INDEX_MAX = 2**31 - 1
INDEX_DIGITS = 10
# Said of a step that nobody has compared with its page yet, nor with the steps before it.
LATER = "later"

# The action stays in the database: what was typed may be a megabyte.
_OUTLINE = """
SELECT s.index, s.action_type, s.action_known, s.action_result, s.parse_error <> '' AS is_unread,
    left(s.action->>(%(objects)s::jsonb->>s.action_type), %(words)s) AS what,
    coalesce(nullif(f.target, ''), left(s.action->>'target', %(words)s)) AS target,
    s.duration_ms,
    CASE WHEN EXISTS (SELECT 1 FROM trajectories_blob b WHERE b.sha256 = s.screenshot)
        AND NOT EXISTS (SELECT 1 FROM trajectories_picture p
            WHERE p.sha256 = s.screenshot AND p.state = 'unreadable')
        THEN s.screenshot ELSE '' END AS screenshot,
    coalesce(f.is_page_change, s.url <> '' AND s.url <> lag(s.url) OVER (ORDER BY s.index)) AS is_page_change,
    f.repeats, coalesce(f.action_check, '') AS action_check, f.index IS NULL AS is_so_far
FROM trajectories_step s
LEFT JOIN trajectories_stepfacts f ON f.episode_id = s.episode_id AND f.index = s.index
WHERE s.episode_id = %(episode)s AND s.index BETWEEN %(first)s - 1 AND %(last)s
ORDER BY s.index"""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A step as the timeline shows it. ``bar`` is its duration as 0 to 100; None when nobody measured it.

    ``screenshot`` is empty too where it never came or is no picture.

    ``repeats`` and ``action_check`` become final some seconds after the episode's end. Before, they are
    provisional (``is_so_far``) for the last steps requested, and ``LATER`` for the others.
    """

    index: int
    action_type: str
    phrase: Phrase
    result: str
    tone: str
    duration_ms: float | None
    screenshot: str
    is_page_change: bool
    repeats: int | None
    action_check: str
    is_so_far: bool = False

    @property
    def is_mismatch(self) -> bool:
        """Whether the page saw another thing than the step says."""
        return self.action_check in MISMATCHES

    @property
    def sign(self) -> str:
        """The same as in lists: one sign has one meaning."""
        return CHECKS[self.action_check].sign if self.is_mismatch else ""

    @property
    def check_label(self) -> str:
        """What the sign means; empty without a mismatch."""
        if not self.is_mismatch:
            return ""
        return check_label(self.action_check, action_type=self.action_type, result=self.result)

    @property
    def bar(self) -> int | None:
        if self.duration_ms is None:
            return None
        share = math.sqrt(max(self.duration_ms, 0) / BAR_FULL_MS)
        return min(100, max(2, round(share * 100)))


def outline(*, episode_id: int, first: int, last: int) -> list[Cell]:
    """The steps numbered from ``first`` to ``last``, both included, in one query."""
    bounds = {"first": min(first, INDEX_MAX), "last": min(last, INDEX_MAX)}
    with connection.cursor() as cursor:
        objects = json.dumps(registry.objects())
        cursor.execute(_OUTLINE, {"episode": episode_id, "words": WORDS_CHARS, "objects": objects, **bounds})
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    cells = [_cell(row) for row in rows if row["index"] >= first]
    return _completed(cells, episode_id=episode_id)


def _completed(cells: list[Cell], *, episode_id: int) -> list[Cell]:
    waiting = [cell.index for cell in cells if cell.is_so_far]
    if not waiting:
        return cells
    facts = interim_facts.marks_so_far(episode_id=episode_id, first=waiting[0], last=waiting[-1])
    return [_said_so_far(cell, facts.get(cell.index)) if cell.is_so_far else cell for cell in cells]


def _said_so_far(cell: Cell, fact: interim_facts.Marks | None) -> Cell:
    if fact is None:
        return replace(cell, action_check=LATER)
    phrase = replace(cell.phrase, where=fact.target or cell.phrase.where)
    return replace(cell, phrase=phrase, repeats=fact.repeats, action_check=fact.action_check)


def _cell(row: dict[str, Any]) -> Cell:
    return Cell(
        index=row["index"],
        action_type=row["action_type"],
        phrase=short_phrase(row["action_type"], what=row["what"], where=row["target"]),
        result=row["action_result"],
        tone=step_tone(row["action_result"], is_unread=row["is_unread"], is_known=row["action_known"]),
        duration_ms=row["duration_ms"],
        screenshot=row["screenshot"],
        is_page_change=bool(row["is_page_change"]),
        repeats=row["repeats"],
        action_check=row["action_check"],
        is_so_far=row["is_so_far"],
    )


def milestones_reached(episode: Episode) -> list[tuple[str, int]]:
    """Names of a mock site's milestones with the step that reached each; empty for every other task."""
    if episode.task.kind != kinds.SITE or not episode.has_page:
        return []
    family = milestones.of_tags(episode.task.tags)
    gold = Gold.objects.filter(task_id=episode.task_id, is_current=True).only("answer", "extra").first()
    if not family or gold is None or gold.answer is None:
        return []
    told = milestones.told_of(answer=gold.answer, extra=gold.extra or {})
    rows = SiteEvent.objects.filter(episode_id=episode.pk).order_by("seq")
    events = milestones.events_of(rows.values("seq", "step", "kind", "data")[:SITE_EVENTS_READ])
    found = milestones.reached(family, told, events)
    return [(one.name, one.event.step) for one in found if one.event and one.event.step]
