from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from tests import factories
from tests.rollouts.live.conftest import Live, episodes_make, in_thread, judge
from trajectories.models import Episode, Step
from trajectories.record import hot_sql
from trajectories.record.api import auth
from trajectories.rollouts.live import events
from trajectories.shell import roles

pytestmark = pytest.mark.django_db(transaction=True)

LAB = "http://127.0.0.1:8001"
ARENA = "http://127.0.0.1:8000"


def opening(live: Live, path: str, key: str | None = None, **options: Any) -> connect:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    headers |= options.pop("headers", {})
    return connect(f"ws://127.0.0.1:{live.port}{path}", additional_headers=headers, proxy=None, **options)


async def hear(socket: ClientConnection) -> Any:
    async with asyncio.timeout(30):
        return msgspec.json.decode(await socket.recv())


async def refusal(live: Live, path: str, key: str | None = None, **options: Any) -> int:
    with pytest.raises(InvalidStatus) as refused:
        await opening(live, path, key, **options)
    return refused.value.response.status_code


async def failure(socket: ClientConnection) -> tuple[Any, int]:
    """The code of the error that a socket sends, and the code that it closes with."""
    message = await hear(socket)
    with pytest.raises(ConnectionClosedError) as closed:
        await socket.recv()
    assert message["type"] == "error"
    return message["error"]["code"], closed.value.rcvd.code if closed.value.rcvd else 0


def judge_all(episodes: list[Episode]) -> None:
    run_id = episodes[0].run_id
    endings = [hot_sql.Ending(episode=one.pk, outcome="correct", reason="answer") for one in episodes]
    events.episodes_ended(run_id=run_id, ids=hot_sql.finish_many(run_id=run_id, endings=endings))


async def test_watching_an_episode(live: Live, key: str, episode: Episode) -> None:
    await in_thread(factories.step, episode, 1)
    async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
        state = await hear(socket)
        await in_thread(
            factories.step, episode, 2, thought="x" * 10_000, action={"type": "click", "target": "e1"}
        )
        step = await hear(socket)
        await in_thread(judge, episode)
        verdict = await hear(socket)
    assert (state["type"], state["episode"]["id"], state["last_step"]) == ("state", episode.pk, 1)
    assert (step["type"], step["episode"], step["step"]["index"]) == ("step", episode.pk, 2)
    assert step["step"]["action"] == {"type": "click", "target": "e1"}
    assert step["step"]["thought_start"] == "x" * 500
    assert (verdict["type"], verdict["episode"], verdict["group"]) == (
        "verdict",
        episode.pk,
        episode.group_id,
    )
    assert verdict["verdict"]["reward"] == 1.0


async def test_watching_a_run(live: Live, key: str) -> None:
    old, judged, stepping = await in_thread(episodes_make, 3)
    await in_thread(judge, old)
    await in_thread(factories.step, stepping, 1)
    async with opening(live, f"/ws/runs/{old.run_id}/", key) as socket:
        assert await hear(socket) == {"type": "state", "run": old.run_id, "next": 1}
        await in_thread(judge, judged)
        verdict = await hear(socket)
        await in_thread(factories.step, stepping, 2)
        step = await hear(socket)
    assert (verdict["type"], verdict["seq"], verdict["episode"]) == ("verdict", 2, judged.pk)
    assert (step["type"], step["episode"], step["step"]["index"]) == ("step", stepping.pk, 2)


async def test_an_episode_opened_later_is_watched_from_its_first_step(live: Live, key: str) -> None:
    group = await in_thread(factories.group)
    async with opening(live, f"/ws/runs/{group.run_id}/", key) as socket:
        await hear(socket)
        episode = await in_thread(factories.episode, group=group)
        await in_thread(factories.step, episode, 1)
        step = await hear(socket)
    assert (step["episode"], step["step"]["index"]) == (episode.pk, 1)


async def test_a_reconnected_socket_gets_every_verdict_since_its_cursor(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, 1_203)
    await in_thread(judge_all, episodes[:1_201])
    async with opening(live, f"/ws/runs/{episodes[0].run_id}/?after=1", key) as socket:
        history = [await hear(socket) for _ in range(1_200)]
        state = await hear(socket)
        await in_thread(judge_all, episodes[1_201:])
        news = [await hear(socket), await hear(socket)]
    assert [message["seq"] for message in history] == list(range(2, 1_202))
    assert state["next"] == 1_201
    assert [message["episode"] for message in history + news] == [episode.pk for episode in episodes[1:]]


