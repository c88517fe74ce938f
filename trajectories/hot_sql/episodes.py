"""Groups and episodes, opened in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from trajectories.hot_sql.cursor import hot_cursor

_encode = msgspec.json.Encoder().encode

# Columns with one value for the whole call, and columns that differ by episode, with their types.
CALL_COLUMNS = {
    "arm": "text",
    "policy_version": "int",
    "token_budget": "int",
    "answer_channel": "text",
    "guidance": "jsonb",
}
EPISODE_COLUMNS = {
    "id": "bigint",
    "group_id": "bigint",
    "task_id": "bigint",
    "sample_index": "int",
    "seed": "bigint",
    "presentation": "jsonb",
    "presentation_hash": "text",
    "variation": "jsonb",
    "max_steps": "int",
    "recording": "text",
    "virtual_start": "timestamptz",
}


def _open_statement() -> str:
    episode_values = ", ".join(f"e.{name}" for name in EPISODE_COLUMNS)
    call_values = ", ".join(f"%({name})s::{kind}" for name, kind in CALL_COLUMNS.items())
    record = ", ".join(f"{name} {kind}" for name, kind in EPISODE_COLUMNS.items())
    return f"""
WITH new_groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, policy_version, seed, settings, template, examples, created_at)
    SELECT g.id, %(run)s, g.task, %(arm)s, %(policy_version)s, g.seed, %(settings)s::jsonb, g.template,
        g.examples, now()
    FROM json_to_recordset(%(groups)s::json)
        AS g(id bigint, task bigint, seed bigint, template text, examples bigint[])
)
INSERT INTO trajectories_episode ({", ".join([*EPISODE_COLUMNS, *CALL_COLUMNS])},
    run_id, status, opened_at, close_reason, close_detail)
SELECT {episode_values}, {call_values}, %(run)s, 'open', now(), '', ''
FROM json_to_recordset(%(episodes)s::json) AS e({record})"""  # noqa: S608 (names of this module)


_OPEN = _open_statement()

_RESERVE_IDS = """
SELECT nextval('trajectories_group_id_seq'), 0 FROM generate_series(1, %(groups)s)
UNION ALL
SELECT nextval('trajectories_episode_id_seq'), 1 FROM generate_series(1, %(episodes)s)"""


def ids_reserve(*, groups: int, episodes: int) -> tuple[list[int], list[int]]:
    """Ids for rows about to be inserted, so that no rows have to be matched up afterwards."""
    with hot_cursor() as cursor:
        cursor.execute(_RESERVE_IDS, {"groups": groups, "episodes": episodes})
        rows = cursor.fetchall()
    return [row[0] for row in rows if row[1] == 0], [row[0] for row in rows if row[1] == 1]


def episodes_insert(
    *,
    run_id: int,
    settings: Mapping[str, Any],
    call: Mapping[str, Any],
    groups: list[dict[str, Any]],
    episodes: list[dict[str, Any]],
) -> None:
    """Insert groups (none for a refill) and their episodes in one statement.

    ``call`` has the values of ``CALL_COLUMNS``, each of ``episodes`` those of ``EPISODE_COLUMNS``.
    """
    shared = {
        name: _json(call[name]) if kind == "jsonb" else call[name] for name, kind in CALL_COLUMNS.items()
    }
    parameters = {
        **shared,
        "run": run_id,
        "settings": _json(settings),
        "groups": _json(groups),
        "episodes": _json(episodes),
    }
    with hot_cursor() as cursor:
        cursor.execute(_OPEN, parameters)


def _json(value: Any) -> str | None:
    return None if value is None else _encode(value).decode()
