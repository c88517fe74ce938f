"""A page that is read over HTTP: the counterpart of ``WarmPage`` without a browser or scripts.

Anything that scripts would add is missing, and nothing is simulated in its place. The server gets the
requests that a browser without scripts would send, but no reports from a recorder.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urljoin

from palaestra.errors import PageHung, PalaestraError, Unreachable
from palaestra.http.backoff import Patience
from palaestra.http.transport import CONNECTIONS
from palaestra.pages.bounds import DONE_PATH, STATIC_PATH, SUBMIT_PATH, EpisodeBounds
from palaestra.pages.lite.document import Document, Element
from palaestra.pages.lite.exchange import Answer, Exchange, ExchangeError, NotSent, normalise_url
from palaestra.pages.lite.forms import PageRequest
from palaestra.pages.lite.ids import Ids
from palaestra.pages.lite.interactions import FUNCTIONS, Interactions
from palaestra.pages.lite.names import Names
from palaestra.pages.lite.styles import Styles
from palaestra.pages.surface import SERVER_FAILED, PageView

T = TypeVar("T")

OK, NO_CONTENT = 200, 204
REDIRECTS = (301, 302, 303, 307, 308)
REDIRECTS_MAX = 20
REPEATED = (307, 308)  # redirects that repeat the method and the body
REFRESH_LIMIT_S = 5.0
PAGE = {"Accept": "text/html"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
EMPTY = b"<!doctype html><title></title>"
_REFRESH = re.compile(r"\s*([\d.]+)\s*[;,]\s*(?:url=)?['\"]?([^'\"]+)", re.IGNORECASE)
REQUEST_LIMIT_S = 15.0


class Library:
    """The style sheets of all pages, each of which is fetched only once."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._sheets: dict[str, str] = {}
        self._styles: dict[tuple[str, ...], Styles] = {}

    async def load_styles(self, document: Document, bounds: EpisodeBounds) -> Styles:
        """Return a document's styles: those in linked style sheets and those in the document itself."""
        sources: list[str] = []
        for element in document.elements:
            if element.tag == "link" and element.attrs.get("rel") == "stylesheet":
                sources.append(await self._load_sheet(element.href, bounds))
            elif element.tag == "style":
                sources.append(element.text)
        key = tuple(sources)
        if key not in self._styles:
            self._styles[key] = Styles(key)
        return self._styles[key]

    async def _load_sheet(self, url: str, bounds: EpisodeBounds) -> str:
        if url not in self._sheets and url.startswith(bounds.origin + STATIC_PATH):
            send = partial(self._exchange.send, "GET", url, headers={"Accept": "text/css"})
            answer = await _request_patiently(send, is_repeatable=True)
            if answer.status == OK:
                self._sheets[url] = answer.content.decode("utf-8", "replace")
        return self._sheets.get(url, "")


