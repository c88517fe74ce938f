"""What an episode is played on: a page in a browser, or one that is read without a browser."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from palaestra.bounds import EpisodeBounds

T = TypeVar("T")

VIEWPORT = (1280, 720)
"""Width and height of a page, in pixels."""
# What Chromium shows in place of a page that it cannot load: no answer, or going back to a form's result.
ERROR_PAGE = "chrome-error:"
SERVER_FAILED = 500


@dataclass(frozen=True, kw_only=True)
class PageView:
    """A page at one moment. ``text`` is the outline of its body, the token not yet masked.

    ``in_view`` are the numbers of the outline's lines that the viewport shows. ``opens_tab``: its last link
    would have opened another tab. ``status`` is that of the page's answer, 0 where it is not known.
    ``moment`` is the same for two views of a page between which nothing moved or changed.
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
        """Whether this is the browser's own page about a page that could not be opened."""
        return self.url.startswith(ERROR_PAGE)

    @property
    def is_failed(self) -> bool:
        """Whether the arena did not send this page, or could not make it."""
        return self.is_error or self.status >= SERVER_FAILED


class DocumentGone(Exception):
    """The document was replaced during a call."""


BROWSERS = ("chromium", "lite")
"""What pages are read with: ``lite`` reads them over HTTP, without a browser and without scripts."""


class Surface(Protocol):
    """A page as episodes and actions use it; the methods say the same as those of ``WarmPage``."""

    page: Any
    bounds: EpisodeBounds | None
    target_path: str
    picture_scale: float
    is_remembering: bool
    """Whether documents that are gone back to, and others of the tab, show what was typed before."""
    types_by_keys: bool
    """True to type text key by key, as a person does; False to insert it at once."""

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
    """Hands out pages for one episode at a time."""

    async def acquire(self) -> Any: ...

    async def release(self, page: Any, *, is_healthy: bool = True) -> None: ...

    async def renew(self, page: Any) -> Any: ...

    async def aclose(self) -> None: ...
