"""Episodes that are recorded and forked, to compare each fork with its parent page by page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from palaestra.api import Client
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars.json import action_line
from palaestra.observation import Observation, Observer
from palaestra.pages.lite import LitePool
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import PageView
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Policy
from palaestra.records import OpenedEpisode
from tests.e2e.handles import Player, config_of
from tests.e2e.lite_twins import Turn, Twin

T = TypeVar("T")


@dataclass
class Taken:
    """The completions of an episode, and the observations before each of them and after the last."""

    episode: int
    completions: list[str] = field(default_factory=list)
    shown: list[Observation] = field(default_factory=list)


@dataclass
class RecordedPlayer(Player):
    """A player whose actions become the steps of an episode."""

    episode: Episode | None = None
    taken: Taken = field(default_factory=lambda: Taken(0))
    turns: list[Turn] = field(default_factory=list)

    async def play(self, policy: Policy, info: EpisodeInfo) -> None:
        while self.view is not None:
            reply = str(await policy.act(self.observation, info))
            await self.act(**json.loads(reply.rpartition("\n")[2].removeprefix("Action: ")))

    async def act(self, **action: Any) -> None:
        assert self.episode is not None
        self.turns.append(Turn(self.observation.text, action))
        await _take(self.episode, self.taken, action)
        self.steps, self.observation = self.episode.steps, self.episode.observation
        page = self.episode.page
        assert page is not None
        self.view = None if self.episode.is_over else PageView(url="", title="", text="", is_settled=True)


class RecordedTwin(Twin):
    """A twin, without a browser, whose actions become the steps of an episode."""

    episode: Episode
    taken: Taken

    async def _act(self, action: Mapping[str, Any]) -> None:
        await _take(self.episode, self.taken, action)
        self.text = self.episode.observation.text


async def _take(episode: Episode, taken: Taken, action: Mapping[str, Any]) -> None:
    completion = action_line(**action)
    taken.completions.append(completion)
    _, outcome = await episode.turn(completion)
    assert outcome.is_ok, f"{action}: {outcome.message}\n{episode.observation.text}"
    taken.shown.append(episode.observation)


class Stage:
    """Plays and forks episodes in its own event loop, because another browser keeps one in this thread."""

    def __init__(self, lab: str, key: str, *, arena: str, thread: Executor, config: EpisodeConfig) -> None:
        self._lab, self._key, self._thread, self.config = lab, key, thread, config
        self.pools: Mapping[str, Any] = {"chromium": PagePool(origin=arena, size=2), "lite": LitePool(size=2)}
        self._loop = asyncio.Runner()

    def run(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        return self.begin(work).result()

    def begin(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start the work in the background, and return its future."""

        async def with_client() -> T:
            async with Client(self._lab, self._key) as client:
                return await work(client)

        return self._thread.submit(self._loop.run, with_client())

    def close(self) -> None:
        for pool in self.pools.values():
            self._thread.submit(self._loop.run, pool.aclose()).result()
        self._thread.submit(self._loop.close).result()

    async def begun(self, client: Client, opened: OpenedEpisode, *, browser: str) -> Episode:
        messages = await client.opening_messages(opened.id)
        episode = Episode(client, opened, messages=messages, config=self.config)
        if opened.start_url is not None:
            pool = self.pools[browser]
            episode.page, episode.renew = await pool.acquire(), pool.renew
        await episode.begin()
        return episode

    async def ended(self, episode: Episode, *, browser: str) -> None:
        await episode.step_queue.flush()
        if episode.page is not None:
            await episode.page.flush_recorder()
            await self.pools[browser].release(episode.page)

    def played(
        self, opened: OpenedEpisode, play: Callable[[RecordedPlayer], Any], *, browser: str = "chromium"
    ) -> tuple[Taken, Sequence[Turn]]:
        """Play an episode in a browser."""

        async def work(client: Client) -> tuple[Taken, Sequence[Turn]]:
            episode = await self.begun(client, opened, browser=browser)
            player = RecordedPlayer(page=episode.page, config=config_of("axtree"), episode=episode)  # type: ignore[arg-type]
            player.taken = Taken(opened.id, shown=[episode.observation])
            player.observation = episode.observation
            player.view = PageView(url="", title="", text="", is_settled=True)
            await play(player)
            await self.ended(episode, browser=browser)
            return player.taken, player.turns

        return self.run(work)

    def twin_played(self, opened: OpenedEpisode, turns: Sequence[Turn]) -> Taken:
        """Play the same turns in an episode without a browser."""

        async def work(client: Client) -> Taken:
            episode = await self.begun(client, opened, browser="lite")
            twin = RecordedTwin(page=episode.page, observer=Observer(config_of("axtree")))  # type: ignore[arg-type]
            twin.episode, twin.taken = episode, Taken(opened.id, shown=[episode.observation])
            twin.text = episode.observation.text
            await twin.go_on(turns)
            await self.ended(episode, browser="lite")
            return twin.taken

        return self.run(work)

    def taken(self, opened: OpenedEpisode, completions: Sequence[str], *, browser: str) -> Taken:
        """Play these completions in an episode."""

        async def play(episode: Episode, taken: Taken) -> None:
            for completion in completions:
                taken.completions.append(completion)
                await episode.turn(completion)
                taken.shown.append(episode.observation)

        return self.done(opened, play, browser=browser)

    def done(
        self, opened: OpenedEpisode, play: Callable[[Episode, Taken], Awaitable[None]], *, browser: str
    ) -> Taken:
        async def work(client: Client) -> Taken:
            episode = await self.begun(client, opened, browser=browser)
            taken = Taken(opened.id, shown=[episode.observation])
            await play(episode, taken)
            await self.ended(episode, browser=browser)
            return taken

        return self.run(work)

    def closed(self, episode: int) -> None:
        async def work(client: Client) -> None:
            await client.episode_close(episode, reason="agent_stopped")

        self.run(work)

    def forked(self, parent: int, *, step: int, **fields: Any) -> OpenedEpisode:
        async def work(client: Client) -> OpenedEpisode:
            return (await client.episode_fork(parent, step=step, **fields)).episodes[0]

        return self.run(work)
