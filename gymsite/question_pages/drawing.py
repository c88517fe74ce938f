"""Pictures of questions: the part of the page with the question, in the neutral look and without the form."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from core.episodes.presentation import Look
from gymsite.question_pages.server import Item, PageServer
from palaestra.pages.pool import PagePool
from tasks_app.models import Task

PAGES_AT_ONCE = 2
QUESTION = ".question-part"
LOOK = Look()


def questions_draw(tasks: Sequence[Task]) -> list[tuple[int, bytes]]:
    """Return each task's index and its picture, a PNG file, in any order.

    Raises ``palaestra.errors.BrowserMissing`` if no browser can be started.
    """
    items = [Item(task.kind, task.payload, answer_channel="api") for task in tasks]
    server = PageServer(items, [LOOK])
    with server.running():
        return asyncio.run(_all(server, len(items)))


async def _all(server: PageServer, count: int) -> list[tuple[int, bytes]]:
    pool = PagePool(origin=server.origin, size=PAGES_AT_ONCE)
    queue, pictures = iter(range(count)), list[tuple[int, bytes]]()
    try:
        await asyncio.gather(*(_work(queue, server, pool, pictures) for _ in range(PAGES_AT_ONCE)))
    finally:
        await pool.aclose()
    return pictures


async def _work(
    queue: Iterator[int], server: PageServer, pool: PagePool, pictures: list[tuple[int, bytes]]
) -> None:
    page = await pool.acquire()
    for item in queue:
        await page.begin(server.address(item=item, look=LOOK))
        await page.observe(acted=False)  # returns once fonts, pictures and formulas are drawn
        pictures.append((item, await page.page.locator(QUESTION).screenshot(animations="disabled")))
