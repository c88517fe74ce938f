"""The site events of an episode, read in one statement and appended in one, for the arena's role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from gymsite.arena.sites.site import Event
from trajectories.hot_sql import hot_cursor

# Noted for every episode, whatever its kind: no site folds them.
COMMON_KINDS = ["page_served", "answer_recorded", "tool_called"]
# Folded anew for every page; no task needs a tenth of it.
EVENTS_MAX = 1_000

_HISTORY = """
SELECT coalesce(max(v.seq), 0), coalesce(
    json_agg(json_build_array(v.kind, v.data) ORDER BY v.seq) FILTER (WHERE v.kind <> ALL(%(common)s)),
    '[]')::text
FROM trajectories_siteevent v WHERE v.episode_id = %(episode)s"""

# Numbers follow the last one that the writer saw, so that of two writers who saw the same one stores nothing.
# Whoever gets the first number gets the others too: nobody can see it, and count on from it, before they are
# all there. The lock keeps an answer from being taken in between.
_APPEND = """
WITH alive AS MATERIALIZED (
        SELECT e.id FROM trajectories_episode e
        WHERE e.id = %(episode)s AND e.arm = ANY(%(arms)s) AND e.status = 'open' FOR SHARE),
     input AS MATERIALIZED (
        SELECT * FROM json_to_recordset(%(events)s::json) AS i(n int, kind text, data jsonb)),
     first AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT alive.id, %(seen)s::int + i.n, %(step)s::int, i.kind, i.data FROM alive, input i WHERE i.n = 1
        ON CONFLICT DO NOTHING RETURNING episode_id),
     others AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT first.episode_id, %(seen)s::int + i.n, %(step)s::int, i.kind, i.data
        FROM first, input i WHERE i.n > 1)
SELECT EXISTS (SELECT FROM alive), EXISTS (SELECT FROM first)"""

Appended = Literal["stored", "conflict", "gone"]


@dataclass(frozen=True, kw_only=True)
class History:
    """What happened in an episode so far: the last number, of whatever kind, and the site's own events."""

    last: int
    events: tuple[Event, ...]


def history_read(*, episode_id: int) -> History:
    with hot_cursor() as cursor:
        cursor.execute(_HISTORY, {"episode": episode_id, "common": COMMON_KINDS})
        last, events = cursor.fetchone() or (0, "[]")
    return History(last=last, events=tuple((kind, data) for kind, data in msgspec.json.decode(events)))


def events_append(
    *, episode_id: int, arms: list[str], seen: int, events: Sequence[Event], step: int | None
) -> Appended:
    """Store all events after number ``seen``, or none: ``conflict`` when there is one after it already.

    ``gone`` when the episode is not open.
    """
    rows = [{"n": n, "kind": kind, "data": _storable(data)} for n, (kind, data) in enumerate(events, start=1)]
    asked: dict[str, Any] = {
        "episode": episode_id,
        "arms": arms,
        "seen": seen,
        "step": step,
        "events": msgspec.json.encode(rows).decode(),
    }
    with hot_cursor() as cursor:
        cursor.execute(_APPEND, asked)
        is_alive, is_stored = cursor.fetchone() or (False, False)
    if not is_alive:
        return "gone"
    return "stored" if is_stored else "conflict"


def _storable(value: Any) -> Any:
    """The value without NUL characters, which an agent may type and Postgres cannot keep."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, Mapping):
        return {str(_storable(name)): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    return value
