"""The socket of pages that only count: it announces news without its content."""

from __future__ import annotations

import pytest
from django.conf import settings
from websockets.asyncio.client import connect

from tests import factories
from tests.rollouts.live.conftest import Live, episodes_make, in_thread, judge
from tests.rollouts.live.test_consumers import (
    ARENA,
    LAB,
    failure,
    hear,
    judge_all,
    lab_cookie,
    opening,
    refusal,
)
from trajectories.models import Episode
from trajectories.record.api import auth
from trajectories.rollouts.episodes.creation import Opening, episodes_open, group_refill
from validation.benchmarks.rounds import OWNER

pytestmark = pytest.mark.django_db(transaction=True)

OTHER_NAME = f"http://localhost:{settings.LAB_PORT}"


async def test_a_pulse_announces_verdicts_without_naming_them(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, 301)
    run_id = episodes[0].run_id
    async with opening(live, f"/ws/runs/{run_id}/pulse/", key) as socket:
        assert await hear(socket) == {"type": "state", "run": run_id}
        for some in (episodes[:1], episodes[1:]):
            await in_thread(judge_all, some)
            assert await hear(socket) == {"type": "pulse", "run": run_id}


async def test_a_pulse_announces_opened_episodes(live: Live, key: str, episode: Episode) -> None:
    request = Opening(run=episode.run_id, tasks=[episode.task_id], samples_per_task=100)
    async with opening(live, f"/ws/runs/{episode.run_id}/pulse/", key) as socket:
        await hear(socket)
        for _ in range(3):
            await in_thread(episodes_open, opening=request, principal=OWNER)
            assert await hear(socket) == {"type": "pulse", "run": episode.run_id}
        await in_thread(group_refill, group=episode.group, count=1, principal=OWNER)
        assert (await hear(socket))["type"] == "pulse"


async def test_verdicts_of_another_run_send_no_pulse(live: Live, key: str, episode: Episode) -> None:
    other = await in_thread(factories.episode)
    async with opening(live, f"/ws/runs/{episode.run_id}/pulse/", key) as socket:
        await hear(socket)
        await in_thread(judge, other)
        await in_thread(judge, episode)
        assert (await hear(socket))["run"] == episode.run_id


async def test_a_pulse_needs_the_same_rights_as_its_run(live: Live, key: str, episode: Episode) -> None:
    path = f"/ws/runs/{episode.run_id}/pulse/"
    assert await refusal(live, path) == 403
    limited = await in_thread(auth.key_create, name="limited", scopes=["read"], splits=["test"])
    async with opening(live, path, limited) as socket:
        assert await failure(socket) == ("limited_key", 4403)
    async with opening(live, "/ws/runs/999999999/pulse/", key) as socket:
        assert await failure(socket) == ("not_found", 4404)


async def test_a_lab_session_gets_pulses_only_on_pages_of_the_lab_under_any_host_name(
    live: Live, episode: Episode
) -> None:
    headers = {"Cookie": await in_thread(lab_cookie, is_active=True)}
    path = f"/ws/runs/{episode.run_id}/pulse/"
    async with opening(live, path, headers=headers, origin=LAB) as socket:
        assert (await hear(socket))["type"] == "state"
    address = f"ws://localhost:{live.port}{path}"
    async with connect(address, additional_headers=headers, origin=OTHER_NAME, proxy=None) as socket:
        assert (await hear(socket))["type"] == "state"
    for origin in (ARENA, OTHER_NAME, "https://elsewhere.test", "null"):
        assert await refusal(live, path, headers=headers, origin=origin) == 403


async def test_a_socket_answers_a_ping_and_nothing_else(live: Live, key: str, episode: Episode) -> None:
    async with opening(live, f"/ws/runs/{episode.run_id}/pulse/", key) as socket:
        await hear(socket)
        for text in ("hello", b"ping", "ping"):
            await socket.send(text)
        assert await hear(socket) == {"type": "pong"}
        await in_thread(judge, episode)
        assert (await hear(socket))["type"] == "pulse"
