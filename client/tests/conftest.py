from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Env
from palaestra.errors import BrowserMissing
from palaestra.fence import Fence
from palaestra.pages import WarmPage
from palaestra.pool import PagePool


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


@pytest_asyncio.fixture
async def pool(fake: FakeServer) -> AsyncIterator[PagePool]:
    pages = PagePool(origin=fake.arena_url, size=2)
    try:
        first = await pages.acquire()
    except BrowserMissing as missing:
        pytest.skip(str(missing))
    await pages.release(first)
    yield pages
    await pages.aclose()


@pytest_asyncio.fixture
async def env(fake: FakeServer, pool: PagePool) -> AsyncIterator[Env]:
    async with Env(fake.lab_url, "key", run=7) as made:
        yield made


@pytest_asyncio.fixture
async def page(pool: PagePool) -> AsyncIterator[WarmPage]:
    warm = await pool.acquire()
    yield warm
    await pool.release(warm)


@pytest.fixture
def fence() -> Fence:
    return Fence.around("http://127.0.0.1:8000/e/abc_DEF-123/")
