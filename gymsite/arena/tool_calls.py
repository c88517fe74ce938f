"""The arena's SQL on tool calls, whose results the next page shows. Slow calls are queued for a worker.

An episode makes one call at a time. Times are those of the database's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from django.conf import settings

from core.database.sql import hot_cursor
from gymsite.arena import step_numbers
from gymsite.arena.callers import MAY_ACT, holder
from tasks_app.questions import CALLS_MAX, ToolCall
from tasks_app.worlds.evidence import TOOL_CALLED
from trajectories.record.hot_sql import TOOL_CALL_CHANNEL

# Lost calls do not count towards the limit on calls; a separate limit applies to all rows.
ROWS_MAX = 3 * CALLS_MAX

_STATE = """
    CASE WHEN c.status = 'done' THEN 'done'
         WHEN c.status = 'failed' THEN 'lost'
         WHEN c.created_at < now() - make_interval(secs => %(call_timeout)s) THEN 'lost'
         ELSE 'waiting' END"""

_USED = f"""
    (SELECT count(*) FROM trajectories_toolcall c WHERE c.episode_id = alive.id AND {_STATE} <> 'lost')"""  # noqa: S608


def _last_call(until: str = "") -> str:
    return f"""
    (SELECT json_build_object('number', c.number, 'tool', c.tool, 'input', c.input,
            'state', {_STATE},
            'output', coalesce(c.output, '{{}}'::jsonb), 'used', {_USED}, 'limit', {CALLS_MAX})::text
     FROM trajectories_toolcall c WHERE alive.variation IS NOT NULL AND c.episode_id = alive.id{until}
     ORDER BY c.number DESC LIMIT 1)"""  # noqa: S608


# For statements with a part `alive` that selects episodes: the last call, as JSON text.
LAST_CALL = _last_call()
# The last call of the steps up to the step that the request names.
LAST_CALL_UNTIL = _last_call(" AND c.step <= %(step)s::int")

_ALIVE = f"""
    SELECT e.id, {step_numbers.REQUESTED} AS step FROM trajectories_episode e
    WHERE e.id = %(episode)s AND e.arm = ANY(%(arms)s) AND e.status = 'open'
        AND e.variation->'tools' ? %(tool)s AND {MAY_ACT}"""  # noqa: S608
_SPENT = f"""
    SELECT FROM alive WHERE {_USED} >= {CALLS_MAX}
        OR coalesce((SELECT number FROM last), 0) >= {ROWS_MAX}"""  # noqa: S608
_NEXT_EVENT = """
    1 + coalesce((SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = s.episode_id), 0)"""

_STORE = f"""
WITH alive AS ({_ALIVE} AND e.answer_channel = 'page'),
     last AS (
        SELECT c.number, c.input, {_STATE} AS state FROM trajectories_toolcall c JOIN alive ON true
        WHERE c.episode_id = alive.id ORDER BY c.number DESC LIMIT 1),
     spent AS ({_SPENT}),
     stored AS (
        INSERT INTO trajectories_toolcall (episode_id, number, step, tool, input)
        SELECT alive.id, 1 + coalesce((SELECT number FROM last), 0), alive.step, %(tool)s, %(input)s
        FROM alive
        WHERE NOT EXISTS (SELECT FROM last WHERE state = 'waiting') AND NOT EXISTS (SELECT FROM spent)
        ON CONFLICT DO NOTHING RETURNING episode_id, number),
     noted AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT s.episode_id, {_NEXT_EVENT}, alive.step, '{TOOL_CALLED}',
            jsonb_build_object('tool', %(tool)s::text, 'number', s.number)
        FROM stored s JOIN alive ON alive.id = s.episode_id ON CONFLICT DO NOTHING)
SELECT (SELECT pg_notify('{TOOL_CALL_CHANNEL}', '') FROM stored) IS NOT NULL,
       coalesce((SELECT state = 'waiting' AND input = %(input)s FROM last), false),
       EXISTS (SELECT FROM spent)
FROM alive"""  # noqa: S608

# A call that already has its result. Results are written by a database function (``gymsite/roles.sql``) that
# refuses results of programs.
_STORE_DONE = f"""
WITH alive AS ({_ALIVE}),
     last AS (
        SELECT max(c.number) AS number FROM trajectories_toolcall c JOIN alive ON c.episode_id = alive.id),
     spent AS ({_SPENT}),
     stored AS MATERIALIZED (
        SELECT alive.id AS episode_id, alive.step, panel_call(alive.id,
            (1 + coalesce((SELECT number FROM last), 0))::int, alive.step, %(tool)s, %(input)s,
            %(output)s::jsonb) AS number
        FROM alive WHERE NOT EXISTS (SELECT FROM spent)),
     noted AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT s.episode_id, {_NEXT_EVENT}, s.step, '{TOOL_CALLED}',
            jsonb_build_object('tool', %(tool)s::text, 'number', s.number) || %(noted)s::jsonb
        FROM stored s WHERE s.number IS NOT NULL ON CONFLICT DO NOTHING)
SELECT EXISTS (SELECT FROM stored WHERE number IS NOT NULL), EXISTS (SELECT FROM spent) FROM alive"""  # noqa: S608

Stored = Literal["stored", "same", "busy", "spent", "gone"]

_decode = msgspec.json.Decoder(ToolCall).decode


def params() -> dict[str, Any]:
    """Return the parameters of the SQL ``LAST_CALL``."""
    return {"call_timeout": settings.TOOL_CALL_TIMEOUT_S}


def call_read(record: str | None) -> ToolCall | None:
    """Decode the call that ``LAST_CALL`` selected."""
    return None if record is None else _decode(record)


def call_store(
    *, episode_id: int, arms: list[str], tool: str, text: str, step: int | None, takeover: int | None = None
) -> Stored:
    """Store a tool call and notify the sweeper, in one statement.

    ``same``: the same call is in progress. ``busy``: another call is in progress. ``spent``: the episode has
    used all its calls. ``gone``: the episode is not open, lacks this tool, or the caller may not act in it.
    """
    request = {"episode": episode_id, "arms": arms, "tool": tool, "input": text, "step": step}
    with hot_cursor() as cursor:
        cursor.execute(_STORE, params() | holder(takeover) | request)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    is_stored, is_same, is_spent = row
    if is_stored:
        return "stored"
    if is_same:
        return "same"
    return "spent" if is_spent else "busy"


def call_store_done(
    *,
    episode_id: int,
    arms: list[str],
    tool: str,
    arguments: Mapping[str, str],
    text: str,
    is_ok: bool,
    step: int | None,
    takeover: int | None = None,
) -> Stored:
    """Store a panel tool's call with its result, and the site event that scores read, in one statement.

    ``busy``: another call was stored first. ``spent`` and ``gone`` are as in ``call_store``.
    """
    request = {
        "episode": episode_id,
        "arms": arms,
        "tool": tool,
        "input": msgspec.json.encode(arguments).decode(),
        "output": msgspec.json.encode({"text": text, "is_ok": is_ok}).decode(),
        "noted": msgspec.json.encode({"arguments": arguments, "is_ok": is_ok}).decode(),
        "step": step,
    }
    with hot_cursor() as cursor:
        cursor.execute(_STORE_DONE, params() | holder(takeover) | request)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    is_stored, is_spent = row
    if is_stored:
        return "stored"
    return "spent" if is_spent else "busy"