class LitePage:
    """A page that plays one episode after another, never two at the same time."""

    is_alive = True
    is_remembering = False
    types_by_keys = True

    def __init__(self, exchange: Exchange, library: Library) -> None:
        self.bounds: EpisodeBounds | None = None
        self.target_path = ""
        self.picture_scale = 1.0
        self.ids: dict[str, int] = {}
        self.page = Hands(self)
        self._exchange = exchange
        self._library = library
        self._history: list[PageRequest] = []
        self._interactions = self._blank = Interactions(Names(Document(EMPTY, ""), Styles(())), Ids({}))
        self._view: PageView | None = None

    async def begin(
        self, start_url: str, *, ids: dict[str, int] | None = None, bounds: EpisodeBounds | None = None
    ) -> EpisodeBounds:
        """Open the first page of an episode. Raises ``Unreachable`` if that fails."""
        self.bounds = bounds or EpisodeBounds.of(start_url)
        self.ids = {} if ids is None else ids
        self._history = []
        if not await self._open(PageRequest(url=start_url)):
            raise Unreachable("The first page of the episode cannot be opened.")
        return self.bounds

    def masked(self, text: str) -> str:
        return self.bounds.mask(text) if self.bounds else text

    def turn(self, step: int) -> EpisodeBounds:
        bounds = self._bounds
        bounds.step, self.target_path = step, ""
        return bounds

    async def observe(self, *, acted: bool, with_text: bool = True) -> PageView | None:
        """Return the current state of the page; None once the answer has been submitted."""
        await self._send_pending()
        is_settled = await self._follow_refreshes()
        if self._bounds.is_submitted:
            return None
        document = self._interactions.document
        opens_tab, self._interactions.opens_tab = self._interactions.opens_tab, False
        return PageView(
            url=document.url,
            title=document.title,
            text=self._interactions.outline.render() if with_text else "",
            is_settled=is_settled,
            opens_tab=opens_tab,
        )

    async def call(self, function: str, *arguments: object) -> dict[str, Any]:
        """Call one of the page-side functions. Raises ``PalaestraError`` for those that need a browser."""
        await self._send_pending()
        if function == "idle":
            await asyncio.sleep(float(str(arguments[0])) / 1000)
        if function not in FUNCTIONS:
            raise PalaestraError("A page that is read without a browser has no picture.")
        return FUNCTIONS[function](self._interactions, *arguments)

    async def is_left(self) -> bool:
        before = self._interactions
        await self._send_pending()
        return self._bounds.is_submitted or self._interactions is not before

    async def announce_step(self) -> None:
        """Do nothing: every request carries the step's number anyway."""

    async def act(self, playwright_input: Awaitable[T]) -> T:
        return await playwright_input

    async def go(self, url: str) -> bool:
        return await self._open(PageRequest(url=url))

    async def back(self) -> bool:
        """Open the previous page again; return False if there is none."""
        if len(self._history) < 2:
            return False
        _, last = self._history.pop(), self._history.pop()
        await self._open(last)
        return True

    async def screenshot(self) -> bytes:
        """Raise ``PalaestraError``, because there is no picture."""
        raise PalaestraError("A page that is read without a browser has no picture.")

    async def flush_recorder(self) -> None:
        """Do nothing, because there is no recorder."""

    async def close(self) -> None:
        self._interactions.document.dissolve()

    # ---- inside
    @property
    def interactions(self) -> Interactions:
        return self._interactions

    @property
    def _bounds(self) -> EpisodeBounds:
        if self.bounds is None:
            raise ValueError("The page has no episode.")
        return self.bounds

    async def _send_pending(self) -> None:
        """Send the request that the last action caused, if any."""
        request, self._interactions.pending_request = self._interactions.pending_request, None
        if request is not None:
            await self._open(request)

    async def _open(self, request: PageRequest) -> bool:
        """Send a request and read the page that it leads to; return False if it leads to none."""
        if self._bounds.is_blank:
            self._history.append(request)
            if (
                self._interactions is not self._blank
            ):  # all blank pages share one document, because nobody looks at them
                self._interactions.document.dissolve()
                self._interactions = self._blank = Interactions(
                    Names(Document(EMPTY, request.url), Styles(())), Ids({})
                )
            return True
        opened = await self._follow_redirects(request)
        if opened is None:
            return False
        answer, last = opened
        document = Document(answer.content or EMPTY, last.url)
        styles = await self._library.load_styles(document, self._bounds)
        self._interactions.document.dissolve()
        self._interactions = Interactions(Names(document, styles), Ids(self.ids))
        self._history.append(last)
        return True

    async def _follow_redirects(self, request: PageRequest) -> tuple[Answer, PageRequest] | None:
        """Follow redirects within the episode's URLs; return the final response and the request for it.

        Returns None if there is no page to show, because the URL was refused or the answer was submitted.
        """
        bounds = self._bounds
        for _ in range(REDIRECTS_MAX):
            request = replace(request, url=normalise_url(request.url))
            if not bounds.allows(request.url):
                bounds.refuse(request.url, is_document=True)
                return None
            answer = await self._request(request)
            if answer.status == NO_CONTENT:
                return None
            if answer.status not in REDIRECTS:
                return answer, request
            url = urljoin(request.url, answer.headers.get("location", ""))
            is_answer = request.body is not None and request.url == bounds.root + SUBMIT_PATH
            if is_answer and url == bounds.root + DONE_PATH:
                bounds.is_submitted = True
                return None
            if "#" not in url:  # a redirect without a fragment keeps that of the request (RFC 9110, 10.2.2)
                url += "".join(request.url.partition("#")[1:])
            request = PageRequest(url=url, body=request.body if answer.status in REPEATED else None)
        return None

    async def _request(self, request: PageRequest) -> Answer:
        send = partial(self._send, request)
        return await _request_patiently(send, is_repeatable=self._is_repeatable(request))

    def _is_repeatable(self, request: PageRequest) -> bool:
        """Return whether a request may be sent twice, as a submission may: the arena stores it only once."""
        return request.body is None or request.url == self._bounds.root + SUBMIT_PATH

    async def _send(self, request: PageRequest) -> Answer:
        headers = PAGE | self._bounds.build_headers(request.url)
        address = request.url.partition("#")[0]
        if request.body is None:
            return await self._exchange.send("GET", address, headers=headers)
        return await self._exchange.send("POST", address, headers=headers | FORM, body=request.body.encode())

    async def _follow_refreshes(self) -> bool:
        """Follow ``meta refresh`` until a page has none; return False if the time limit is reached first."""
        deadline = asyncio.get_running_loop().time() + REFRESH_LIMIT_S
        while (refresh := _find_refresh(self._interactions.document)) is not None:
            pause, url = refresh
            if asyncio.get_running_loop().time() + pause > deadline:
                return False
            await asyncio.sleep(pause)
            self._history.pop()
            if not await self._open(PageRequest(url=url)):
                return True
        return True


