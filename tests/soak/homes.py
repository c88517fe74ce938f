"""Orphaned rows and files, which an installation that has come to rest must not contain."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import psycopg

from core.storage import blobs
from tests.services.canaries import manage
from tests.services.installations import Up

# Each statement counts rows of which none may be left once work has stopped.
LEFT = {
    "submissions without a verdict": "SELECT count(*) FROM trajectories_submission WHERE judged_at IS NULL",
    "episodes that await a verdict": "SELECT count(*) FROM trajectories_episode WHERE status = 'submitted'",
    "open episodes whose lease was lost long ago": """
        SELECT count(*) FROM trajectories_episode e WHERE status = 'open'
        AND (SELECT max(created_at) FROM trajectories_step s WHERE s.episode_id = e.id) < %(lost)s""",
    "tool calls under way": """
        SELECT count(*) FROM trajectories_toolcall WHERE status IN ('waiting', 'running')""",
    "ended episodes without facts": """
        SELECT count(*) FROM trajectories_episode e WHERE finished_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM trajectories_episodefacts f WHERE f.episode_id = e.id)""",
    "screenshots that were never read": """
        SELECT count(*) FROM trajectories_blob b WHERE content_type LIKE 'image/%%'
        AND NOT EXISTS (SELECT 1 FROM trajectories_picture p WHERE p.sha256 = b.sha256)""",
    "runs whose counter is not the number of their verdicts": """
        SELECT count(*) FROM trajectories_verdictcounter c WHERE count IS DISTINCT FROM
        (SELECT count(*) FROM trajectories_verdict v WHERE v.run_id = c.run_id AND v.run_seq IS NOT NULL)""",
}
# Columns that refer to a row of another table, whether or not the database enforces it.
REFERENCES = """
SELECT c.table_name, c.column_name, t.table_name FROM information_schema.columns c
JOIN information_schema.tables t ON t.table_name = 'trajectories_' || replace(c.column_name, '_id', '')
JOIN information_schema.columns k ON k.table_name = t.table_name AND k.column_name = 'id'
WHERE c.table_name LIKE 'trajectories\\_%' AND c.column_name LIKE '%\\_id' ORDER BY 1, 2"""
SUMS = """
SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'trajectories\\_%sum' ORDER BY 1"""
ENDED = "SELECT count(*) FROM trajectories_episode WHERE finished_at IS NOT NULL"
NAMED = """
SELECT sha256 FROM trajectories_blob UNION SELECT sha256 FROM trajectories_recordingchunk
UNION SELECT replay FROM trajectories_fidelity UNION SELECT difference FROM trajectories_fidelity
UNION SELECT (regexp_matches(payload::text, '[0-9a-f]{64}', 'g'))[1] FROM tasks_app_task"""
REST_S = 180.0  # an episode's facts are computed up to a minute after its end, and once more later
POLL_S = 1.0
SHOWN = 3


def homes_check(up: Up, owner_url: str, *, lost: datetime) -> list[str]:
    """Return a sentence for each kind of orphaned row or file, once the installation has come to rest.

    Episodes without a sign of life since ``lost`` must have ended.
    """
    with psycopg.connect(owner_url, autocommit=True) as owner:
        deadline = time.monotonic() + REST_S
        while (left := list(_rows_left(owner, lost))) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return [*left, *_dangling(owner), *_sums_changed(owner, up), *_files_unnamed(owner, up.var_dir)]


def _rows_left(owner: psycopg.Connection, lost: datetime) -> Iterator[str]:
    for words, statement in LEFT.items():
        (count,) = owner.execute(statement, {"lost": lost}).fetchone() or (0,)
        if count:
            yield f"{count:,} {words}"


def _dangling(owner: psycopg.Connection) -> Iterator[str]:
    for table, column, target in owner.execute(REFERENCES).fetchall():
        (count,) = owner.execute(
            f"SELECT count(*) FROM {table} r WHERE {column} IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM {target} t WHERE t.id = r.{column})"
        ).fetchone() or (0,)
        if count:
            yield f"{count:,} rows of {table} whose {column} names nothing"


def _sums_changed(owner: psycopg.Connection, up: Up) -> Iterator[str]:
    """Yield the sums that change when they are recomputed although no episode has ended."""
    tables = [name for (name,) in owner.execute(SUMS).fetchall()]
    # Recomputing counts as a change, too.
    queries = {name: f"SELECT to_jsonb(t) - 'id' - 'changes' FROM {name} t" for name in tables}
    queries["trajectories_group"] = "SELECT jsonb_build_array(id, completed_seq) FROM trajectories_group"
    deadline = time.monotonic() + REST_S
    while True:
        ended = _texts(owner, ENDED)
        before = {name: _texts(owner, query) for name, query in queries.items()}
        manage(up, "rebuild_sums")
        after = {name: _texts(owner, query) for name, query in queries.items()}
        if ended == _texts(owner, ENDED) or time.monotonic() > deadline:
            break
    for name in queries:
        if changed := before[name] ^ after[name]:
            yield f"{len(changed):,} rows of {name} differ when recomputed: {sorted(changed)[:SHOWN]}"


def _texts(owner: psycopg.Connection, query: str) -> set[str]:
    return {str(row) for (row,) in owner.execute(query).fetchall()}


def _files_unnamed(owner: psycopg.Connection, var_dir: Path) -> Iterator[str]:
    """Yield the files of each storage that no row names, including parts of uploads."""
    names = {name for (name,) in owner.execute(NAMED).fetchall()}
    for folder in blobs.STORAGES:
        paths = [Path(place, file) for place, _, files in os.walk(var_dir / folder) for file in files]
        unnamed = [path for path in paths if path.stem not in names]
        if unnamed:
            yield f"{len(unnamed):,} files in {folder} that no row names, such as {unnamed[0]}"
