from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from fake_model import FakeModel
from fake_server import FakeServer, State
from palaestra import Env
from palaestra.errors import BrowserMissing
from palaestra.models import endpoint as endpoints
from palaestra.models.endpoint import Endpoint
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage


@pytest.fixture(scope="session")
def server() -> Iterator[FakeServer]:
    made = FakeServer()
    yield made
    made.close()


@pytest.fixture
def fake(server: FakeServer) -> FakeServer:
    server.state = State()
    return server


@pytest_asyncio.fixture(scope="session")
async def pool(server: FakeServer) -> AsyncIterator[PagePool]:
    pages = PagePool(origin=server.arena_url, size=2)
    try:
        first = await pages.acquire()
    except BrowserMissing as missing:
        pytest.skip(str(missing))
    await pages.release(first)
    yield pages
    await pages.aclose()


@pytest_asyncio.fixture
async def env(fake: FakeServer, pool: PagePool) -> AsyncIterator[Env]:
    async with Env(fake.lab_url, "key", run=7, pool=pool) as made:
        yield made


@pytest_asyncio.fixture
async def page(pool: PagePool) -> AsyncIterator[WarmPage]:
    warm = await pool.acquire()
    yield warm
    await pool.release(warm)


@pytest.fixture
def bounds() -> EpisodeBounds:
    return EpisodeBounds.of("http://127.0.0.1:8000/e/abc_DEF-123/")


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel()
    yield made
    made.close()


@pytest.fixture(params=[True, False], ids=["streamed", "whole"])
def is_streamed(request: pytest.FixtureRequest) -> bool:
    """Return whether completions are streamed; tests that use this run both ways."""
    return bool(request.param)


@pytest_asyncio.fixture
async def endpoint(model: FakeModel, is_streamed: bool) -> AsyncIterator[Endpoint]:
    """Yield an endpoint of the fake model, once with and once without streaming."""
    async with Endpoint(base_url=model.url, is_streamed=is_streamed, retries=1, timeout_s=2) as made:
        yield made


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry failed calls without a pause."""
    monkeypatch.setattr(endpoints, "FIRST_PAUSE_S", 0.01)
