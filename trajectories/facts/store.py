"""Stored facts: which episodes need them, and writing those of an episode in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db import connection

from core.sweep import Due
from trajectories import hot_sql
from trajectories.facts.compute import facts_of
from trajectories.facts.source import Source, sources_read
from trajectories.facts.types import Facts
from trajectories.facts.version import VERSION
from trajectories.facts.words import CONFIGURATION

# Pages send their last events while being left, and harnesses their last step after the answer.
SETTLE_S = 5

_encode = msgspec.json.Encoder().encode

_STEP_COLUMNS = (
    "action_type text, target text, action_check text, action_check_detail text, place text, repeats int,"
    " is_page_change bool, is_backtrack bool, checks_before_submit bool, thought_chars int,"
    " thought_words int, numbers int, formulas int, restates float8"
)
_STEP_NAMES = [column.split()[0] for column in _STEP_COLUMNS.split(",")]
_EPISODE_COLUMNS = (
    "steps int, duration_ms float8, action_types jsonb, no_effect int, different_effect int, unexplained int,"
    " confirmed int, unexplained_events int, first_unexplained jsonb, loops int, backtracks int,"
    " page_changes int, checks int,"
    " thought_chars float8, thought_words float8, numbers float8, formulas float8, restates float8"
)
_EPISODE_NAMES = [column.split()[0] for column in _EPISODE_COLUMNS.split(",")]


def _set(names: Sequence[str]) -> str:
    return ", ".join(f"{name} = excluded.{name}" for name in names)


_WRITE = f"""
WITH written AS (
    INSERT INTO trajectories_stepfacts (episode_id, index, version, {", ".join(_STEP_NAMES)}, words)
    SELECT %(episode)s, i.index, %(version)s, {", ".join(f"i.{name}" for name in _STEP_NAMES)},
        to_tsvector('{CONFIGURATION}'::regconfig, i.words)
    FROM json_to_recordset(%(steps)s::json) AS i(index int, {_STEP_COLUMNS}, words text)
    ON CONFLICT (episode_id, index) DO UPDATE
        SET version = excluded.version, words = excluded.words, {_set(_STEP_NAMES)}
)
INSERT INTO trajectories_episodefacts
    (episode_id, version, seen_until, computed_at, {", ".join(_EPISODE_NAMES)})
SELECT %(episode)s, %(version)s, %(seen_until)s, now(), {", ".join(f"i.{name}" for name in _EPISODE_NAMES)}
FROM json_to_record(%(summary)s::json) AS i({_EPISODE_COLUMNS})
ON CONFLICT (episode_id) DO UPDATE SET version = excluded.version, seen_until = excluded.seen_until,
    computed_at = excluded.computed_at, {_set(_EPISODE_NAMES)}"""  # noqa: S608 (constants of this module)

# Facts are outdated when a step or page event came after the read; both are looked up by key.
_IS_LATE = """
    (f.episode_id IS NULL OR f.version <> %(version)s
     OR f.seen_until < (SELECT s.created_at FROM trajectories_step s WHERE s.episode_id = e.id
        ORDER BY s.index DESC LIMIT 1)
     OR f.seen_until < (SELECT g.last_at FROM trajectories_pageeventtally g WHERE g.episode_id = e.id))"""

_DUE = f"""
SELECT e.finished_at, e.id FROM trajectories_episode e
LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE e.finished_at >= %(since)s AND e.finished_at < now() - make_interval(secs => %(settle)s)
    AND e.id <> ALL(%(without)s) AND {_IS_LATE}
ORDER BY e.finished_at, e.id LIMIT %(limit)s"""  # noqa: S608 (constants of this module)

_ALL = f"""
SELECT e.id FROM trajectories_episode e LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE e.id > %(after)s AND e.finished_at IS NOT NULL AND (%(run)s::bigint IS NULL OR e.run_id = %(run)s)
    AND (%(again)s OR {_IS_LATE})
ORDER BY e.id LIMIT %(limit)s"""  # noqa: S608 (constants of this module)


def facts_compute(episode_ids: Sequence[int]) -> int:
    """Compute and store the facts of these episodes; returns their number of steps. Idempotent, except for
    the time. Episodes are read one at a time: one may have ten thousand steps."""
    steps = 0
    for episode_id in episode_ids:
        for source in sources_read([episode_id]):
            facts_write(source, facts_of(source))
            steps += len(source.steps)
    return steps


def facts_write(source: Source, facts: Facts) -> None:
    parameters: dict[str, Any] = {
        "episode": source.episode,
        "version": VERSION,
        "seen_until": source.seen_until,
        "steps": _encode([step.row() for step in facts.steps]).decode(),
        "summary": _encode(facts.summary).decode(),
    }
    with hot_sql.hot_cursor() as cursor:
        cursor.execute(_WRITE, parameters)


def episodes_due(*, since: datetime, limit: int, without: Sequence[int] = ()) -> list[Due[int]]:
    """Ended episodes whose facts are missing, outdated or of another version."""
    parameters: dict[str, Any] = {
        "since": since,
        "settle": SETTLE_S,
        "version": VERSION,
        "limit": limit,
        "without": list(without),
    }
    with connection.cursor() as cursor:
        cursor.execute(_DUE, parameters)
        return [Due(*row) for row in cursor.fetchall()]


def episodes_all(*, after: int, limit: int, run: int | None, again: bool) -> list[int]:
    """Ended episodes by id, of one run or of all: those that are due, or with ``again`` every one."""
    parameters = {"after": after, "limit": limit, "run": run, "again": again, "version": VERSION}
    with connection.cursor() as cursor:
        cursor.execute(_ALL, parameters)
        return [row[0] for row in cursor.fetchall()]
