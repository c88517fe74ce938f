"""Iteration over lists of the API that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from palaestra.records import Page

T = TypeVar("T")


async def rows_read(page_read: Callable[..., Awaitable[Page[T]]], **filters: Any) -> AsyncIterator[T]:
    """Yield the rows of every page. ``page_read`` takes ``filters`` and a ``cursor``, None at the start."""
    cursor: str | int | None = None
    while True:
        page = await page_read(**filters, cursor=cursor)
        for row in page.results:
            yield row
        if page.next is None:
            return
        cursor = page.next
