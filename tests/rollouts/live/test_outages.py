from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from django.db import connection

from gymsite.services import endpoints
from tests.rollouts.live.conftest import in_thread, judge
from tests.rollouts.live.wire import Wire
from tests.servers import servers
from trajectories.models import Episode
from trajectories.rollouts.live import hub as hub_module
from trajectories.rollouts.live import selectors
from trajectories.rollouts.live.access import Viewer
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import LiveReader, Unavailable
from trajectories.rollouts.live.waits import WaitApp

pytestmark = pytest.mark.django_db(transaction=True)

POSTGRES_SOCKET = ".s.PGSQL.5432"


class Rig:
    """A hub whose wires to Postgres and Redis can be cut."""

    def __init__(self, folder: Path) -> None:
        sockets = endpoints.socket_folder(servers.var_dir)
        self.postgres = Wire(folder / POSTGRES_SOCKET, sockets / POSTGRES_SOCKET)
        self.redis = Wire(folder / endpoints.REDIS_SOCKET, sockets / endpoints.REDIS_SOCKET)
        database_url = servers.role_url("lab", database=connection.settings_dict["NAME"])
        self.hub = Hub(
            reader=LiveReader(database_url=_through(database_url, folder)),
            redis_url=servers.redis_url.replace(str(sockets), str(folder)),
        )

    async def until_heard(self, is_heard: bool = True) -> None:
        await _until(lambda: self.hub.announcements.is_connected is is_heard)


@pytest_asyncio.fixture
async def rig(transactional_db: None) -> AsyncIterator[Rig]:
    folder = Path(tempfile.mkdtemp(prefix="gym-"))
    made = Rig(folder)
    await made.postgres.mend()
    await made.redis.mend()
    await made.hub.start()
    await made.until_heard()
    yield made
    await made.hub.stop()
    await made.postgres.cut()
    await made.redis.cut()
    shutil.rmtree(folder)


@pytest.fixture
def no_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Postgres is not polled: verdicts are noticed only through Redis."""
    monkeypatch.setattr(hub_module, "POLL_EVERY_S", 3_600.0)


async def waiting(rig: Rig, episode: Episode) -> asyncio.Task[str]:
    """A wait that has queried once without a verdict."""

    async def wait() -> str:
        state = await rig.hub.episode_wait(episode.pk, timeout_s=60.0, viewer=Viewer())
        return state.record if state and state.is_finished else ""

    task = asyncio.create_task(wait())
    await _until(lambda: len(rig.hub.episodes) == 1)
    await rig.hub.states.get(episode.pk)
    return task


async def test_verdicts_arrive_without_redis(rig: Rig, episode: Episode) -> None:
    await rig.redis.cut()
    await rig.until_heard(False)
    wait = await waiting(rig, episode)
    await in_thread(judge, episode)
    assert '"reward" : 1' in await wait


async def test_announcements_lost_by_redis_are_queried_after_it_returns(
    no_asking: None, rig: Rig, episode: Episode
) -> None:
    wait = await waiting(rig, episode)
    await rig.redis.cut()
    await rig.until_heard(False)
    await in_thread(judge, episode)
    assert not wait.done()
    await rig.redis.mend()
    assert await wait


async def test_announcements_are_heard_again_after_a_restart_of_redis(
    no_asking: None, rig: Rig, episode: Episode
) -> None:
    await rig.redis.cut()
    await rig.until_heard(False)
    await rig.redis.mend()
    await rig.until_heard()
    wait = await waiting(rig, episode)
    await in_thread(judge, episode)
    assert await wait


async def test_waits_go_on_while_postgres_restarts(rig: Rig, episode: Episode) -> None:
    wait = await waiting(rig, episode)
    stream = asyncio.create_task(
        rig.hub.verdicts_wait(episode.run_id, after=0, timeout_s=60.0, viewer=Viewer())
    )
    await rig.postgres.cut()
    await in_thread(judge, episode)
    assert not wait.done()
    await rig.postgres.mend()
    seen = await stream
    assert await wait
    assert seen is not None
    assert (len(seen.records), seen.next) == (1, 1)


async def test_a_wait_that_ends_while_postgres_is_away_is_503(
    rig: Rig, episode: Episode, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "RESTART_GRACE_S", 0.0)
    await rig.postgres.cut()
    transport = httpx.ASGITransport(WaitApp(rig.hub))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://live", headers=headers) as client:
        answer = await client.get(f"/wait/episodes/{episode.pk}?timeout=0")
        health = await client.get("/wait/health")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "database_unavailable"
    assert answer.headers["retry-after"] == "1"
    assert (health.status_code, health.json()["database"]) == (503, "down")


async def test_a_failed_query_fails_every_waiting_request(rig: Rig, episode: Episode) -> None:
    await rig.postgres.cut()
    answers = await asyncio.gather(
        *(rig.hub.states.get(episode.pk) for _ in range(20)), return_exceptions=True
    )
    assert all(isinstance(answer, Unavailable) for answer in answers)


def _through(url: str, folder: Path) -> str:
    """The address with another socket folder in its query."""
    address, _, query = url.partition("?host=")
    assert query
    return f"{address}?host={folder}"


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)
