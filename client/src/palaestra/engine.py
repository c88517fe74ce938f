"""The rollout engine, which plays many episodes on a pool of warm pages.

Episodes are opened in bulk, and their verdicts arrive over a single long poll.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import msgspec
from msgspec import structs

from palaestra.api import Client
from palaestra.api.background import VERDICT_LIMIT_S, Heartbeat, VerdictStream, tasks_cancel
from palaestra.api.interventions import OpenedIntervention
from palaestra.api.reward_calls import rewards_read
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import UNPLAYABLE, ApiError, PageDead, Unreachable, find_close_reason
from palaestra.pages.surface import VIEWPORT
from palaestra.play.episode import Episode
from palaestra.play.pools import browser_check, pool_make, run_check
from palaestra.policies import Policy
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.records import EpisodeState, Message, OpenedEpisode, Opening
from palaestra.recovery.lineage import line_read, resumed_read
from palaestra.rollouts import Batch, End, Rollout, Turns

logger = logging.getLogger(__name__)

# There is one page more than there are cores, so that no core idles while a page waits for the server.
DEFAULT_PAGES = (os.cpu_count() or 1) + 1
OPEN_AT_ONCE = 1_000
TEXT_INFLIGHT = 32
CONFLICT = 409
GRACE_S = 120.0
OURS = (*UNPLAYABLE, ApiError)


class Engine:
    """An engine that plays tasks with policies, on at most ``pages`` browser pages; text arms need no pages.

    A page that dies is replaced and its episode continues, but only once (see ``Episode``). A policy that
    raises an exception ends its episode as ``model_error``; one that takes longer than ``time_limit_s`` in
    total ends it as ``time_budget``. To limit stragglers, once the share ``cut_after`` of a call's episodes
    has been played, the others end ``grace_s`` seconds later as ``cut_off``, which is void. With a
    ``reward_profile``, rollouts include its payments; an empty name stands for the run's own profile.

    Raises ``ValueError`` for a share outside (0, 1], and ``PalaestraError`` if the browser cannot do what
    ``config`` requires.
    """

    def __init__(
        self,
        client: Client,
        *,
        pages: int = DEFAULT_PAGES,
        config: EpisodeConfig | None = None,
        time_limit_s: float = TIME_LIMIT_S,
        verdict_limit_s: float = VERDICT_LIMIT_S,
        viewport: tuple[int, int] = VIEWPORT,
        browser: str = "chromium",
        cut_after: float | None = None,
        grace_s: float = GRACE_S,
        reward_profile: str | None = None,
    ) -> None:
        self.client = client
        self._batch = partial(Batch, cut_after=cut_after, grace_s=grace_s)
        self._batch()  # raises an exception for an invalid share
        self._config = config or EpisodeConfig()
        self._browser = browser
        browser_check(browser, self._config)
        self.pool = pool_make(browser, origin=client, size=pages, viewport=viewport)
        self._time_limit_s = time_limit_s
        self._verdict_limit_s = verdict_limit_s
        self._reward_profile = reward_profile
        self._text_slots = asyncio.Semaphore(TEXT_INFLIGHT)
        self._heartbeat = Heartbeat(client)

    async def __aenter__(self) -> Engine:
        await self._heartbeat.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._heartbeat.__aexit__()
        await self.pool.aclose()

    async def rollout(
        self,
        *,
        run: int,
        tasks: Sequence[int],
        policy: Policy,
        arm: str = "gym",
        samples_per_task: int = 1,
        on_done: Callable[[Rollout], None] | None = None,
        **opening: Any,
    ) -> list[Rollout]:
        """Open ``samples_per_task`` episodes of every task and play them all.

        Other keywords are passed to ``Client.episodes_open`` (``policy_version``, ``seed``, ``looks``, ...).
        Results are in the order in which episodes were opened. Raises ``ApiError`` if the server refuses to
        open them, and ``BrowserMissing`` if there is no browser.
        """
        await run_check(self.client, run, self._browser)
        opening |= {"run": run, "arm": arm, "samples_per_task": samples_per_task}

        async def episodes() -> AsyncIterator[tuple[int, Episode]]:
            async for episode in self.episodes_open(tasks, opening):
                yield run, episode

        return await self.play(episodes(), policy, on_done)

    async def resume(
        self,
        *,
        run: int,
        interrupted: Sequence[EpisodeState],
        policy: Policy,
        on_done: Callable[[Rollout], None] | None = None,
    ) -> list[Rollout]:
        """Play a run's open episodes from where they were interrupted.

        Episodes that have ended in the meantime, or that a person has taken over, are left out.
        """

        async def episodes() -> AsyncIterator[tuple[int, Episode]]:
            for state in interrupted:
                if (episode := await self.episode_resume(state)) is not None:
                    yield run, episode

        return await self.play(episodes(), policy, on_done)

    async def fork(
        self,
        *,
        run: int,
        forks: Sequence[Mapping[str, Any]],
        policy: Policy,
        on_done: Callable[[Rollout], None] | None = None,
    ) -> list[Rollout]:
        """Fork ended episodes into ``run`` and play the forks.

        Each item is ``{"episode", "step", "count", ...}``, as for ``Client.forks_open``; up to a thousand
        forks are opened together. A fork whose page differs from its parent's is void, and its ``problem``
        tells where.
        """
        await run_check(self.client, run, self._browser)

        async def episodes() -> AsyncIterator[tuple[int, Episode]]:
            for batch in _split_batches(forks):
                opened = await self.client.forks_open([{**fork, "run": run} for fork in batch])
                for each in opened.episodes:
                    yield run, self._make_episode(each, opened.messages_of(each))

        return await self.play(episodes(), policy, on_done)

    async def play(
        self,
        episodes: AsyncIterator[tuple[int, Episode]],
        policy: Policy,
        on_done: Callable[[Rollout], None] | None = None,
        *,
        inflight: int | None = None,
    ) -> list[Rollout]:
        """Play episodes, which come in pairs with their runs, in the given order.

        At most ``inflight`` episodes are played concurrently; the next one is requested when one has ended.
        """
        async with AsyncExitStack() as stack:
            streams: dict[int, VerdictStream] = {}
            slots = asyncio.Semaphore(inflight) if inflight else None
            playing: list[asyncio.Task[Rollout]] = []
            batch = self._batch()
            try:
                if slots:
                    await slots.acquire()
                async for run, episode in episodes:
                    if run not in streams:
                        streams[run] = await stack.enter_async_context(VerdictStream(self.client, run))
                    task = asyncio.ensure_future(self._play(episode, policy, streams[run], on_done, batch))
                    playing.append(task)
                    if slots:
                        task.add_done_callback(lambda _: slots.release())
                        await slots.acquire()
                batch.complete(len(playing))
                return list(await asyncio.gather(*playing))
            finally:
                batch.end()
                await tasks_cancel(playing)

    async def episodes_open(
        self, tasks: Sequence[int], opening: Mapping[str, Any], config: EpisodeConfig | None = None
    ) -> AsyncIterator[Episode]:
        """Open the episodes of all tasks and yield them.

        ``opening`` has fields of ``Client.episodes_open``; ``config`` overrides the engine's own.
        """
        async for opened in self._open(tasks, opening):
            for each in opened.episodes:
                yield self._make_episode(each, opened.messages_of(each), config)

    async def continue_all(
        self, opened: OpenedIntervention, policy: Policy, on_done: Callable[[Rollout], None] | None = None
    ) -> list[Rollout]:
        """Play an intervention's continuations; results are in the order in which they were opened."""

        async def episodes() -> AsyncIterator[tuple[int, Episode]]:
            for each in opened.episodes:
                messages = [*opened.messages_of(each), opened.intervention.message]
                yield opened.intervention.run, self._make_episode(each, messages)

        return await self.play(episodes(), policy, on_done)

    async def episode_resume(
        self, state: EpisodeState, config: EpisodeConfig | None = None
    ) -> Episode | None:
        """Return an open episode, ready to continue from where it was interrupted, or None if it has ended.

        If it cannot be played now, because a person has taken it over or a fork's parent is gone, this logs a
        warning and returns None too. Raises ``ApiError`` for other refusals.
        """
        try:
            resumed = await resumed_read(self.client, state.id)
        except ApiError as failure:
            if failure.status != CONFLICT:
                raise
            if failure.code != "episode_final":
                logger.warning("episode %s is left out: %s", state.id, failure)
            return None
        fields = {**structs.asdict(resumed), **structs.asdict(state)}
        opened = msgspec.convert(fields, OpenedEpisode)
        episode = self._make_episode(opened, await self.client.opening_messages(state.id), config)
        episode.resume((await line_read(self.client, await self.client.trajectory(state.id))).to_past())
        return episode

    # ---- inside
    def _make_episode(
        self, opened: OpenedEpisode, messages: list[Message], config: EpisodeConfig | None = None
    ) -> Episode:
        return Episode(self.client, opened, messages=messages, config=config or self._config)

    async def _open(self, tasks: Sequence[int], opening: Mapping[str, Any]) -> AsyncIterator[Opening]:
        """Open the episodes of all tasks, a thousand per call, or fewer if their prompts are too long."""
        share = max(1, OPEN_AT_ONCE // opening["samples_per_task"])
        first = 0
        while first < len(tasks):
            try:
                opened = await self.client.episodes_open(tasks=tasks[first : first + share], **opening)
            except ApiError as error:
                if error.code != "prompts_too_long" or share == 1:
                    raise
                share //= 2
                continue
            first += share
            yield opened

    async def _play(
        self,
        episode: Episode,
        policy: Policy,
        verdicts: VerdictStream,
        on_done: Callable[[Rollout], None] | None,
        batch: Batch,
    ) -> Rollout:
        started = time.monotonic()
        problem = await batch.play(self._play_on_page(episode, policy))
        if problem is None:
            problem = await self._cut_off(episode)
        verdict = episode.step_queue.ack.verdict
        if verdict is None:
            verdict = await verdicts.wait(episode.opened.id, limit_s=self._verdict_limit_s)
        rewards = await rewards_read(
            self.client, episode.opened.id, verdict=verdict, profile=self._reward_profile
        )
        done = Rollout.of(episode, verdict=verdict, started=started, problem=problem, rewards=rewards)
        if on_done is not None:
            on_done(done)
        return done

    async def _cut_off(self, episode: Episode) -> str:
        episode.page = None  # it was returned to the pool
        with contextlib.suppress(ApiError, Unreachable):
            await episode.close("cut_off", "most of its batch had been played")
        return "cut_off"

    async def _play_on_page(self, episode: Episode, policy: Policy) -> str:
        """Play an episode, on a page of the pool if it needs one; return the problem, or an empty string."""
        if episode.opened.start_url is None:
            async with self._text_slots:
                return await self._play_turns(episode, policy)
        try:
            episode.page, episode.renew = await self.pool.acquire(), self.pool.renew
        except PageDead as failure:
            return await self._give_up(episode, failure)
        problem = "cancelled"
        try:
            problem = await self._play_turns(episode, policy)
            return problem
        finally:
            await self.pool.release(episode.page, is_healthy=not problem)

    async def _play_turns(self, episode: Episode, policy: Policy) -> str:
        self._heartbeat.episodes.add(episode.opened.id)
        try:
            await self._take_turns(episode, policy)
            return ""
        except Exception as failure:
            # Every exception is caught, because a failure of one episode must not end the others.
            return await self._give_up(episode, failure)
        finally:
            self._heartbeat.episodes.discard(episode.opened.id)

    async def _give_up(self, episode: Episode, failure: Exception) -> str:
        """Close an episode that cannot be continued, and return the problem."""
        is_expected = isinstance(failure, OURS)
        problem = f"{type(failure).__name__}: {failure}" if is_expected else repr(failure)
        level = logging.WARNING if is_expected else logging.ERROR
        logger.log(level, "episode %s: %s", episode.opened.id, problem, exc_info=not is_expected)
        # If closing fails as well, the server ends the episode as lease_lost, which is also void.
        with contextlib.suppress(ApiError, Unreachable):
            await episode.close(find_close_reason(failure), problem)
        return problem

    async def _take_turns(self, episode: Episode, policy: Policy) -> None:
        await episode.begin()
        turns = Turns(policy, limit_s=self._time_limit_s)
        while not episode.is_over:
            turn = await turns.take(episode)
            if await episode.amend() is not None:
                continue  # the recorded state differs from what the policy saw
            if isinstance(turn, End):
                await episode.close(turn.reason, turn.detail)
                return
            try:
                await episode.turn(turn)
            except ApiError as refusal:
                await episode.rejoin(refusal)


def _split_batches(forks: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Split forks into lists, each of which is opened by one call."""
    batch: list[Mapping[str, Any]] = []
    for fork in forks:
        if batch and sum(each.get("count", 1) for each in (*batch, fork)) > OPEN_AT_ONCE:
            yield batch
            batch = []
        batch.append(fork)
    if batch:
        yield batch
