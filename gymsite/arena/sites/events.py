"""SQL that reads and appends an episode's site events, one statement each, for the arena's role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from core.database.sql import hot_cursor
from gymsite.arena import step_numbers
from gymsite.arena.callers import MAY_ACT, holder
from gymsite.arena.sites.site import Event
from tasks_app.worlds import evidence

COMMON_KINDS = list(evidence.COMMON_KINDS)
# Events are limited because every page folds all of them again. No task needs a tenth of this number.
EVENTS_MAX = 1_000

# Part of statements whose commit does not wait for the disk. A page view need not be durable before the page
# is served. A visitor's change must be, and makes all earlier events durable too.
HASTY = "SELECT set_config('synchronous_commit', 'off', true)"

# The events that a site folds, as JSON text. The condition on the kind must match that of a partial index.
FOLDED = f"""
    SELECT json_agg(json_build_array(v.kind, v.data) ORDER BY v.seq)::text
    FROM trajectories_siteevent v
    WHERE v.episode_id = %(episode)s AND v.kind <> '{evidence.PAGE_SERVED}' AND v.kind <> ALL(%(common)s)"""  # noqa: S608

_HISTORY = f"""
SELECT coalesce((SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = %(episode)s), 0),
    ({FOLDED})"""  # noqa: S608 (the parts are constants)

# Optimistic append: numbers follow the last one that the writer saw, so if two writers saw the same number,
# one of them stores nothing. The writer that gets the first number also gets the others, because nobody can
# see it and continue from it before all are stored. The lock keeps an answer from being accepted in between.
_APPEND = f"""
WITH hasty AS MATERIALIZED (
        SELECT CASE WHEN %(is_looking)s THEN set_config('synchronous_commit', 'off', true) END),
     alive AS MATERIALIZED (
        SELECT e.id, {step_numbers.REQUESTED} AS step FROM hasty, trajectories_episode e
        WHERE e.id = %(episode)s AND e.arm = ANY(%(arms)s) AND e.status = 'open' AND {MAY_ACT}
        FOR SHARE OF e),
     input AS MATERIALIZED (
        SELECT * FROM json_to_recordset(%(events)s::json) AS i(n int, kind text, data jsonb)),
     first AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT alive.id, %(seen)s::int + i.n, alive.step, i.kind, i.data FROM alive, input i WHERE i.n = 1
        ON CONFLICT DO NOTHING RETURNING episode_id, step),
     others AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT first.episode_id, %(seen)s::int + i.n, first.step, i.kind, i.data
        FROM first, input i WHERE i.n > 1)
SELECT EXISTS (SELECT FROM alive), EXISTS (SELECT FROM first)"""  # noqa: S608 (the parts are constants)

Appended = Literal["stored", "conflict", "gone"]


@dataclass(frozen=True, kw_only=True)
class History:
    """An episode's events so far: the number of the last event of any kind, and the site's own events."""

    last: int
    events: tuple[Event, ...]

    @property
    def is_full(self) -> bool:
        return len(self.events) >= EVENTS_MAX

    @property
    def is_full_of_looks(self) -> bool:
        return len(self.events) >= evidence.LOOKS_MAX


def history_read(*, episode_id: int) -> History:
    """Read an episode's history from the database."""
    with hot_cursor() as cursor:
        cursor.execute(_HISTORY, {"episode": episode_id, "common": COMMON_KINDS})
        last, events = cursor.fetchone() or (0, None)
    return History(last=last, events=events_read(events))


def events_read(text: str | None) -> tuple[Event, ...]:
    """Decode the events that ``FOLDED`` selected; None means that there are none."""
    return tuple((kind, data) for kind, data in msgspec.json.decode(text)) if text else ()


def events_append(
    *,
    episode_id: int,
    arms: list[str],
    seen: int,
    events: Sequence[Event],
    step: int | None,
    is_looking: bool = False,
    takeover: int | None = None,
) -> Appended:
    """Store all events with numbers after ``seen``, or none of them.

    Return ``conflict`` if there are already events after ``seen``, and ``gone`` if the episode is not open or
    the caller may not act in it. With ``is_looking``, the commit does not wait for the disk.
    """
    rows = [{"n": n, "kind": kind, "data": _storable(data)} for n, (kind, data) in enumerate(events, start=1)]
    requested: dict[str, Any] = {
        "episode": episode_id,
        "arms": arms,
        "seen": seen,
        "step": step,
        "is_looking": is_looking,
        **holder(takeover),
        "events": msgspec.json.encode(rows).decode(),
    }
    with hot_cursor() as cursor:
        cursor.execute(_APPEND, requested)
        is_alive, is_stored = cursor.fetchone() or (False, False)
    if not is_alive:
        return "gone"
    return "stored" if is_stored else "conflict"


def _storable(value: Any) -> Any:
    """Drop NUL characters, which an agent may type but Postgres cannot store."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, Mapping):
        return {str(_storable(name)): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    return value
