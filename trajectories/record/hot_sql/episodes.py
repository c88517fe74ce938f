"""Groups and episodes, opened in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from core.sql import Statement

_encode = msgspec.json.Encoder().encode

# Columns with one value for the whole call, and columns that differ by episode, with their types.
CALL_COLUMNS = {"arm": "text", "policy_version": "int", "token_budget": "int", "answer_channel": "text"}
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
    "parent_id": "bigint",
    "begins_after": "int",
    "guidance": "jsonb",
    "inherited_events": "int",
    "answer_check": "text",
    "is_taken_over": "boolean",
}


OPEN = Statement(
    __file__,
    "episodes_open",
    is_hot=True,
    columns=", ".join([*EPISODE_COLUMNS, *CALL_COLUMNS]),
    episode_values=", ".join(f"e.{name}" for name in EPISODE_COLUMNS),
    call_values=", ".join(f"%({name})s::{kind}" for name, kind in CALL_COLUMNS.items()),
    typed_columns=", ".join(f"{name} {kind}" for name, kind in EPISODE_COLUMNS.items()),
)
RESERVE_IDS = Statement(__file__, "reserve_ids", is_hot=True)


def ids_reserve(*, groups: int, episodes: int) -> tuple[list[int], list[int]]:
    """Reserve ids for rows about to be inserted, so that no rows have to be matched up afterwards."""
    rows = RESERVE_IDS.rows(groups=groups, episodes=episodes)
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
    OPEN.run(**shared, run=run_id, settings=_json(settings), groups=_json(groups), episodes=_json(episodes))


def _json(value: Any) -> str | None:
    return None if value is None else _encode(value).decode()
