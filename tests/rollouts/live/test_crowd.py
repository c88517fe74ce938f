from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from django.db import connection

from gymsite.services.server import BACKLOG
from tests.rollouts.live.conftest import Live, episodes_make, in_thread, judge, until_waiting
from trajectories.models import Episode
from trajectories.record import hot_sql
from trajectories.rollouts.live import events
from trajectories.rollouts.live import waits as waiting
from trajectories.rollouts.live.hub import Hub
from trajectories.rollouts.live.selectors import CONNECTIONS_MAX, LiveReader

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CROWD = 1_000
# The hub's own, and those of Django's pool for keys and sessions.
DATABASE_CONNECTIONS_MAX = CONNECTIONS_MAX + 4
MEMORY_PER_WAITER_MAX = 100 * 1024


def memory(pid: int) -> int:
    """Resident bytes of a process."""
    match = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(match[1]) * 1024 if match else 0


def database_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'palaestra-live%'")
        return int(cursor.fetchone()[0])


def judge_all(episodes: list[Episode]) -> None:
    run_id = episodes[0].run_id
    endings = [hot_sql.Ending(episode=episode.pk, outcome="correct", reason="answer") for episode in episodes]
    events.episodes_ended(run_id=run_id, ids=hot_sql.finish_many(run_id=run_id, endings=endings))


async def ask(live: Live, key: str, path: str) -> Any:
    """One request on a connection of its own; clients with pools take a second for a thousand of them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", live.port)
    try:
        head = (
            f"GET {path} HTTP/1.1\r\nHost: live\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode())
        return msgspec.json.decode((await reader.read()).partition(b"\r\n\r\n")[2])
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_thousand_waiters_are_all_answered(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, CROWD)
    run = episodes[0].run_id
    before = memory(live.worker())
    paths = [f"/wait/episodes/{episode.pk}?timeout=60" for episode in episodes[1:]]
    paths.append(f"/wait/runs/{run}/verdicts?after=1&timeout=60")
    crowd = asyncio.gather(*(ask(live, key, path) for path in paths))
    await until_waiting(live, CROWD)
    grown = memory(live.worker()) - before
    connections = await in_thread(database_connections)

    await in_thread(judge_all, episodes[:1])
    other = await ask(live, key, f"/wait/episodes/{episodes[0].pk}?timeout=60")
    is_crowd_waiting = not crowd.done()

    await in_thread(judge_all, episodes[1:])
    *states, verdicts = await crowd
    assert other["status"] == "finished"
    assert is_crowd_waiting
    assert [state["id"] for state in states] == [episode.pk for episode in episodes[1:]]
    assert {state["status"] for state in states} == {"finished"}
    assert [record["episode"] for record in verdicts["results"]] == [episode.pk for episode in episodes[1:]]
    assert connections <= DATABASE_CONNECTIONS_MAX
    assert grown <= CROWD * MEMORY_PER_WAITER_MAX


async def test_one_waiter_too_many_gets_a_retry(
    key: str, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "WAITERS_MAX", 0)
    hub = Hub(reader=LiveReader(database_url=""), redis_url="redis://")
    transport = httpx.ASGITransport(waiting.WaitApp(hub))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://live", headers=headers) as client:
        answer = await client.get(f"/wait/episodes/{episode.pk}")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["error"]["code"] == "too_many_waiters"


async def test_more_waiters_than_the_server_queues_delay_nobody(
    live: Live, key: str, episode: Episode
) -> None:
    path = f"/wait/episodes/{episode.pk}?timeout=60"
    crowd = asyncio.gather(*(ask(live, key, path) for _ in range(BACKLOG + 200)))
    await until_waiting(live, BACKLOG + 200)
    await in_thread(judge, episode)
    assert {state["status"] for state in await crowd} == {"finished"}


async def test_many_waiters_may_hang_up_at_once(live: Live, key: str, episode: Episode) -> None:
    path = f"/wait/episodes/{episode.pk}?timeout=60"
    waits = [asyncio.create_task(ask(live, key, path)) for _ in range(CROWD)]
    await until_waiting(live, CROWD)
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    await until_waiting(live, 0)