async def test_steps_stored_out_of_order_are_each_sent_once(live: Live, key: str, episode: Episode) -> None:
    heard = []
    async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
        await hear(socket)
        for index in (3, 1, 4, 2):
            await in_thread(factories.step, episode, index)
            heard.append((await hear(socket))["step"]["index"])
        await in_thread(judge, episode)
        last = await hear(socket)
    assert heard == [3, 1, 4, 2]
    assert last["type"] == "verdict"


async def test_a_reconnected_watcher_gets_only_later_steps(live: Live, key: str, episode: Episode) -> None:
    path = f"/ws/episodes/{episode.pk}/"
    async with opening(live, path, key) as socket:
        await hear(socket)
    await in_thread(_steps_make, episode, 599)
    async with opening(live, path, key) as socket:
        assert (await hear(socket))["last_step"] == 599
        await in_thread(factories.step, episode, 600)
        assert (await hear(socket))["step"]["index"] == 600


async def test_a_run_watcher_gets_steps_stored_while_their_episode_is_being_opened(
    live: Live, key: str, episode: Episode
) -> None:
    async with opening(live, f"/ws/runs/{episode.run_id}/", key) as run:
        await hear(run)
        await in_thread(factories.step, episode, 1)
        async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
            await hear(socket)
            assert (await hear(run))["step"]["index"] == 1


def _steps_make(episode: Episode, number: int) -> None:
    Step.objects.bulk_create(
        Step(episode=episode, index=index, content_hash=b"\0" * 16) for index in range(1, number + 1)
    )


async def test_the_text_of_an_enormous_action_is_not_pushed(live: Live, key: str, episode: Episode) -> None:
    async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
        await hear(socket)
        action = {"type": "type", "target": "e1", "text": "x" * 100_000}
        await in_thread(factories.step, episode, 1, action=action, action_type="type")
        assert (await hear(socket))["step"]["action"] == {"type": "type"}


async def test_all_watchers_get_the_same_messages(live: Live, key: str, episode: Episode) -> None:
    path = f"/ws/runs/{episode.run_id}/"
    async with opening(live, path, key) as one, opening(live, path, key) as two:
        states = [await hear(one), await hear(two)]
        await in_thread(judge, episode)
        assert await hear(one) == await hear(two)
    assert states[0] == states[1]


async def test_a_client_that_never_reads_delays_nobody(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, 1_500)
    path = f"/ws/runs/{episodes[0].run_id}/"
    async with opening(live, path, key, max_queue=1, close_timeout=0.5), opening(live, path, key) as reader:
        await hear(reader)
        for start in range(0, len(episodes), 100):
            await in_thread(judge_all, episodes[start : start + 100])
        messages = [await hear(reader) for _ in episodes]
    assert [message["seq"] for message in messages] == list(range(1, len(episodes) + 1))


async def test_messages_from_a_client_are_ignored(live: Live, key: str, episode: Episode) -> None:
    async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
        await hear(socket)
        await socket.send("anything")
        await socket.send(b"\x00" * 1_000)
        await in_thread(judge, episode)
        assert (await hear(socket))["type"] == "verdict"


async def test_a_stranger_gets_no_handshake(live: Live, key: str, episode: Episode) -> None:
    path = f"/ws/episodes/{episode.pk}/"
    assert await refusal(live, path) == 403
    assert await refusal(live, path, "gym_wrong") == 403
    assert await refusal(live, f"{path}?key={key}") == 403
    assert (
        await refusal(live, path, headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}=guess"}, origin=LAB)
        == 403
    )


@pytest.mark.parametrize("path", ["/ws/", "/ws/episodes/x/", "/ws/runs/99999999999999999999/", "/elsewhere/"])
async def test_other_paths_are_refused(live: Live, key: str, path: str) -> None:
    assert await refusal(live, path, key) == 403


@pytest.mark.parametrize("path", ["/ws/episodes/999999999/", "/ws/runs/999999999/"])
async def test_an_unknown_run_or_episode_closes_the_socket_with_an_error(
    live: Live, key: str, path: str
) -> None:
    async with opening(live, path, key) as socket:
        assert await failure(socket) == ("not_found", 4404)


