"""The open feeds, and the query that finds new steps for all of them once a second."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import GymError
from trajectories.rollouts.live.feeds import EpisodeFeed, Feed, RunFeed, Subscription
from trajectories.rollouts.live.news import News
from trajectories.rollouts.live.selectors import NewStep, Unavailable

# A missing step counts as lost once this many steps above it are known; until then it is awaited.
MISSING_STEPS_MAX = 32
logger = logging.getLogger(__name__)
F = TypeVar("F", bound=Feed)
STEPS_EVERY_S = 1.0
# Polling for steps takes up at most this share of one connection's time, however much is watched.
POLL_SHARE = 0.1
FORGET_S = 60.0
OPEN_S = 10.0


@dataclass
class _Mark:
    """Record of the steps sent: all up to ``floor``, and those in ``above``."""

    floor: int = 0
    above: set[int] = field(default_factory=set)

    @property
    def highest(self) -> int:
        return max(self.above, default=self.floor)

    def take(self, index: int) -> bool:
        if index <= self.floor or index in self.above:
            return False
        self.above.add(index)
        if len(self.above) > MISSING_STEPS_MAX:
            self.floor = min(self.above) - 1
        while self.floor + 1 in self.above:
            self.floor += 1
            self.above.discard(self.floor)
        return True


class StepMarks:
    """A mark for each episode. No steps of an episode without a mark have been sent."""

    def __init__(self) -> None:
        self._marks: dict[int, _Mark] = {}

    def begin(self, highest: Mapping[int, int], *, watched: Collection[int] = ()) -> None:
        """Count the steps up to ``highest`` as sent, except in ``watched`` episodes that have a mark.

        A mark that is left over from earlier watchers is replaced, because nobody has looked for steps since.
        """
        for episode_id, index in highest.items():
            if episode_id not in watched or episode_id not in self._marks:
                self._marks[episode_id] = _Mark(floor=index)

    def take(self, episode_id: int, index: int) -> bool:
        """Mark a step as sent, and return whether it had not been sent before."""
        return self._marks.setdefault(episode_id, _Mark()).take(index)

    def highest(self, episode_id: int) -> int:
        """Return the highest step sent, or 0 if none was sent."""
        mark = self._marks.get(episode_id)
        return mark.highest if mark else 0

    def floors(self) -> dict[int, int]:
        """Return, by episode, the step after which to look for new ones."""
        return {episode_id: mark.floor for episode_id, mark in self._marks.items()}

    def keep(self, episode_ids: Iterable[int]) -> None:
        """Forget the marks of all other episodes."""
        remaining = set(episode_ids)
        self._marks = {
            episode_id: mark for episode_id, mark in self._marks.items() if episode_id in remaining
        }

    def __len__(self) -> int:
        return len(self._marks)


class Feeds:
    """The open feeds. Each is opened for its first watcher and closed after its last."""

    def __init__(self, news: News) -> None:
        self._news = news
        self._runs: dict[int, RunFeed] = {}
        self._episodes: dict[int, EpisodeFeed] = {}
        self._pumps: dict[Feed, asyncio.Task[None]] = {}
        self._opening = asyncio.Lock()
        self._marks = StepMarks()
        self._forget_at = 0.0

    def __len__(self) -> int:
        return len(self._runs) + len(self._episodes)

    def step_highest(self, episode_id: int) -> int:
        """Return the highest step that an episode's watchers have received or do not need."""
        return self._marks.highest(episode_id)

    @contextlib.asynccontextmanager
    async def run_watch(self, run_id: int) -> AsyncIterator[tuple[RunFeed, Subscription] | None]:
        """Yield the run's feed and a subscription to it, or None if the run is unknown.

        Raises ``Unavailable`` when Postgres stays unreachable.
        """
        async with self._watch(RunFeed(self._news, run_id), self._runs) as watched:
            yield watched

    @contextlib.asynccontextmanager
    async def episode_watch(self, episode_id: int) -> AsyncIterator[tuple[EpisodeFeed, Subscription] | None]:
        """Yield the episode's feed and a subscription to it, or None if the episode is unknown.

        Raises ``Unavailable`` when Postgres stays unreachable.
        """
        async with self._watch(EpisodeFeed(self._news, episode_id), self._episodes) as watched:
            yield watched

    @contextlib.asynccontextmanager
    async def _watch(self, new: F, feeds: dict[int, F]) -> AsyncIterator[tuple[F, Subscription] | None]:
        subscription = Subscription()
        # One feed opens at a time. The time-out keeps watchers from queueing while Postgres is unreachable.
        try:
            async with asyncio.timeout(OPEN_S), self._opening:
                feed = feeds.get(new.subject_id) or await self._opened(new, feeds)
                if feed is not None:
                    feed.subscriptions.add(subscription)
        except TimeoutError:
            raise Unavailable("no feed could be opened in time") from None
        if feed is None:
            yield None
            return
        try:
            yield feed, subscription
        finally:
            feed.subscriptions.discard(subscription)
            if not feed.subscriptions and feeds.get(feed.subject_id) is feed:
                del feeds[feed.subject_id]
                self._pumps.pop(feed).cancel()

    async def _opened(self, feed: F, feeds: dict[int, F]) -> F | None:
        if not await feed.open():
            return None
        await self._marks_begin(feed)
        feeds[feed.subject_id] = feed
        self._pumps[feed] = asyncio.create_task(self._pump(feed))
        return feed

    async def _pump(self, feed: Feed) -> None:
        try:
            await feed.pump()
        except GymError as error:
            feed.end(error)
        except Exception:
            logger.exception("%s %s failed", type(feed).__name__, feed.subject_id)
            feed.end(
                GymError("internal_error", "An internal error occurred and has been logged.", status=500)
            )

    async def _marks_begin(self, feed: Feed) -> None:
        runs, episodes = ([feed.subject_id], []) if isinstance(feed, RunFeed) else ([], [feed.subject_id])
        highest = await self._news.reader.steps_highest(runs=runs, episodes=episodes)
        watched = {
            row.episode_id for row in highest if row.episode_id in self._episodes or row.run_id in self._runs
        }
        self._marks.begin({row.episode_id: row.step for row in highest}, watched=watched)

    async def steps_poll(self) -> None:
        """Publish the steps stored since the last poll, then sleep in proportion to the time that took."""
        clock = asyncio.get_running_loop()
        began = clock.time()
        if began >= self._forget_at:
            await self._forget()
            self._forget_at = began + FORGET_S
        if len(self):
            self._publish(
                await self._news.reader.steps_after(
                    self._marks.floors(), episodes=list(self._episodes), runs=list(self._runs)
                )
            )
        await asyncio.sleep((clock.time() - began) / POLL_SHARE)

    def _publish(self, new: list[NewStep]) -> None:
        by_feed: dict[Feed, list[NewStep]] = defaultdict(list)
        for step in new:
            if self._marks.take(step.episode_id, step.step):
                feeds = (self._episodes.get(step.episode_id), self._runs.get(step.run_id))
                for feed in filter(None, feeds):
                    by_feed[feed].append(step)
        for feed, steps in by_feed.items():
            feed.publish_steps(steps)

    async def _forget(self) -> None:
        """Drop the marks of episodes that nobody watches any more.

        Waits while a feed is being opened, because that feed has marks before it is listed.
        """
        if not len(self._marks):
            return
        async with self._opening:
            watched = await self._news.reader.steps_highest(
                episodes=list(self._episodes), runs=list(self._runs)
            )
            self._marks.keep(row.episode_id for row in watched)
