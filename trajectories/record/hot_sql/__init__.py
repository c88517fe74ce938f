"""The SQL that runs for every episode, step and verdict: benchmarked, and one round trip each.

Rows go in as one JSON parameter, which Postgres unpacks faster than psycopg adapts one list per column.
Records come out as JSON text, so that live can relay them as they are.
"""

from __future__ import annotations

from core.sql import hot_cursor
from trajectories.record.hot_sql.claims import (
    CLAIM,
    CLAIM_COLUMNS,
    SUBMISSION_CHANNEL,
    TOOL_CALL_CHANNEL,
    Claim,
    FirstGiven,
    claim_read,
    submission_claim,
    submission_write,
    submit_statement,
)
from trajectories.record.hot_sql.episodes import CALL_COLUMNS, episodes_insert, ids_reserve
from trajectories.record.hot_sql.steps import STEP_COLUMNS, StepsWritten, is_held, steps_write
from trajectories.record.hot_sql.sums import sums_lock, sums_rebuild, sums_withdraw, verdict_replace
from trajectories.record.hot_sql.verdicts import (
    EPISODE_STATES,
    FINISH,
    UNFINISHED,
    VERDICT_JSON,
    VERDICTS_AFTER,
    Ending,
    episode_states,
    finish_many,
)

__all__ = [
    "CALL_COLUMNS",
    "CLAIM",
    "CLAIM_COLUMNS",
    "EPISODE_STATES",
    "FINISH",
    "STEP_COLUMNS",
    "SUBMISSION_CHANNEL",
    "TOOL_CALL_CHANNEL",
    "UNFINISHED",
    "VERDICTS_AFTER",
    "VERDICT_JSON",
    "Claim",
    "Ending",
    "FirstGiven",
    "StepsWritten",
    "claim_read",
    "episode_states",
    "episodes_insert",
    "finish_many",
    "hot_cursor",
    "ids_reserve",
    "is_held",
    "steps_write",
    "submission_claim",
    "submission_write",
    "submit_statement",
    "sums_lock",
    "sums_rebuild",
    "sums_withdraw",
    "verdict_replace",
]
