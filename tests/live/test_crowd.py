from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from django.db import connection

from tests import factories
from tests.live.conftest import Live, in_thread
from tests.live.test_waiting import judge, until_waiting
from trajectories.live.selectors import CONNECTIONS_MAX
from trajectories.models import Episode

pytestmark = pytest.mark.django_db(transaction=True)

CROWD = 1_000
# The hub's own, and those of Django's pool for keys and sessions.
DATABASE_CONNECTIONS_MAX = CONNECTIONS_MAX + 4
MEMORY_PER_WAITER_MAX = 100 * 1024
ENOUGH = httpx.Limits(max_connections=None, max_keepalive_connections=0)


def memory(pid: int) -> int:
    """Resident bytes of a process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


def database_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'palaestra-live%'")
        return int(cursor.fetchone()[0])


def episodes_make(number: int) -> list[Episode]:
    group = factories.group()
    return [factories.episode(group=group, sample_index=index) for index in range(number)]


async def test_a_thousand_waiters_are_all_answered(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, CROWD)
    run = episodes[0].run_id
    async with live.client(key, limits=ENOUGH) as client:
        before = memory(live.worker())
        waits = [client.get(f"/wait/episodes/{episode.pk}?timeout=60") for episode in episodes[1:]]
        waits.append(client.get(f"/wait/runs/{run}/verdicts?after=1&timeout=60"))
        crowd = asyncio.gather(*waits)
        await until_waiting(live, CROWD)
        grown = memory(live.worker()) - before
        connections = await in_thread(database_connections)

        await in_thread(judge, episodes[0])
        other = await client.get(f"/wait/episodes/{episodes[0].pk}?timeout=60")
        assert not crowd.done()

        await in_thread(judge_many, episodes[1:])
        answers = await crowd
    assert other.json()["status"] == "finished"
    assert [answer.json().get("status") for answer in answers[:-1]] == ["finished"] * (CROWD - 1)
    assert [answer.json()["id"] for answer in answers[:-1]] == [episode.pk for episode in episodes[1:]]
    assert len(answers[-1].json()["results"]) > 0
    assert connections <= DATABASE_CONNECTIONS_MAX
    assert grown <= CROWD * MEMORY_PER_WAITER_MAX


async def test_a_crowd_may_hang_up(live: Live, key: str) -> None:
    episode = (await in_thread(episodes_make, 1))[0]
    async with live.client(key, limits=ENOUGH) as client:
        waits = [
            asyncio.create_task(client.get(f"/wait/episodes/{episode.pk}?timeout=60")) for _ in range(CROWD)
        ]
        await until_waiting(live, CROWD)
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        await until_waiting(live, 0)


def judge_many(episodes: list[Episode]) -> None:
    for episode in episodes:
        judge(episode)
