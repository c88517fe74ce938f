"""Rows of judging: how soon a verdict comes at a steady rate, and how fast a queue drains."""

from __future__ import annotations

import time
from collections.abc import Iterator

import psycopg

from tests.bench import load
from tests.bench.installation import Installation
from tests.bench.table import Row

STEADY_PER_S = 50
STEADY_S = 8
DRAINED = 3_000
PATIENCE_S = 60.0


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("judging", "train")
    tasks = place.question_ids()
    yield from _steady(place, run, tasks)
    yield _drain(place, run, tasks)


def _steady(place: Installation, run: int, tasks: list[int]) -> Iterator[Row]:
    episodes = place.episodes_open(run, tasks, STEADY_PER_S * STEADY_S)
    connection = load.Connection(place.arena)
    begun = time.perf_counter()
    for number, episode in enumerate(episodes):
        time.sleep(max(0.0, begun + number / STEADY_PER_S - time.perf_counter()))
        connection.ask(load.request_bytes("POST", f"{episode['start_url']}submit", form="answer=42"))
    latencies = sorted(latencies_ms(place, [episode["id"] for episode in episodes]))
    note = f"at {STEADY_PER_S} submissions/s, from arrival to the verdict's row"
    yield Row("verdict p50", latencies[len(latencies) // 2], "ms", 15, is_lower_better=True, note=note)
    yield Row("verdict p99", latencies[int(len(latencies) * 0.99)], "ms", 60, is_lower_better=True, note=note)


def latencies_ms(place: Installation, ids: list[object]) -> list[float]:
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            rows = owner.execute(
                "SELECT latency_ms FROM trajectories_verdict WHERE episode_id = ANY(%s)", [ids]
            ).fetchall()
            if len(rows) == len(ids):
                return [row[0] for row in rows]
            time.sleep(0.1)
    raise RuntimeError(f"{len(ids) - len(rows)} of {len(ids)} submissions were not judged")


_SUBMIT_ALL = """
WITH ep AS (UPDATE trajectories_episode SET status = 'submitted' WHERE id = ANY(%(ids)s) RETURNING id),
stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel) SELECT id, '"42"', 'page' FROM ep
    RETURNING episode_id)
SELECT pg_notify('submission', '') FROM stored"""


def _drain(place: Installation, run: int, tasks: list[int]) -> Row:
    """All submissions exist at the start; the clock runs until the last verdict."""
    ids = [episode["id"] for episode in place.episodes_open(run, tasks, DRAINED)]
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute(_SUBMIT_ALL, {"ids": ids})
    latencies_ms(place, ids)
    with psycopg.connect(place.database_url("owner")) as owner:
        row = owner.execute(
            "SELECT extract(epoch FROM max(v.created_at) - min(s.received_at))::float8"
            " FROM trajectories_verdict v JOIN trajectories_submission s USING (episode_id)"
            " WHERE v.episode_id = ANY(%s)",
            [ids],
        ).fetchone()
    seconds = row[0] if row else PATIENCE_S
    note = f"{DRAINED:,} submissions of GSM8K and MATH"
    return Row("verdicts, draining", DRAINED / seconds, "/s", 400, note=note)
