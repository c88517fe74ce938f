from __future__ import annotations

import asyncio

import pytest

from trajectories.rollouts.live import news
from trajectories.rollouts.live.news import Batch


class Source:
    """Answers with the square of each key, when it is let."""

    def __init__(self) -> None:
        self.queries: list[list[int]] = []
        self.gate = asyncio.Event()

    async def load(self, keys: list[int]) -> dict[int, int]:
        self.queries.append(keys)
        await self.gate.wait()
        return {key: key * key for key in keys if key >= 0}


async def test_simultaneous_requests_share_one_query() -> None:
    source = Source()
    source.gate.set()
    batch = Batch(source.load)
    answers = await asyncio.gather(batch.get(2), batch.get(3), batch.get(2), batch.get(-1))
    assert answers == [4, 9, 4, None]
    assert source.queries == [[2, 3, -1]]


async def test_a_request_during_a_query_joins_the_next_one() -> None:
    source = Source()
    batch = Batch(source.load)
    first = asyncio.create_task(batch.get(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    second = asyncio.create_task(batch.get(2))
    await asyncio.sleep(0)
    source.gate.set()
    assert await asyncio.gather(first, second) == [4, 4]
    assert source.queries == [[2], [2]]


async def test_a_cancelled_request_does_not_cancel_the_others() -> None:
    source = Source()
    batch = Batch(source.load)
    leaving, staying = asyncio.create_task(batch.get(2)), asyncio.create_task(batch.get(2))
    await asyncio.sleep(0)
    leaving.cancel()
    source.gate.set()
    assert await staying == 4


async def test_a_query_has_a_maximum_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "KEYS_PER_QUERY_MAX", 2)
    source = Source()
    source.gate.set()
    batch = Batch(source.load)
    assert await asyncio.gather(*(batch.get(key) for key in range(5))) == [0, 1, 4, 9, 16]
    assert source.queries == [[0, 1], [2, 3], [4]]


async def test_after_a_failure_the_next_request_runs_a_new_query() -> None:
    async def load(keys: list[int]) -> dict[int, int]:
        if not failures:
            return dict.fromkeys(keys, 1)
        raise failures.pop()

    failures = [OSError("gone")]
    batch = Batch(load)
    with pytest.raises(OSError, match="gone"):
        await batch.get(1)
    assert await batch.get(1) == 1
