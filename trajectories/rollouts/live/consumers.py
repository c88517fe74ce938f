"""Consumers of WebSockets: they check access, join a feed, and relay its messages."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer  # type: ignore[import-untyped]

from core.errors import GymError
from trajectories.rollouts.live import access
from trajectories.rollouts.live.feeds import (
    after_read,
    query_read,
    too_slow,
    unknown_episode_error,
    unknown_run_error,
    verdict_message,
)
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import Unavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")

SEND_S = 20.0
CLOSE_S = 3.0
# How long someone may keep watching after the key was revoked or the session ended.
CHECK_AGAIN_S = 60.0
CLOSE_CODE_BASE = 4_000  # For example, 4404 corresponds to HTTP 404.
PULSE_S = 1.0
PING = "ping"
PONG = '{"type":"pong"}'


class LiveConsumer(AsyncWebsocketConsumer, ABC):  # type: ignore[misc] # Channels is not typed
    """One socket. It sends text, and ignores what it receives except ``ping``.

    A refused caller gets no handshake (403). Later failures are sent as ``{"type": "error", "error": {...}}``
    and close the socket with 4000 plus the status.
    """

    viewer: access.Viewer
    relay: asyncio.Task[None] | None = None

    @property
    def hub(self) -> Hub:
        hub: Hub = self.scope["hub"]
        return hub

    @property
    def subject_id(self) -> int:
        return int(self.scope["subject_id"])

    async def connect(self) -> None:
        try:
            self.viewer = await access.viewer_of_socket(self.scope)
        except GymError:
            await self.close()
            return
        await self.accept(access.subprotocol_chosen(self.scope))
        self.relay = asyncio.create_task(self._relay())

    async def disconnect(self, code: int) -> None:
        if self.relay is not None:
            self.relay.cancel()
            await asyncio.gather(self.relay, return_exceptions=True)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer ``ping``: a page can see neither the protocol's own pings nor whether a server hangs."""
        if text_data != PING:
            return
        # The other end may be gone.
        with suppress(Exception):
            async with asyncio.timeout(SEND_S):
                await self.send(text_data=PONG)

    @abstractmethod
    def messages(self) -> AsyncIterator[list[str]]:
        """Yield the messages to send, in bundles. A ``GymError`` ends the socket."""

    async def watched(self, wait: Callable[[], Awaitable[T]]) -> AsyncIterator[T]:
        """Yield the results of repeated calls of ``wait`` for as long as the caller may watch."""
        clock = asyncio.get_running_loop()
        check_at = clock.time() + CHECK_AGAIN_S
        while True:
            if clock.time() >= check_at:
                self.viewer = await access.viewer_of_socket(self.scope)
                check_at = clock.time() + CHECK_AGAIN_S
            with suppress(TimeoutError):
                async with asyncio.timeout_at(check_at):
                    result = await wait()
                yield result

    async def _relay(self) -> None:
        try:
            async for bundle in self.messages():
                for message in bundle:
                    async with asyncio.timeout(SEND_S):
                        await self.send(text_data=message)
        except GymError as error:
            await self._fail(error)
        except TimeoutError:
            await self._fail(too_slow())
        except Unavailable as error:
            await self._fail(access.unavailable(error))
        except Exception:
            logger.exception("A socket failed")
            await self._fail(
                GymError("internal_error", "An internal error occurred and has been logged.", status=500)
            )

    async def _fail(self, error: GymError) -> None:
        text = msgspec.json.encode({"type": "error", **error.as_body()}).decode()
        # The other end may be gone or stuck, but closing at least ends this side.
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_S):
                await self.send(text_data=text)
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_S):
                await self.close(CLOSE_CODE_BASE + error.status)


class EpisodeConsumer(LiveConsumer):
    """Socket that sends ``state``, then new steps and the verdict.

    The state has the episode's record and its highest step. A verdict written while the socket connects may
    appear both in the state and as a message.
    """

    async def messages(self) -> AsyncIterator[list[str]]:
        episode_id = self.subject_id
        seen = await self.hub.states.get(episode_id)
        if seen is None or not self.viewer.sees(seen):
            raise unknown_episode_error(episode_id)
        async with self.hub.feeds.episode_watch(episode_id) as watched:
            state = await self.hub.states.get(episode_id) if watched else None
            if watched is None or state is None:
                raise unknown_episode_error(episode_id)
            last_step = self.hub.feeds.step_highest(episode_id)
            yield [f'{{"type":"state","episode":{state.record},"last_step":{last_step}}}']
            async for bundle in self.watched(watched[1].get):
                yield bundle


class RunConsumer(LiveConsumer):
    """Socket that sends ``state`` (the cursor), then new steps and every verdict, exactly once and in order.

    With ``?after=`` the verdicts since that cursor are sent first.
    """

    async def messages(self) -> AsyncIterator[list[str]]:
        _whole_run_require(self.viewer)
        query = query_read(self.scope["query_string"])
        after = after_read(query)
        async with self.hub.feeds.run_watch(self.subject_id) as watched:
            if watched is None or not self.viewer.sees_project(watched[0].project):
                raise unknown_run_error(self.subject_id)
            feed, subscription = watched
            cursor = feed.cursor
            if "after" in query:
                async for bundle in self._verdicts(after, cursor):
                    yield bundle
            yield [f'{{"type":"state","run":{self.subject_id},"next":{cursor}}}']
            async for bundle in self.watched(subscription.get):
                yield bundle

    async def _verdicts(self, after: int, cursor: int) -> AsyncIterator[list[str]]:
        """Yield the verdicts numbered above ``after`` up to ``cursor``; the feed sends later ones."""
        while after < cursor:
            page = await self.hub.pages.get((self.subject_id, after))
            if page is None or not page.rows:
                return
            after = page.rows[-1][0]
            yield [verdict_message(seq, record) for seq, record in page.rows if seq <= cursor]


class RunPulseConsumer(LiveConsumer):
    """Socket that sends ``state``, then up to one ``pulse`` a second while the run gets verdicts or episodes.

    This is for pages that only show counts, because a run may write hundreds of verdicts and thousands of
    steps a second.
    """

    async def messages(self) -> AsyncIterator[list[str]]:
        _whole_run_require(self.viewer)
        run_id = self.subject_id
        state = (await self.hub.reader.run_states([run_id])).get(run_id)
        if state is None or not self.viewer.sees_project(state.project):
            raise unknown_run_error(run_id)
        with self.hub.pulses.listen(run_id) as news:
            yield [f'{{"type":"state","run":{run_id}}}']
            async for _ in self.watched(news.wait):
                news.clear()
                yield [f'{{"type":"pulse","run":{run_id}}}']
                await asyncio.sleep(PULSE_S)


def _whole_run_require(viewer: access.Viewer) -> None:
    if viewer.splits:
        message = "A key that is limited to splits cannot watch a whole run: use /wait/runs/{id}/verdicts."
        raise GymError("limited_key", message, status=403)


class Refused(AsyncWebsocketConsumer):  # type: ignore[misc] # Channels is not typed
    """Refusal of unknown addresses, and of all sockets while there are too many."""

    async def connect(self) -> None:
        await self.close()
