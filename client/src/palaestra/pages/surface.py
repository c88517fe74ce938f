"""The interfaces of pages (implemented with and without a browser) and of page pools."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from palaestra.pages.bounds import EpisodeBounds

T = TypeVar("T")

VIEWPORT = (1280, 720)
"""The width and height of a page, in pixels."""
# Chromium shows this error page if there was no answer, or after going back to the result of a form.
ERROR_PAGE = "chrome-error:"
SERVER_FAILED = 500


@dataclass(frozen=True, kw_only=True)
class PageView:
    """A page at one moment. ``text`` is the outline of its body, in which the token is not yet masked.

    ``in_view`` holds the numbers of those lines of the outline that are in the viewport. ``opens_tab``: the
    last link would have opened another tab. ``status`` is the page's HTTP status, 0 if unknown. Two views of
    a page have the same ``moment`` if nothing moved or changed between them.
    """

    url: str
    title: str
    text: str
    is_settled: bool
    in_view: tuple[int, ...] = ()
    opens_tab: bool = False
    status: int = 0
    moment: str = ""

    @property
    def is_error(self) -> bool:
        """True for the browser's own error page about a page that could not be opened."""
        return self.url.startswith(ERROR_PAGE)

    @property
    def is_failed(self) -> bool:
        """True if the arena did not send this page or failed to render it."""
        return self.is_error or self.status >= SERVER_FAILED


class DocumentGone(Exception):
    """Raised if the document was replaced during a call."""


BROWSERS = ("chromium", "lite")
"""Implementations of pages; ``lite`` reads them over HTTP, without a browser or scripts."""


class Surface(Protocol):
    """A page as episodes and actions use it. ``WarmPage`` documents the methods."""

    page: Any
    bounds: EpisodeBounds | None
    target_path: str
    picture_scale: float
    is_remembering: bool
    """True if documents can restore earlier input, after going back or from the tab's storage."""
    types_by_keys: bool
    """True if text is typed key by key, as a person does; False if it is inserted in one go."""

    @property
    def is_alive(self) -> bool: ...

    async def begin(
        self, start_url: str, *, ids: dict[str, int] | None = None, bounds: EpisodeBounds | None = None
    ) -> EpisodeBounds: ...

    def masked(self, text: str) -> str: ...

    def turn(self, step: int) -> EpisodeBounds: ...

    async def observe(self, *, acted: bool, with_text: bool = True) -> PageView | None: ...

    async def call(self, function: str, *arguments: object) -> dict[str, Any]: ...

    async def is_left(self) -> bool: ...

    async def announce_step(self) -> None: ...

    async def act(self, playwright_input: Awaitable[T]) -> T: ...

    async def go(self, url: str) -> bool: ...

    async def back(self) -> bool: ...

    async def screenshot(self) -> bytes: ...

    async def flush_recorder(self) -> None: ...

    async def close(self) -> None: ...


class Pool(Protocol):
    """A pool that lends pages, each to one episode at a time."""

    async def acquire(self) -> Any: ...

    async def release(self, page: Any, *, is_healthy: bool = True) -> None: ...

    async def renew(self, page: Any) -> Any: ...

    async def aclose(self) -> None: ...