async def _request_patiently(send: Callable[[], Awaitable[Answer]], *, is_repeatable: bool) -> Answer:
    """Send a request; if that is safe, repeat it while the arena is unreachable. Raises ``PageHung``."""
    patience = Patience()
    while True:
        try:
            answer = await send()
            if answer.status < SERVER_FAILED or not await patience.pause():
                return answer
        except ExchangeError as failure:
            may_repeat = isinstance(failure, NotSent) or is_repeatable
            if not may_repeat or not await patience.pause():
                raise PageHung(f"The page did not answer: {failure}") from failure


class Hands:
    """A page's mouse and keyboard, with those of Playwright's methods that actions use."""

    def __init__(self, page: LitePage) -> None:
        self._page = page
        self.mouse = self.keyboard = self

    @property
    def url(self) -> str:
        return self._page.interactions.document.url

    def _find_target(self, x: float) -> Element:
        return self._page.interactions.targets[int(x)]

    async def click(self, x: float, _y: float, *, button: str = "left", click_count: int = 1) -> None:
        element = self._find_target(x)
        for _ in range(click_count if button == "left" else 0):
            if self._page.interactions.pending_request is None:
                self._page.interactions.click(element)

    async def press(self, key: str) -> None:
        self._page.interactions.key(key)

    async def type(self, text: str) -> None:
        self._page.interactions.write(text)

    async def insert_text(self, text: str) -> None:
        self._page.interactions.write(text)

    async def move(self, *_: float, **__: int) -> None:
        """Do nothing, because moving the mouse has no effect without scripts."""

    async def down(self) -> None:
        """Do nothing, because dragging needs scripts."""

    async def up(self) -> None:
        """Do nothing, because dragging needs scripts."""


def _find_refresh(document: Document) -> tuple[float, str] | None:
    for element in document.elements:
        if element.tag == "body":
            return None
        if element.tag == "meta" and element.attrs.get("http-equiv", "").lower() == "refresh":
            match = _REFRESH.match(element.attrs.get("content", ""))
            return (float(match[1]), document.resolve(match[2])) if match else None
    return None


class LitePool:
    """Lends at most ``size`` pages at a time, which share one pool of connections."""

    def __init__(self, *, size: int, exchange: Exchange | None = None) -> None:
        self._exchange = exchange or Exchange(count=min(size, CONNECTIONS), limit_s=REQUEST_LIMIT_S)
        self._library = Library(self._exchange)
        self._slots = asyncio.Semaphore(size)

    async def acquire(self) -> LitePage:
        await self._slots.acquire()
        return LitePage(self._exchange, self._library)

    async def release(self, page: LitePage, *, is_healthy: bool = True) -> None:
        await page.close()
        self._slots.release()

    async def renew(self, page: LitePage) -> LitePage:
        await page.close()
        return LitePage(self._exchange, self._library)

    async def aclose(self) -> None:
        await self._exchange.aclose()
