"""The live service's reads from Postgres, through a few connections for all waiters and without the ORM."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import psycopg
from django.conf import settings
from psycopg_pool import AsyncConnectionPool

from core.database import addresses
from core.database.sql import sql_read
from trajectories.record import hot_sql

CONNECTIONS_MAX = 4
CONNECTION_WAIT_S = 3.0
STATEMENT_TIMEOUT_MS = 5_000
PREPARE_AFTER = 2
PING_S = 1.0
VERDICTS_PER_PAGE = 1_000
STEPS_PER_EPISODE = 50
STEPS_PER_QUERY = 2_000
THOUGHT_SHOWN_CHARS = 500
ACTION_SHOWN_BYTES = 4_096
# How long an episode of a watched run is still watched after it has ended, because its last step arrives
# after the verdict.
ENDED_WATCH_S = 60

Unavailable = psycopg.OperationalError

FINISHED = sql_read(__file__, "finished")
RUN_COUNTS = sql_read(__file__, "run_counts")
VERDICTS_OF_SPLITS = sql_read(__file__, "verdicts_of_splits")
WATCHED = sql_read(__file__, "watched", unfinished=hot_sql.UNFINISHED, ended_watch_s=str(ENDED_WATCH_S))
STEPS_HIGHEST = sql_read(__file__, "steps_highest", watched=WATCHED)
STEPS_AFTER = sql_read(
    __file__,
    "steps_after",
    watched=WATCHED,
    thought_chars=str(THOUGHT_SHOWN_CHARS),
    action_bytes=str(ACTION_SHOWN_BYTES),
    per_episode=str(STEPS_PER_EPISODE),
    per_query=str(STEPS_PER_QUERY),
)


class EpisodeState(NamedTuple):
    """The state of an episode. ``record`` is the JSON text of ``GET /api/v1/episodes/{id}``."""

    is_finished: bool
    record: str
    project: str
    split: str


class RunState(NamedTuple):
    """The state of a run. ``verdicts`` is also the last number in its stream."""

    verdicts: int
    project: str


class VerdictPage(NamedTuple):
    """Up to ``VERDICTS_PER_PAGE`` verdicts after a cursor, each ``(run_seq, record as JSON text)``."""

    project: str
    rows: list[tuple[int, str]]


# The names of the hub's database sessions end with this. They are among the names reserved for the live
# service.
HUB = " hub"


class HighestStep(NamedTuple):
    episode_id: int
    run_id: int
    step: int


class NewStep(NamedTuple):
    episode_id: int
    run_id: int
    step: int
    record: str


class LiveReader:
    """Reads from Postgres for the hub. Every method raises ``Unavailable`` when Postgres is unreachable."""

    def __init__(self, *, database_url: str) -> None:
        options = {
            "autocommit": True,
            "prepare_threshold": PREPARE_AFTER,
            "options": f"-c statement_timeout={STATEMENT_TIMEOUT_MS}",
            "application_name": settings.DATABASES["default"]["OPTIONS"]["application_name"] + HUB,
            **addresses.LINE_OPTIONS,
        }
        self._pool = AsyncConnectionPool(
            database_url,
            kwargs=options,
            min_size=1,
            max_size=CONNECTIONS_MAX,
            timeout=CONNECTION_WAIT_S,
            open=False,
            check=AsyncConnectionPool.check_connection,
        )

    async def open(self) -> None:
        """Start the pool without waiting for Postgres, which may start later than the live service."""
        await self._pool.open(wait=False)

    async def close(self) -> None:
        await self._pool.close()

    async def is_up(self) -> bool:
        try:
            async with asyncio.timeout(PING_S):
                await self._rows("SELECT 1", [])
        except (Unavailable, TimeoutError):
            return False
        return True

    async def episode_states(self, ids: list[int]) -> dict[int, EpisodeState]:
        """Return the states of episodes by id. Unknown ids are left out."""
        rows = await self._rows(hot_sql.EPISODE_STATES, [ids])
        return {row[0]: EpisodeState(*row[1:]) for row in rows}

    async def finished(self, ids: list[int]) -> list[int]:
        """Return the ids of those episodes that have their verdict."""
        return [row[0] for row in await self._rows(FINISHED, [ids])]

    async def run_states(self, ids: list[int]) -> dict[int, RunState]:
        """Return the states of runs by id. Unknown ids are left out."""
        return {row[0]: RunState(*row[1:]) for row in await self._rows(RUN_COUNTS, [ids])}

    async def verdict_pages(self, keys: list[tuple[int, int]]) -> dict[tuple[int, int], VerdictPage]:
        """Return pages of verdicts by ``(run, after)``. Unknown runs are left out."""
        states = await self.run_states(list({run_id for run_id, _ in keys}))
        return {
            (run_id, after): await self._verdict_page(run_id, after, states[run_id])
            for run_id, after in keys
            if run_id in states
        }

    async def _verdict_page(self, run_id: int, after: int, state: RunState) -> VerdictPage:
        if state.verdicts <= after:
            return VerdictPage(state.project, rows=[])
        rows = await self._rows(hot_sql.VERDICTS_AFTER, [run_id, after, VERDICTS_PER_PAGE])
        return VerdictPage(state.project, rows=rows)

    async def verdicts_of_splits(self, *, run_id: int, seqs: list[int], splits: list[str]) -> set[int]:
        """Return those numbers of the run's stream whose task is in one of ``splits``."""
        return {row[0] for row in await self._rows(VERDICTS_OF_SPLITS, [run_id, seqs, splits])}

    async def steps_highest(self, *, episodes: Sequence[int], runs: Sequence[int]) -> list[HighestStep]:
        """Return the highest step of each watched episode: ``episodes``, and active ones of ``runs``."""
        rows = await self._rows(STEPS_HIGHEST, {"episodes": list(episodes), "runs": list(runs)})
        return [HighestStep(*row) for row in rows]

    async def steps_after(
        self, marks: dict[int, int], *, episodes: Sequence[int], runs: Sequence[int]
    ) -> list[NewStep]:
        """Return watched episodes' steps above their marks (0 if missing), at most ``STEPS_PER_QUERY``."""
        parameters = {
            "episodes": list(episodes),
            "runs": list(runs),
            "marked": list(marks),
            "marks": list(marks.values()),
        }
        return [NewStep(*row) for row in await self._rows(STEPS_AFTER, parameters)]

    async def _rows(self, statement: str, parameters: Sequence[Any] | dict[str, Any]) -> list[Any]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(statement, parameters)
            return await cursor.fetchall()


T = TypeVar("T")

RETRY_S = 0.25
# How much longer than its time-out a wait may take while Postgres restarts.
RESTART_GRACE_S = 5.0


async def patiently(query: Callable[[], Awaitable[T]], *, until: float = math.inf) -> T:
    """Run a query, and retry it until Postgres answers.

    From ``RESTART_GRACE_S`` after ``until`` (loop time) on, it raises ``Unavailable`` instead.
    """
    clock = asyncio.get_running_loop()
    while True:
        try:
            return await query()
        except Unavailable:
            if clock.time() >= until + RESTART_GRACE_S:
                raise
        await asyncio.sleep(RETRY_S)
