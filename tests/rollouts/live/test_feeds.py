from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import GymError
from trajectories.rollouts.live import access, consumers
from trajectories.rollouts.live.application import Line, Message
from trajectories.rollouts.live.consumers import LiveConsumer
from trajectories.rollouts.live.feeds import BUNDLES_BEHIND_MAX, RunFeed, Subscription, verdict_message


async def test_a_watcher_that_falls_behind_is_dropped_with_an_error() -> None:
    feed = RunFeed(SimpleNamespace(), 1)  # type: ignore[arg-type]
    slow, quick = Subscription(), Subscription()
    feed.subscriptions |= {slow, quick}
    for number in range(BUNDLES_BEHIND_MAX + 1):
        feed.publish([str(number)])
        assert await quick.get() == [str(number)]
    assert feed.subscriptions == {quick}
    assert [await slow.get() for _ in range(BUNDLES_BEHIND_MAX)] == [
        [str(n)] for n in range(BUNDLES_BEHIND_MAX)
    ]
    with pytest.raises(GymError, match="missed messages"):
        await slow.get()


async def test_an_ended_feed_wakes_its_watchers() -> None:
    feed = RunFeed(SimpleNamespace(), 1)  # type: ignore[arg-type]
    subscription = Subscription()
    feed.subscriptions.add(subscription)
    listening = asyncio.create_task(subscription.get())
    await asyncio.sleep(0)
    feed.end(GymError("gone", "The run has gone."))
    assert await listening == []
    with pytest.raises(GymError, match="has gone"):
        await subscription.get()


def test_a_verdict_keeps_its_own_fields() -> None:
    assert verdict_message(7, '{"episode" : 1}') == '{"type":"verdict","seq":7,"episode" : 1}'


class Talker(LiveConsumer):
    async def messages(self) -> Any:
        while True:
            yield ["x"]


class Telephone:
    """The server's side of a socket whose other end takes nothing."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self._first: list[Message] = [{"type": "websocket.connect"}]

    async def receive(self) -> Message:
        if self._first:
            return self._first.pop()
        return await asyncio.Future()

    async def send(self, message: Message) -> None:
        self.sent.append(message["type"])
        if message["type"] != "websocket.accept":
            await asyncio.Future()


async def test_a_stuck_socket_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def anyone(connection: access.Connection) -> access.Viewer:
        return access.Viewer()

    monkeypatch.setattr(access, "viewer_of_socket", anyone)
    monkeypatch.setattr(consumers, "SEND_S", 0.05)
    monkeypatch.setattr(consumers, "CLOSE_S", 0.05)
    telephone = Telephone()
    line = Line(telephone.receive, telephone.send)
    scope = {"type": "websocket", "path": "/", "headers": [], "query_string": b"", "subprotocols": []}
    async with asyncio.timeout(20):
        await Talker()(scope, line.receive, line.send)
    assert telephone.sent == ["websocket.accept", "websocket.send", "websocket.send", "websocket.close"]


async def test_a_revoked_key_ends_its_feeds(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(connection: access.Connection) -> access.Viewer:
        raise GymError("bad_key", "This key is not known or was revoked.", status=401)

    monkeypatch.setattr(access, "viewer_of_socket", nobody)
    monkeypatch.setattr(consumers, "CHECK_AGAIN_S", 0.0)
    consumer = Talker()
    consumer.scope = {}
    with pytest.raises(GymError, match="revoked"):
        await anext(consumer.watched(Subscription().get))
