"""Groups and episodes, opened in one statement."""

from __future__ import annotations

from typing import Any

import msgspec

from trajectories.hot_sql.cursor import hot_cursor

_encode = msgspec.json.Encoder().encode

_OPEN = """
WITH new_groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, policy_version, seed, settings, template, examples, created_at)
    SELECT g.id, %(run)s, g.task, %(arm)s, %(policy_version)s, g.seed, %(settings)s::jsonb, g.template,
        g.examples, now()
    FROM json_to_recordset(%(groups)s::json)
        AS g(id bigint, task bigint, seed bigint, template text, examples bigint[])
)
INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, policy_version, status,
    seed, presentation, presentation_hash, variation, max_steps, token_budget, recording, answer_channel,
    guidance, virtual_start, opened_at, close_reason, close_detail)
SELECT e.id, %(run)s, e.group_id, e.task, %(arm)s, e.sample_index, %(policy_version)s, 'open', e.seed,
    e.presentation, e.presentation_hash, e.variation, e.max_steps, %(token_budget)s, e.recording,
    %(channel)s, %(guidance)s::jsonb, e.virtual_start, now(), '', ''
FROM json_to_recordset(%(episodes)s::json) AS e(id bigint, group_id bigint, task bigint, sample_index int,
    seed bigint, presentation jsonb, presentation_hash text, variation jsonb, max_steps int,
    recording text, virtual_start timestamptz)"""

_RESERVE_IDS = """
SELECT nextval('trajectories_group_id_seq'), 0 FROM generate_series(1, %(groups)s)
UNION ALL
SELECT nextval('trajectories_episode_id_seq'), 1 FROM generate_series(1, %(episodes)s)"""


def ids_reserve(*, groups: int, episodes: int) -> tuple[list[int], list[int]]:
    """Ids for rows about to be inserted: whoever knows them first need not match them up afterwards."""
    with hot_cursor() as cursor:
        cursor.execute(_RESERVE_IDS, {"groups": groups, "episodes": episodes})
        rows = cursor.fetchall()
    return [row[0] for row in rows if row[1] == 0], [row[0] for row in rows if row[1] == 1]


def episodes_insert(
    *,
    run_id: int,
    arm: str,
    policy_version: int | None,
    settings: dict[str, Any],
    groups: list[dict[str, Any]],
    episodes: list[dict[str, Any]],
    token_budget: int | None,
    channel: str,
    guidance: dict[str, Any] | None,
) -> None:
    """Insert groups (none for a refill) and their episodes in one statement."""
    parameters: dict[str, Any] = {
        "run": run_id,
        "arm": arm,
        "policy_version": policy_version,
        "settings": _encode(settings).decode(),
        "groups": _encode(groups).decode(),
        "episodes": _encode(episodes).decode(),
        "token_budget": token_budget,
        "channel": channel,
        "guidance": None if guidance is None else _encode(guidance).decode(),
    }
    with hot_cursor() as cursor:
        cursor.execute(_OPEN, parameters)
