"""Steps: stored once; repeats are told apart from clashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from trajectories.hot_sql.cursor import hot_cursor
from trajectories.hot_sql.records import VERDICT_JSON

_encode = msgspec.json.Encoder().encode

STEP_COLUMNS = (
    "index, thought, raw, action, action_type, action_known, action_result, parse_error,"
    " observation_kind, observation_text, observation_sha256, screenshot, url, started_at, duration_ms,"
    " policy_version, actor, more"
)

# Steps are refused after close, and STEP_GRACE_S after the verdict; stored ones still count as duplicates.
_STEPS_WRITE = f"""
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(steps)s::json) AS i(
        index int, thought text, raw text, action jsonb, action_type text, action_known bool,
        action_result text, parse_error text, observation_kind text, observation_text text,
        observation_sha256 text, screenshot text, url text, started_at timestamptz, duration_ms float8,
        policy_version int, actor text, more jsonb, hash text)
), ep AS (
    SELECT e.id, e.status, e.max_steps, t.split, v.terminated, v.truncated,
        e.closed_at IS NULL AND (e.status <> 'finished' OR e.finished_at > now() - %(grace)s * interval '1 s')
            AS is_accepting,
        CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END AS verdict
    FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id WHERE e.id = %(episode)s
), asked AS MATERIALIZED (
    -- A subquery for each row, not a join: a plan made while the table is small would read all of it.
    SELECT i.index, (SELECT s.content_hash = decode(i.hash, 'hex') FROM trajectories_step s
        WHERE s.episode_id = %(episode)s AND s.index = i.index) AS is_same FROM input i
), known AS (
    SELECT * FROM asked WHERE is_same IS NOT NULL
), written AS (
    INSERT INTO trajectories_step (episode_id, {STEP_COLUMNS}, content_hash, created_at)
    SELECT ep.id, {", ".join("i." + column.strip() for column in STEP_COLUMNS.split(","))},
        decode(i.hash, 'hex'), now()
    FROM input i CROSS JOIN ep
    WHERE ep.is_accepting AND (%(splits)s::text[] = '{{}}' OR ep.split = ANY(%(splits)s::text[]))
        AND NOT EXISTS (SELECT 1 FROM known WHERE NOT is_same)
    ON CONFLICT (episode_id, index) DO NOTHING RETURNING index
)
SELECT ep.status, ep.split, ep.is_accepting, ep.max_steps, (SELECT count(*) FROM written),
    (SELECT count(*) FROM known WHERE is_same),
    ARRAY(SELECT k.index FROM known k WHERE NOT is_same ORDER BY 1),
    greatest((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = ep.id),
             (SELECT max(w.index) FROM written w), 0),
    ep.terminated, ep.truncated, ep.verdict::text
FROM ep"""  # noqa: S608


class StepsWritten(NamedTuple):
    """The outcome of one ``steps_write``."""

    status: str
    split: str
    is_accepting: bool
    max_steps: int
    written: int
    duplicates: int
    clashes: list[int]
    highest: int
    terminated: bool | None
    truncated: bool | None
    verdict: str | None


def steps_write(
    *, episode_id: int, steps: Sequence[dict[str, Any]], grace_s: float, splits: Sequence[str] = ()
) -> StepsWritten | None:
    """Store steps in one statement; None when there is no such episode.

    Nothing is stored when a step clashes with a stored one of different content, when the episode no longer
    accepts steps, or when the task is not in ``splits`` (those the key is limited to).
    A concurrent call may store an index first. The counts then do not add up, and the statement is run again,
    which sees the other call's row.
    """
    parameters: dict[str, Any] = {
        "steps": _encode(steps).decode(),
        "episode": episode_id,
        "grace": grace_s,
        "splits": list(splits),
    }
    for _ in range(2):
        with hot_cursor() as cursor:
            cursor.execute(_STEPS_WRITE, parameters)
            row = cursor.fetchone()
        if row is None:
            return None
        result = StepsWritten(*row)
        if not result.is_accepting or result.clashes or result.written + result.duplicates == len(steps):
            return result
    return result
