"""A pool of warm pages in one browser; dead pages are replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol

from playwright.async_api import Browser, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from palaestra.errors import BrowserDead
from palaestra.pages.browser import browser_launch
from palaestra.pages.navigation import NavigationGuard
from palaestra.pages.pace import Pace
from palaestra.pages.surface import VIEWPORT
from palaestra.pages.warm_page import WarmPage
from palaestra.records import Health

START_TRIES = 3


class Installation(Protocol):
    """The part of ``Client`` that a pool needs."""

    async def health(self) -> Health: ...


class PagePool:
    """Lends at most ``size`` pages at a time, created on demand, in a browser that can reach only the arena.

    ``origin`` is the arena's origin, or a client of its installation. ``environment`` holds environment
    variables for the browser, in addition to those of this process.
    """

    def __init__(
        self,
        *,
        origin: str | Installation,
        size: int,
        viewport: tuple[int, int] = VIEWPORT,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._origin = origin
        self._environment = environment
        self._viewport = viewport
        self._pace = Pace()
        self._free: list[WarmPage] = []
        self._slots = asyncio.Semaphore(size)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._guard: NavigationGuard | None = None

    async def acquire(self) -> WarmPage:
        """Lend a page until ``release``. Raises ``BrowserMissing``, or ``BrowserDead`` if no page opens."""
        await self._slots.acquire()
        try:
            while self._free:
                page = self._free.pop()
                if page.is_alive:
                    return page
                await page.close()
            return await self._make()
        except BaseException:
            self._slots.release()
            raise

    async def release(self, page: WarmPage, *, is_healthy: bool = True) -> None:
        """Give a page back to the pool. A page that hung or died is closed and never used again."""
        if is_healthy and page.is_alive:
            self._free.append(page)
        else:
            await page.close()
        self._slots.release()

    async def renew(self, page: WarmPage) -> WarmPage:
        """Replace a page that died with a new one, which takes over its slot in the pool."""
        await page.close()
        return await self._make()

    async def aclose(self) -> None:
        """Close the browser and everything in it after the pages' recorders have sent their reports."""
        await asyncio.gather(*(page.flush_recorder() for page in self._free))
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()
        self._browser = self._playwright = None

    async def _make(self) -> WarmPage:
        failure: PlaywrightError | None = None
        for _ in range(START_TRIES):
            try:
                browser, guard = await self._ensure_browser()
                return await WarmPage.make(browser, guard, viewport=self._viewport, pace=self._pace)
            except PlaywrightError as problem:
                failure = problem
        raise BrowserDead(f"No page could be opened: {failure}")

    async def _ensure_browser(self) -> tuple[Browser, NavigationGuard]:
        async with self._starting:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            if self._browser is None or self._guard is None or not self._browser.is_connected():
                origin = (
                    self._origin if isinstance(self._origin, str) else (await self._origin.health()).arena_url
                )
                self._browser = await browser_launch(
                    self._playwright, origin=origin, environment=self._environment
                )
                self._guard = await NavigationGuard.attach(self._browser)
            return self._browser, self._guard
