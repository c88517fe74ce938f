"""What a stage says of its health when its lab or its browser fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Client
from palaestra.errors import BrowserDead, BrowserMissing
from palaestra.stage import browsers, health
from palaestra.stage.browsers import Browsers
from palaestra.stage_config import StageConfig
from stages import TOKEN, stage_serve

HEADERS = {"Authorization": f"Bearer {TOKEN}"}
FAILURES = 3


class Pages:
    """A pool in the place of ``PagePool``, whose browsers open pages unless ``fault`` is set."""

    fault: Exception | None = None
    made = lent = 0

    def __init__(self, **_: Any) -> None:
        Pages.made += 1

    async def acquire(self) -> Any:
        if Pages.fault is not None:
            raise Pages.fault
        Pages.lent += 1
        return SimpleNamespace()

    async def renew(self, page: Any) -> Any:
        if Pages.fault is not None:
            raise Pages.fault
        return SimpleNamespace()

    async def release(self, page: Any, *, is_healthy: bool) -> None:
        Pages.lent -= 1

    async def aclose(self) -> None:
        pass


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> type[Pages]:
    monkeypatch.setattr(browsers, "PagePool", Pages)
    Pages.fault, Pages.made, Pages.lent = None, 0, 0
    return Pages


@pytest_asyncio.fixture
async def client(fake: FakeServer) -> AsyncIterator[Client]:
    async with Client(fake.lab_url, "key") as made:
        yield made


async def state_of(http: httpx.AsyncClient) -> tuple[int, str]:
    answer = await http.get("/health")
    return answer.status_code, answer.json()["status"]


async def becomes(http: httpx.AsyncClient, state: tuple[int, str]) -> bool:
    for _ in range(500):
        if await state_of(http) == state:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_a_stage_whose_lab_is_gone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LOOK_S", 0.05)
    gone = FakeServer()
    gone.close()
    async with stage_serve(gone, pages=0) as (_, address), httpx.AsyncClient(base_url=address) as http:
        assert await state_of(http) == (200, "ok")
        assert await becomes(http, (503, "lab_unavailable"))
        metrics = (await http.get("/metrics", headers=HEADERS)).text
        assert "palaestra_stage_lab_works 0.0" in metrics
        assert "palaestra_stage_browser_works 1.0" in metrics


async def test_a_stage_is_well_again_when_its_lab_is(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOOK_S", 0.05)
    fake.state.fail_next = [(503, {})] * 10_000
    async with stage_serve(fake, pages=0) as (_, address), httpx.AsyncClient(base_url=address) as http:
        assert await becomes(http, (503, "lab_unavailable"))
        fake.state.fail_next.clear()
        assert await becomes(http, (200, "ok"))


@pytest.mark.parametrize(
    ("failures", "works"),
    [
        ([503] * FAILURES, False),
        ([503] * (FAILURES - 1), True),
        ([503, 503, 0, 503], True),
        ([429] * 5, True),
    ],
)
async def test_a_lab_is_given_up_after_failures_in_a_row(
    failures: list[int], works: bool, fake: FakeServer, client: Client
) -> None:
    watch = health.LabWatch(client)
    for status in failures:
        fake.state.fail_next = [(status, {})] if status else []
        await watch.look()
    assert watch.lab.works is works


async def test_a_lab_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "ANSWER_LIMIT_S", 0.05)

    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(silence, "127.0.0.1", 0)
    host, port = silent.sockets[0].getsockname()
    async with silent, Client(f"http://{host}:{port}", "key") as client:
        watch = health.LabWatch(client)
        for _ in range(FAILURES):
            await asyncio.wait_for(watch.look(), 5)
        assert not watch.lab.works


async def test_asking_for_health_calls_no_lab(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LOOK_S", 3_600.0)
    async with stage_serve(fake, pages=0) as (_, address), httpx.AsyncClient(base_url=address) as http:
        for _ in range(5):
            assert await state_of(http) == (200, "ok")
    assert fake.state.calls == []


async def test_a_stage_whose_browser_opens_no_page_says_so_until_another_one_does(
    fake: FakeServer, pages: type[Pages], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsers, "WATCH_S", 0.05)
    async with stage_serve(fake, pages=1) as (stage, address), httpx.AsyncClient(base_url=address) as http:
        pages.fault = BrowserMissing("The browser does not start")
        for _ in range(FAILURES):
            assert await state_of(http) == (200, "ok")
            with pytest.raises(BrowserMissing):
                await stage.browsers.acquire()
        assert await state_of(http) == (503, "browser_unavailable")
        assert "palaestra_stage_browser_works 0.0" in (await http.get("/metrics", headers=HEADERS)).text
        pages.fault = None
        assert await becomes(http, (200, "ok"))
        assert pages.made > 1, "a new browser was tried"


async def test_a_page_that_opens_ends_a_row_of_failures(client: Client, pages: type[Pages]) -> None:
    lent = Browsers(client, StageConfig(pages=1))
    for fault in [BrowserDead("x")] * 2 + [None] + [BrowserDead("x")] * 2:
        pages.fault = fault
        if fault is None:
            await lent.release(await lent.acquire())
            continue
        with pytest.raises(BrowserDead):
            await lent.acquire()
    assert lent.browser.works


async def test_a_page_that_cannot_be_renewed_is_given_back_once(client: Client, pages: type[Pages]) -> None:
    lent = Browsers(client, StageConfig(pages=1))
    page = await lent.acquire()
    pages.fault = BrowserDead("x")
    for _ in range(FAILURES):
        with pytest.raises(BrowserDead):
            await lent.renew(page)
    assert not lent.browser.works
    await lent.release(page)
    assert pages.lent == 0
