"""Episodes and verdicts as API records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.sql import hot_cursor, sql_read

VERDICT_JSON = sql_read(__file__, "verdict_json")
UNFINISHED = sql_read(__file__, "unfinished")
EPISODE_STATES = sql_read(__file__, "episode_states", verdict_json=VERDICT_JSON)
VERDICTS_AFTER = sql_read(__file__, "verdicts_after", verdict_json=VERDICT_JSON)


def episode_states(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """API records of episodes, by id."""
    with hot_cursor() as cursor:
        cursor.execute(EPISODE_STATES, [list(ids)])
        return {row[0]: msgspec.json.decode(row[2]) for row in cursor.fetchall()}
