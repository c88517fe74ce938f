"""Rows of judging: the time to a verdict, with and without a slow export, and the draining of a queue."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg

from tests.bench import load
from tests.bench.installation import Installation
from tests.bench.table import Row

STEADY_PER_S = 50
STEADY_S = 8
DRAINED = 3_000
PATIENCE_S = 60.0
SLOW_BYTES = 2048
SLOW_EVERY_S = 0.25


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("judging", "train")
    tasks = place.question_ids()
    alone = _steady(place, run, tasks)
    for share, target in ((0.5, 15), (0.95, 40), (0.99, 60)):
        note = f"at {STEADY_PER_S} submissions/s, from arrival to the verdict's row"
        yield Row(_verdict(share), _percentile(alone, share), "ms", target, is_lower_better=True, note=note)
    yield _drain(place, run, tasks)
    with _slow_export(place, run):
        beside = _steady(place, run, tasks)
    for share in (0.5, 0.95):
        yield Row(
            f"{_verdict(share)} beside a slow export",
            _percentile(beside, share),
            "ms",
            2 * _percentile(alone, share),
            is_lower_better=True,
            peer=_percentile(alone, share),
            beside="without it",
        )


def _verdict(share: float) -> str:
    return f"verdict p{share:.0%}".removesuffix("%")


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[int(len(ordered) * share)]


@contextlib.contextmanager
def _slow_export(place: Installation, run: int) -> Iterator[None]:
    """Run a client that reads the run's trajectories at some 8 kB per second until the block ends."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BYTES)
    address = urlsplit(place.lab)
    client.connect((address.hostname, address.port))
    client.sendall(load.request_bytes("GET", f"{place.api}/runs/{run}/trajectories", key=place.key))
    stop = threading.Event()

    def read() -> None:
        while not stop.wait(SLOW_EVERY_S):
            client.recv(SLOW_BYTES)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        stop.set()
        reader.join()
    if not client.recv(SLOW_BYTES):
        raise RuntimeError("the export ended before it had been slow")
    client.close()


def _steady(place: Installation, run: int, tasks: list[int]) -> list[float]:
    """Return the milliseconds to each verdict, in ascending order."""
    episodes = place.episodes_open(run, tasks, STEADY_PER_S * STEADY_S)
    connection = load.Connection(place.arena)
    begun = time.perf_counter()
    for number, episode in enumerate(episodes):
        time.sleep(max(0.0, begun + number / STEADY_PER_S - time.perf_counter()))
        connection.ask(load.request_bytes("POST", f"{episode['start_url']}submit", form="answer=42"))
    return sorted(latencies_ms(place, [episode["id"] for episode in episodes]))


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
    """Measure how fast a queue drains, from all submissions at the start to the last verdict."""
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
