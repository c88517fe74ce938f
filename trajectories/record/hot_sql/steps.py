"""Steps, each stored once: a repeated one is a duplicate, one with other content a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from django.conf import settings

from core.sql import Statement
from trajectories.record.hot_sql.takeovers import HOLDS
from trajectories.record.hot_sql.verdicts import VERDICT_JSON

_encode = msgspec.json.Encoder().encode

STEP_COLUMNS = (
    "index int, thought text, raw text, action jsonb, action_type text, action_known bool,"
    " action_result text, parse_error text, observation_kind text, observation_text text,"
    " observation_sha256 text, screenshot text, url text, started_at timestamptz, duration_ms float8,"
    " policy_version int, actor text, more jsonb"
)
_NAMES = [column.split()[0] for column in STEP_COLUMNS.split(", ")]
STEPS_WRITE = Statement(
    __file__,
    "steps_write",
    is_hot=True,
    verdict_json=VERDICT_JSON,
    holds=HOLDS,
    typed_columns=STEP_COLUMNS,
    columns=", ".join(_NAMES),
    values=", ".join(f"i.{name}" for name in _NAMES),
)


class StepsWritten(NamedTuple):
    """The outcome of one ``steps_write``; ``max_steps`` counts a person's own steps too, and
    ``held_after`` is the agent's last step while a person acts."""

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
    held_after: int | None


def steps_write(
    *,
    episode_id: int,
    steps: Sequence[dict[str, Any]],
    grace_s: float,
    project: str,
    splits: Sequence[str] = (),
) -> StepsWritten | None:
    """Store steps in one statement; None when the project has no such episode.

    Nothing is stored when a step clashes with a stored one of different content, when the episode no longer
    accepts steps, when a person has taken over before one of them, or when the task is not in ``splits``
    (those the key is limited to).
    A concurrent call may store an index first. The counts then do not add up, and the statement is run again,
    which sees the other call's row.
    """
    encoded = _encode(steps).decode()
    for _ in range(2):
        row = STEPS_WRITE.row(
            steps=encoded,
            episode=episode_id,
            grace=grace_s,
            idle=settings.TAKEOVER_IDLE_S,
            project=project,
            splits=list(splits),
        )
        if row is None:
            return None
        result = StepsWritten(*row)
        if not result.is_accepting or result.clashes or is_held(result, steps):
            return result
        if result.written + result.duplicates == len(steps):
            return result
    return result


def is_held(result: StepsWritten, steps: Sequence[dict[str, Any]]) -> bool:
    """Return whether a person has taken over before one of these steps."""
    return result.held_after is not None and any(step["index"] > result.held_after for step in steps)
