"""One browser tab, with a time limit for every call and detection of how the tab ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any, TypeVar

from playwright.async_api import Browser, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from palaestra.errors import BrowserDead, PageDead, PageHung, PageRefused, TabClosed
from palaestra.pages.navigation import NavigationGuard

T = TypeVar("T")

CALL_LIMIT_S = 10.0
DISCONNECT_LIMIT_S = 0.3


class Tab:
    """A tab in its own browser context, and its DevTools session.

    Every wait has a time limit. Calls raise ``PageHung`` if the page does not answer, ``TabClosed`` if it
    closed itself, ``PageDead`` if its renderer died, and ``BrowserDead`` if the browser died with all its
    pages.
    """

    def __init__(self, *, page: Page, cdp: CDPSession, guard: NavigationGuard, frame: str) -> None:
        self.page = page
        self._cdp = cdp
        self._guard = guard
        self._frame = frame
        self._has_hung = False
        self._gone = asyncio.Event()
        self._died_together = False
        self._end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: self._finish("crash"))
        page.on("close", lambda _: self._finish("close"))
        if page.context.browser is not None:
            page.context.browser.on("disconnected", self._on_disconnected)

    @property
    def is_alive(self) -> bool:
        """True if another episode can be played in this tab."""
        return not self._end.done() and not self._has_hung

    async def act(self, playwright_input: Awaitable[T]) -> T:
        """Await one of Playwright's input calls within the time limit, and classify its failure, if any."""
        return await self._bounded(playwright_input, CALL_LIMIT_S)

    async def close(self) -> None:
        """Close the page and its context; closing a dead page is not an error."""
        self._guard.forget(self._frame)
        try:
            await asyncio.wait_for(self.page.context.close(), CALL_LIMIT_S)
        except (PlaywrightError, asyncio.TimeoutError):
            return

    # ---- inside
    def _on_disconnected(self, _: Browser) -> None:
        self._died_together = self._guard.page_count > 1
        self._gone.set()
        self._finish("browser")

    def _finish(self, how: str) -> None:
        if not self._end.done():
            self._end.set_result(how)

    async def _send(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._bounded(self._cdp.send(method, params), CALL_LIMIT_S)

    async def _bounded(self, call: Awaitable[T], limit_s: float) -> T:
        """Await ``call`` for at most ``limit_s``, or until the page ends."""
        task = asyncio.ensure_future(call)
        task.add_done_callback(_consume)
        both: set[asyncio.Future[Any]] = {task, self._end}
        try:
            await asyncio.wait(both, timeout=max(limit_s, 0.0), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        failure = task.exception() if task.done() else None
        if task.done() and not failure:
            return task.result()
        if failure and not isinstance(failure, PlaywrightError):
            raise failure
        if failure and not self._end.done():
            raise PageRefused(str(failure).splitlines()[0]) from failure
        task.cancel()
        if not self._end.done():
            self._has_hung = True
            raise PageHung(f"The page did not answer within {limit_s:.1f} s.")
        raise await self._end_error()

    async def _end_error(self) -> PageDead | TabClosed:
        """Return the error that describes how the page ended.

        This waits a moment, because a dying browser closes its pages before it is known to be dead.
        """
        if self._end.result() == "crash":
            return PageDead("The page crashed.")
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._gone.wait(), DISCONNECT_LIMIT_S)
        if not self._gone.is_set():
            return TabClosed("The page closed itself.")
        return BrowserDead("The browser died.") if self._died_together else PageDead("The browser died.")


def _consume(task: asyncio.Future[Any]) -> None:
    """Retrieve the outcome of an abandoned call, so that asyncio does not report it."""
    if not task.cancelled():
        task.exception()
