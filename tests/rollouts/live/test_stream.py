from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from tests import factories
from tests.rollouts.live.conftest import Live, episodes_make, in_thread
from trajectories.models import Episode, Verdict
from trajectories.record import hot_sql
from trajectories.rollouts.live import events

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 8
EPISODES_PER_WRITER = 24
DELAY_MAX_S = 0.02
UNDONE_SHARE = 0.2


class Undone(Exception):
    """Rolls a transaction back after its verdicts were numbered."""


def write_verdicts(episodes: list[Episode], rng: random.Random, start: threading.Barrier) -> None:
    """One writer: some transactions hold several verdicts, some are rolled back and tried again."""
    start.wait()
    while episodes:
        taken = episodes[: rng.randint(1, 3)]
        is_undone = rng.random() < UNDONE_SHARE
        with contextlib.suppress(Undone), transaction.atomic():
            finish(taken)
            time.sleep(rng.uniform(0.0, DELAY_MAX_S))
            if is_undone:
                raise Undone
        if is_undone:
            continue
        episodes = episodes[len(taken) :]
    connection.close()


def finish(episodes: list[Episode]) -> None:
    run_id = episodes[0].run_id
    endings = [hot_sql.Ending(episode=one.pk, outcome="correct", reason="answer") for one in episodes]
    events.episodes_ended(run_id=run_id, ids=hot_sql.finish_many(run_id=run_id, endings=endings))


async def read_stream(live: Live, key: str, run_id: int, total: int) -> list[int]:
    """Episodes in the order in which a reader hears of them, until it has heard ``total`` verdicts."""
    heard: list[int] = []
    after = 0
    async with live.client(key) as client:
        while len(heard) < total:
            answer = (await client.get(f"/wait/runs/{run_id}/verdicts?after={after}&timeout=60")).json()
            heard += [record["episode"] for record in answer["results"]]
            after = answer["next"]
        answer = (await client.get(f"/wait/runs/{run_id}/verdicts?after={after}&timeout=0")).json()
    return heard + [record["episode"] for record in answer["results"]]


async def test_eight_delayed_writers_skip_and_repeat_no_verdict(live: Live, key: str) -> None:
    total = WRITERS * EPISODES_PER_WRITER
    episodes = await in_thread(episodes_make, total)
    run_id = episodes[0].run_id
    start = threading.Barrier(WRITERS)
    readers = [asyncio.create_task(read_stream(live, key, run_id, total)) for _ in range(3)]
    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [
            pool.submit(write_verdicts, episodes[number::WRITERS], random.Random(number), start)
            for number in range(WRITERS)
        ]
        await asyncio.gather(*map(asyncio.wrap_future, writing))
    heard = await asyncio.gather(*readers)
    in_order = await in_thread(
        lambda: list(
            Verdict.objects.filter(run=run_id).order_by("run_seq").values_list("run_seq", "episode_id")
        )
    )
    assert [seq for seq, _ in in_order] == list(range(1, total + 1))
    assert heard == [[episode_id for _, episode_id in in_order]] * 3
    assert sorted(heard[0]) == [episode.pk for episode in episodes]


async def test_a_stream_longer_than_a_page_is_read_to_its_end(live: Live, key: str) -> None:
    episodes = await in_thread(episodes_make, 2_500)
    await in_thread(finish, episodes)
    assert await read_stream(live, key, episodes[0].run_id, 2_500) == [episode.pk for episode in episodes]


async def test_runs_have_streams_of_their_own(live: Live, key: str) -> None:
    one, two = await in_thread(factories.episode), await in_thread(factories.episode)
    await in_thread(finish, [one])
    await in_thread(finish, [two])
    assert await read_stream(live, key, one.run_id, 1) == [one.pk]
    assert await read_stream(live, key, two.run_id, 1) == [two.pk]