async def test_a_bad_cursor_closes_the_socket_with_an_error(live: Live, key: str, episode: Episode) -> None:
    async with opening(live, f"/ws/runs/{episode.run_id}/?after=soon", key) as socket:
        assert await failure(socket) == ("invalid", 4400)


async def test_a_browser_may_send_its_key_as_a_subprotocol(live: Live, key: str, episode: Episode) -> None:
    path = f"/ws/episodes/{episode.pk}/"
    async with opening(live, path, subprotocols=[f"bearer.{key}", "palaestra"]) as socket:
        assert socket.subprotocol == "palaestra"
        assert (await hear(socket))["type"] == "state"
    async with opening(live, path, subprotocols=[f"bearer.{key}"]) as socket:
        assert (await hear(socket))["type"] == "state"
    assert await refusal(live, path, subprotocols=["bearer.gym_wrong"]) == 403


async def test_a_lab_session_may_watch_only_from_pages_of_the_lab(live: Live, episode: Episode) -> None:
    cookie = await in_thread(lab_cookie, is_active=True)
    path = f"/ws/episodes/{episode.pk}/"
    async with opening(live, path, headers={"Cookie": cookie}, origin=LAB) as socket:
        assert (await hear(socket))["type"] == "state"
    assert await refusal(live, path, headers={"Cookie": cookie}, origin=ARENA) == 403
    assert await refusal(live, path, headers={"Cookie": cookie}, origin="http://elsewhere.test:8001") == 403
    assert await refusal(live, path, headers={"Cookie": cookie}) == 403


async def test_a_person_who_may_no_longer_log_in_may_not_watch(live: Live, episode: Episode) -> None:
    cookie = await in_thread(lab_cookie, is_active=False)
    path = f"/ws/episodes/{episode.pk}/"
    assert await refusal(live, path, headers={"Cookie": cookie}, origin=LAB) == 403


@pytest.mark.parametrize("make", [roles.annotator_make, roles.adjudicator_make])
async def test_an_annotator_may_not_watch(live: Live, episode: Episode, make: Callable[[User], None]) -> None:
    cookie = await in_thread(lab_cookie, is_active=True)
    await in_thread(everyone_made, make)
    path = f"/ws/episodes/{episode.pk}/"
    assert await refusal(live, path, headers={"Cookie": cookie}, origin=LAB) == 403


async def test_a_limited_key_watches_episodes_of_its_splits(live: Live) -> None:
    limited = await in_thread(auth.key_create, name="limited", scopes=["read"], splits=["test"])
    run = await in_thread(factories.run)
    shown = await in_thread(factories.episode, run=run, task=await in_thread(factories.task, split="test"))
    hidden = await in_thread(factories.episode, run=run, task=await in_thread(factories.task, split="train"))
    async with opening(live, f"/ws/episodes/{shown.pk}/", limited) as socket:
        assert (await hear(socket))["type"] == "state"
    async with opening(live, f"/ws/episodes/{hidden.pk}/", limited) as socket:
        assert await failure(socket) == ("not_found", 4404)
    async with opening(live, f"/ws/runs/{run.pk}/", limited) as socket:
        assert await failure(socket) == ("limited_key", 4403)


async def test_feeds_end_with_their_last_watcher(live: Live, key: str, episode: Episode) -> None:
    async with opening(live, f"/ws/episodes/{episode.pk}/", key) as socket:
        await hear(socket)
        assert await watched(live) == 1
    async with asyncio.timeout(30):
        while await watched(live):
            await asyncio.sleep(0.01)


async def watched(live: Live) -> int:
    async with live.client() as client:
        return int((await client.get("/wait/health")).json()["watched"])


def everyone_made(make: Callable[[User], None]) -> None:
    """Give all who can log in a role."""
    for user in User.objects.all():
        make(user)


def lab_cookie(*, is_active: bool) -> str:
    user = User.objects.create_user("owner", password="long enough", is_active=is_active)
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


async def test_sockets_of_another_project_find_nothing(live: Live, key: str, episode: Episode) -> None:
    stranger = await in_thread(auth.key_create, name="s", scopes=["admin"], project="astra")
    run = f"/ws/runs/{episode.run_id}/"
    for path in (f"/ws/episodes/{episode.pk}/", run, f"{run}pulse/"):
        async with opening(live, path, key) as own, opening(live, path, stranger) as socket:
            assert (await hear(own))["type"] == "state"  # so that there is a feed to join
            assert await failure(socket) == ("not_found", 4404)
