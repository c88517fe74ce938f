"""One hub per process: one Redis subscription and a few database connections for every waiter and socket.

See docs/decisions/0002-one-hub-in-live.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import NamedTuple

from trajectories.live.announcements import Announcements
from trajectories.live.batches import Batch
from trajectories.live.events import Announced, VerdictsWritten
from trajectories.live.retries import RETRY_S, patiently
from trajectories.live.selectors import EpisodeState, LiveReader, Unavailable, VerdictPage
from trajectories.live.signals import Signals
from trajectories.live.watch import STEP_LOOK_S, Feeds

logger = logging.getLogger(__name__)

ASK_AGAIN_S = 2.0  # announcements may be lost; this is then the longest that a verdict stays unnoticed


class VerdictsSeen(NamedTuple):
    """Records as JSON text, and the cursor to go on from."""

    records: list[str]
    next: int


class Hub:
    """Wakes waiters when there is news, and answers all their questions with few queries."""

    def __init__(self, *, reader: LiveReader, redis_url: str) -> None:
        self.reader = reader
        self.announcements = Announcements(redis_url, on_news=self._wake, on_connect=self._wake_all)
        self.episodes = Signals()
        self.runs = Signals()
        # For those who count a run's episodes: openings wake nobody who waits for verdicts.
        self.pulses = Signals()
        self.states: Batch[int, EpisodeState] = Batch(reader.episode_states)
        self.pages: Batch[tuple[int, int], VerdictPage] = Batch(reader.verdict_pages)
        self.splits: Batch[int, str] = Batch(reader.episode_splits)
        self.feeds = Feeds(self)
        self._counts: dict[int, int] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await self.reader.open()
        turns = {
            self.announcements.listen: RETRY_S,
            self.ask_again: ASK_AGAIN_S,
            self.feeds.steps_look: STEP_LOOK_S,
        }
        self._tasks = [
            asyncio.create_task(_forever(turn, pause_s=pause_s)) for turn, pause_s in turns.items()
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.reader.close()

    async def episode_is_visible(self, episode_id: int, splits: Collection[str]) -> bool:
        """Whether the episode's task is in one of ``splits``; without any, true and no query."""
        return not splits or await self.splits.get(episode_id) in splits

    async def episode_wait(self, episode_id: int, *, timeout_s: float) -> EpisodeState | None:
        """The episode's state once it has its verdict, or after ``timeout_s``; None when it is unknown.

        Raises ``Unavailable`` when Postgres stays away.
        """
        clock = asyncio.get_running_loop()
        deadline = clock.time() + timeout_s
        with self.episodes.listen(episode_id) as news:
            while True:
                is_last = clock.time() >= deadline
                news.clear()
                state = await patiently(lambda: self.states.get(episode_id), until=deadline)
                if state is None or state.is_finished or is_last:
                    return state
                await _news_or(news, deadline)

    async def verdicts_wait(
        self, run_id: int, *, after: int, timeout_s: float, splits: Collection[str] = ()
    ) -> VerdictsSeen | None:
        """Verdicts of a run after a cursor, as soon as there is one; none of them at the time-out.

        Only verdicts on tasks of ``splits`` when these are given. None when the run is unknown.
        Raises ``Unavailable`` when Postgres stays away.
        """
        clock = asyncio.get_running_loop()
        deadline = clock.time() + timeout_s
        with self.runs.listen(run_id) as news:
            while True:
                is_last = clock.time() >= deadline
                news.clear()
                seen = await patiently(partial(self._verdicts, run_id, after, splits), until=deadline)
                if seen is None or seen.records or (is_last and seen.next == after):
                    return seen
                if seen.next == after:
                    await _news_or(news, deadline)
                after = seen.next

    async def ask_again(self) -> None:
        """Look once for everything that is waited for, in two queries."""
        if ids := self.episodes.keys():
            self.episodes.notify(await self.reader.finished(ids))
        ids = list({*self.runs.keys(), *self.pulses.keys()})
        counts = await self.reader.run_counts(ids) if ids else {}
        self._tell_runs([run_id for run_id, count in counts.items() if self._counts.get(run_id) != count])
        self._counts = counts

    def _wake(self, news: Announced) -> None:
        if isinstance(news, VerdictsWritten):
            self.episodes.notify(news.episodes)
            self._tell_runs([news.run])
        else:
            self.pulses.notify([news.run])

    def _tell_runs(self, ids: list[int]) -> None:
        self.runs.notify(ids)
        self.pulses.notify(ids)

    def _wake_all(self) -> None:
        """After a silence anything may have happened."""
        self.episodes.notify_all()
        self.runs.notify_all()
        self.pulses.notify_all()

    async def _verdicts(self, run_id: int, after: int, splits: Collection[str]) -> VerdictsSeen | None:
        page = await self.pages.get((run_id, after))
        if page is None:
            return None
        rows = page.rows
        last = rows[-1][0] if rows else after
        if splits and rows:
            seqs = [seq for seq, _ in rows]
            kept = await self.reader.verdicts_of_splits(run_id=run_id, seqs=seqs, splits=list(splits))
            rows = [row for row in rows if row[0] in kept]
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
            logger.warning("Postgres cannot be asked: %s", error)
        except Exception:
            logger.exception("A turn of the live hub failed")
        await asyncio.sleep(pause_s)
