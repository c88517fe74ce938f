"""The tab's history, while documents follow each other faster than the browser shows them."""

from __future__ import annotations

from fake_server import FakeServer
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.warm_page import WarmPage

TIMES = 12


async def test_going_back_at_once_leads_to_the_document_before(page: WarmPage, fake: FakeServer) -> None:
    fake.state.episodes[1] = {"token": "tok-en"}
    bounds = EpisodeBounds.of(f"{fake.arena_url}/e/tok-en/first")
    bounds.is_blank = True
    await page.begin(f"{bounds.root}first", bounds=bounds)
    for number in range(TIMES):
        await page.go(f"{bounds.root}before-{number}")
        await page.go(f"{bounds.root}after-{number}")
        assert await page.back()
        view = await page.observe(acted=False)
        assert view is not None
        assert view.url.endswith(f"before-{number}")
