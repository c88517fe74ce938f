"""One hub per process: one Redis subscription and a few database connections for all waiters and sockets.

The reasons are in docs/decisions/0002-one-hub-in-live.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from trajectories.rollouts.live.access import Viewer
from trajectories.rollouts.live.events import Announced, Announcements, VerdictsWritten
from trajectories.rollouts.live.news import News
from trajectories.rollouts.live.selectors import RETRY_S, EpisodeState, LiveReader, Unavailable, patiently
from trajectories.rollouts.live.watch import STEPS_EVERY_S, Feeds

logger = logging.getLogger(__name__)

# Announcements may be lost. A verdict then goes unnoticed for at most this long.
POLL_EVERY_S = 2.0


class VerdictsSeen(NamedTuple):
    """New verdicts: their records as JSON text, and the cursor for the next call."""

    records: list[str]
    next: int


class Hub(News):
    """Hub that wakes waiters when something happens, and answers all of them with a few queries."""

    def __init__(self, *, reader: LiveReader, redis_url: str) -> None:
        super().__init__(reader)
        self.announcements = Announcements(redis_url, on_news=self._wake, on_connect=self._wake_all)
        self.feeds = Feeds(self)
        self._counts: dict[int, int] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await self.reader.open()
        turns = {
            self.announcements.listen: RETRY_S,
            self.poll: POLL_EVERY_S,
            self.feeds.steps_poll: STEPS_EVERY_S,
        }
        self._tasks = [
            asyncio.create_task(_forever(turn, pause_s=pause_s)) for turn, pause_s in turns.items()
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.reader.close()

    async def episode_wait(self, episode_id: int, *, timeout_s: float, viewer: Viewer) -> EpisodeState | None:
        """Return the episode's state once it has its verdict, or after ``timeout_s``.

        Returns None if the episode is unknown or hidden from the viewer. Raises ``Unavailable`` when Postgres
        stays unreachable.
        """
        clock = asyncio.get_running_loop()
        deadline = clock.time() + timeout_s
        with self.episodes.listen(episode_id) as news:
            while True:
                is_last = clock.time() >= deadline
                news.clear()
                state = await patiently(lambda: self.states.get(episode_id), until=deadline)
                if state is None or not viewer.sees(state):
                    return None
                if state.is_finished or is_last:
                    return state
                await _news_or(news, deadline)

    async def verdicts_wait(
        self, run_id: int, *, after: int, timeout_s: float, viewer: Viewer
    ) -> VerdictsSeen | None:
        """Return a run's verdicts after a cursor, as soon as there are any, or none after the time-out.

        Verdicts that the viewer may not see are left out. Returns None if the viewer has no such run. Raises
        ``Unavailable`` when Postgres stays unreachable.
        """
        clock = asyncio.get_running_loop()
        deadline = clock.time() + timeout_s
        with self.runs.listen(run_id) as news:
            while True:
                is_last = clock.time() >= deadline
                news.clear()
                seen = await patiently(partial(self._verdicts, run_id, after, viewer), until=deadline)
                if seen is None or seen.records or (is_last and seen.next == after):
                    return seen
                if seen.next == after:
                    await _news_or(news, deadline)
                after = seen.next

    async def poll(self) -> None:
        """Check everything that anybody is waiting for, in two queries."""
        if ids := self.episodes.keys():
            self.episodes.notify(await self.reader.finished(ids))
        ids = list({*self.runs.keys(), *self.pulses.keys()})
        states = await self.reader.run_states(ids) if ids else {}
        counts = {run_id: state.verdicts for run_id, state in states.items()}
        self._notify_runs([run_id for run_id, count in counts.items() if self._counts.get(run_id) != count])
        self._counts = counts

    def _wake(self, news: Announced) -> None:
        if isinstance(news, VerdictsWritten):
            self.episodes.notify(news.episodes)
            self._notify_runs([news.run])
        else:
            self.pulses.notify([news.run])

    def _notify_runs(self, ids: list[int]) -> None:
        self.runs.notify(ids)
        self.pulses.notify(ids)

    def _wake_all(self) -> None:
        """Wake everyone, because anything may have happened while the connection was lost."""
        self.episodes.notify_all()
        self.runs.notify_all()
        self.pulses.notify_all()

    async def _verdicts(self, run_id: int, after: int, viewer: Viewer) -> VerdictsSeen | None:
        page = await self.pages.get((run_id, after))
        if page is None or not viewer.sees_project(page.project):
            return None
        rows = page.rows
        last = rows[-1][0] if rows else after
        if viewer.splits and rows:
            seqs, splits = [seq for seq, _ in rows], list(viewer.splits)
            visible = await self.reader.verdicts_of_splits(run_id=run_id, seqs=seqs, splits=splits)
            rows = [row for row in rows if row[0] in visible]
        return VerdictsSeen(records=[record for _, record in rows], next=last)


async def _news_or(news: asyncio.Event, deadline: float) -> None:
    try:
        async with asyncio.timeout_at(deadline):
            await news.wait()
    except TimeoutError:
        return


async def _forever(turn: Callable[[], Awaitable[None]], *, pause_s: float) -> None:
    while True:
        try:
            await turn()
        except Unavailable as error:
            logger.warning("Postgres is unreachable: %s", error)
        except Exception:
            logger.exception("A task of the live hub failed")
        await asyncio.sleep(pause_s)
