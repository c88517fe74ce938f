"""Comparison of each item's source with the client's outline of its page in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error as PlaywrightError

from core.episodes.presentation import Look
from core.errors import GymError
from gymsite.arena.wording import WORDINGS
from gymsite.question_pages.server import Item, PageServer
from palaestra.actions import action_check
from palaestra.actions.read import parts_of
from palaestra.errors import PalaestraError
from palaestra.observation import MAX_CHARS, page_text
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import PageView
from palaestra.pages.warm_page import WarmPage
from palaestra.protocol import outline
from validation.parity import looks, pictures, texts

PAGES_AT_ONCE = 2
PAGE_TRIES = 3

Progress = Callable[[int], object]


@dataclass(frozen=True)
class Failure:
    """The first look in which an item's text was not recovered, and where the texts diverge."""

    look: Look
    problem: str


def items_check(
    items: list[Item], *, in_every_pair: bool = False, progress: Progress | None = None
) -> list[Failure | None]:
    """Check each item; return None if its text was recovered in every look that was tried, else the failure.

    Raises ``palaestra.errors.BrowserMissing`` if no browser can be started.
    """
    looks = (look for n in range(len(items)) for look in _choose_looks(items, n, in_every_pair=in_every_pair))
    server = PageServer(items, looks)
    check = _Check(
        items=items,
        server=server,
        in_every_pair=in_every_pair,
        progress=progress,
        failures=[None] * len(items),
    )
    with server.running():
        asyncio.run(check.run())
    return check.failures


@dataclass(frozen=True, kw_only=True)
class _Check:
    items: list[Item]
    server: PageServer
    in_every_pair: bool
    progress: Progress | None
    failures: list[Failure | None]

    async def run(self) -> None:
        pool = PagePool(origin=self.server.origin, size=PAGES_AT_ONCE)
        queue = iter(range(len(self.items)))
        try:
            pages = [await pool.acquire() for _ in range(PAGES_AT_ONCE)]
            await asyncio.gather(*(self._work(queue, page, pool) for page in pages))
        finally:
            await pool.aclose()

    async def _work(self, queue: Iterator[int], page: WarmPage, pool: PagePool) -> None:
        for item in queue:
            for look in _choose_looks(self.items, item, in_every_pair=self.in_every_pair):
                page, problem = await self._problem(item, look, page=page, pool=pool)
                if problem:
                    self.failures[item] = Failure(look, problem)
                    break
            if self.progress:
                self.progress(1)

    async def _problem(
        self, item: int, look: Look, *, page: WarmPage, pool: PagePool
    ) -> tuple[WarmPage, str | None]:
        """Return the problem in one look, or None; a page that does not load is tried again first."""
        stumble: Exception | None = None
        for _ in range(PAGE_TRIES):
            try:
                return page, await self._difference(page, item, look)
            except GymError as error:
                return page, error.message
            except PlaywrightError as error:
                stumble = error
            except PalaestraError as error:
                stumble = error
                page = await pool.renew(page)
        return page, f"the page could not be read: {stumble}"

    async def _difference(self, page: WarmPage, item: int, look: Look) -> str | None:
        page_item = self.items[item]
        expected = texts.expected_text(page_item.kind, page_item.payload)
        observation = await self._observation(page, item, look)
        observed = texts.observed_text(observation, look=look, payload=page_item.payload)
        difference = texts.difference(expected=expected, observed=observed)
        return difference or pictures.pictures_problem(page_item.payload, await _read_pictures(page))

    async def _observation(self, page: WarmPage, item: int, look: Look) -> str:
        bounds = await page.begin(self.server.address(item=item, look=look))
        view = await _view(page)
        if look.form == "dialog":
            # The choices are behind the button, and a key press reaches it even under a pop-up.
            opener = page.page.get_by_role("button", name=WORDINGS[look.wording].opener, exact=True)
            await opener.press("Enter")
            view = await _view(page)
        text = page_text(view, bounds)
        is_shown = len(text) <= MAX_CHARS or outline.CUT in text
        return text if is_shown else await _read(page, text)


async def _read(page: WarmPage, text: str) -> str:
    """Read the outline of a page longer than an observation part by part, as a model reads the rest."""
    head, _, body = text.partition("\n")
    count = len(parts_of(body))
    reads = [action_check({"type": "read", "section": "page", "part": n}) for n in range(1, count + 1)]
    parts = [await read.perform(page) or "" for read in reads]
    # The first line of each part is its number; the last line of all but the last part is how much follows.
    pieces = [part.split("\n")[1 : -1 if number < count else None] for number, part in enumerate(parts, 1)]
    return "\n".join([head, *(line for piece in pieces for line in piece)])


async def _view(page: WarmPage) -> PageView:
    view = await page.observe(acted=False)
    if view is None or not view.is_settled:
        raise PlaywrightError("the page did not finish loading")
    return view


def _choose_looks(items: list[Item], item: int, *, in_every_pair: bool) -> list[Look]:
    kind = items[item].kind
    return looks.pairing_looks(kind) if in_every_pair else looks.covering_looks(item, kind)


async def _read_pictures(page: WarmPage) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = await page.page.evaluate(pictures.SHOWN)
    return shown
