"""A page that is read over HTTP: what ``WarmPage`` is for episodes, without a browser and without scripts.

What scripts would add is missing, and nothing is made up for them: the server gets the requests that a
browser without scripts would send, and no reports of a page's recorder.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urljoin

from palaestra.bounds import DONE_PATH, STATIC_PATH, SUBMIT_PATH, EpisodeBounds
from palaestra.errors import PageHung, PalaestraError, Unreachable
from palaestra.lite.deeds import FUNCTIONS, Deeds
from palaestra.lite.document import Document, Element
from palaestra.lite.exchange import Answer, Exchange, ExchangeError, NotSent, normalised
from palaestra.lite.forms import Sent
from palaestra.lite.ids import Ids
from palaestra.lite.names import Names
from palaestra.lite.styles import Styles
from palaestra.patience import Patience
from palaestra.surface import SERVER_FAILED, PageView

T = TypeVar("T")

OK, NO_CONTENT = 200, 204
REDIRECTS = (301, 302, 303, 307, 308)
REDIRECTS_MAX = 20
SENT_AGAIN = (307, 308)
REFRESH_LIMIT_S = 5.0
PAGE = {"Accept": "text/html"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
EMPTY = b"<!doctype html><title></title>"
_REFRESH = re.compile(r"\s*([\d.]+)\s*[;,]\s*(?:url=)?['\"]?([^'\"]+)", re.IGNORECASE)


class Library:
    """The style sheets of the pages, fetched once."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._sheets: dict[str, str] = {}
        self._styles: dict[tuple[str, ...], Styles] = {}

    async def styles_of(self, document: Document, bounds: EpisodeBounds) -> Styles:
        """The styles of a document, by its links to style sheets and its own."""
        sources: list[str] = []
        for element in document.elements:
            if element.tag == "link" and element.attrs.get("rel") == "stylesheet":
                sources.append(await self._sheet(element.href, bounds))
            elif element.tag == "style":
                sources.append(element.text)
        key = tuple(sources)
        if key not in self._styles:
            self._styles[key] = Styles(key)
        return self._styles[key]

    async def _sheet(self, url: str, bounds: EpisodeBounds) -> str:
        if url not in self._sheets and url.startswith(bounds.origin + STATIC_PATH):
            send = partial(self._exchange.send, "GET", url, headers={"Accept": "text/css"})
            answer = await _answer_of(send, is_repeatable=True)
            if answer.status == OK:
                self._sheets[url] = answer.content.decode("utf-8", "replace")
        return self._sheets.get(url, "")


class LitePage:
    """A page that plays one episode after another, never two at once."""

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
        self._history: list[Sent] = []
        self._deeds = self._blank = Deeds(Names(Document(EMPTY, ""), Styles(())), Ids({}))
        self._view: PageView | None = None

    async def begin(
        self, start_url: str, *, ids: dict[str, int] | None = None, bounds: EpisodeBounds | None = None
    ) -> EpisodeBounds:
        """Open the first page of an episode."""
        self.bounds = bounds or EpisodeBounds.of(start_url)
        self.ids = {} if ids is None else ids
        self._history = []
        if not await self._open(Sent(url=start_url)):
            raise Unreachable("The first page of the episode cannot be opened.")
        return self.bounds

    def masked(self, text: str) -> str:
        return self.bounds.mask(text) if self.bounds else text

    def turn(self, step: int) -> EpisodeBounds:
        bounds = self._bounds
        bounds.step, self.target_path = step, ""
        return bounds

    async def observe(self, *, acted: bool, with_text: bool = True) -> PageView | None:
        """The page as it is now; None once the answer was submitted."""
        await self._go_on()
        is_settled = await self._refreshed()
        if self._bounds.is_submitted:
            return None
        document = self._deeds.document
        opens_tab, self._deeds.opens_tab = self._deeds.opens_tab, False
        return PageView(
            url=document.url,
            title=document.title,
            text=self._deeds.outline.text() if with_text else "",
            is_settled=is_settled,
            opens_tab=opens_tab,
        )

    async def call(self, function: str, *arguments: object) -> dict[str, Any]:
        """Call one of the page-side functions."""
        await self._go_on()
        if function == "idle":
            await asyncio.sleep(float(str(arguments[0])) / 1000)
        if function not in FUNCTIONS:
            raise PalaestraError("A page that is read without a browser has no picture.")
        return FUNCTIONS[function](self._deeds, *arguments)

    async def is_left(self) -> bool:
        before = self._deeds
        await self._go_on()
        return self._bounds.is_submitted or self._deeds is not before

    async def announce_step(self) -> None:
        """Requests carry the number of the step anyway."""

    async def act(self, playwright_input: Awaitable[T]) -> T:
        return await playwright_input

    async def go(self, url: str) -> bool:
        return await self._open(Sent(url=url))

    async def back(self) -> bool:
        """Open the page before again; False when there is none."""
        if len(self._history) < 2:
            return False
        _, last = self._history.pop(), self._history.pop()
        await self._open(last)
        return True

    async def screenshot(self) -> bytes:
        raise PalaestraError("A page that is read without a browser has no picture.")

    async def flush_recorder(self) -> None:
        """There is no recorder."""

    async def close(self) -> None:
        self._deeds.document.dissolve()

    # ---- inside
    @property
    def deeds(self) -> Deeds:
        return self._deeds

    @property
    def _bounds(self) -> EpisodeBounds:
        if self.bounds is None:
            raise ValueError("The page has no episode.")
        return self.bounds

    async def _go_on(self) -> None:
        """Make the request that the last act calls for."""
        leads, self._deeds.leads = self._deeds.leads, None
        if leads is not None:
            await self._open(leads)

    async def _open(self, sent: Sent) -> bool:
        """Send a request and read the page that it leads to; False where it leads to none."""
        if self._bounds.is_blank:
            self._history.append(sent)
            if self._deeds is not self._blank:  # one stands for all: nobody looks at them
                self._deeds.document.dissolve()
                self._deeds = self._blank = Deeds(Names(Document(EMPTY, sent.url), Styles(())), Ids({}))
            return True
        opened = await self._sent(sent)
        if opened is None:
            return False
        answer, last = opened
        document = Document(answer.content or EMPTY, last.url)
        styles = await self._library.styles_of(document, self._bounds)
        self._deeds.document.dissolve()
        self._deeds = Deeds(Names(document, styles), Ids(self.ids))
        self._history.append(last)
        return True

    async def _sent(self, sent: Sent) -> tuple[Answer, Sent] | None:
        """The answer to a request after its redirects, inside the episode's own addresses."""
        bounds = self._bounds
        for _ in range(REDIRECTS_MAX):
            sent = replace(sent, url=normalised(sent.url))
            if not bounds.allows(sent.url):
                bounds.refuse(sent.url, is_document=True)
                return None
            answer = await self._request(sent)
            if answer.status == NO_CONTENT:
                return None
            if answer.status not in REDIRECTS:
                return answer, sent
            url = urljoin(sent.url, answer.headers.get("location", ""))
            is_answer = sent.body is not None and sent.url == bounds.root + SUBMIT_PATH
            if is_answer and url == bounds.root + DONE_PATH:
                bounds.is_submitted = True
                return None
            if "#" not in url:  # a redirect keeps the place in the page that was asked for
                url += "".join(sent.url.partition("#")[1:])
            sent = Sent(url=url, body=sent.body if answer.status in SENT_AGAIN else None)
        return None

    async def _request(self, sent: Sent) -> Answer:
        return await _answer_of(partial(self._send, sent), is_repeatable=self._is_repeatable(sent))

    def _is_repeatable(self, sent: Sent) -> bool:
        """Whether the arena does the same if it has received this before: the answer is stored once."""
        return sent.body is None or sent.url == self._bounds.root + SUBMIT_PATH

    async def _send(self, sent: Sent) -> Answer:
        headers = PAGE | self._bounds.headers_of(sent.url)
        address = sent.url.partition("#")[0]
        if sent.body is None:
            return await self._exchange.send("GET", address, headers=headers)
        return await self._exchange.send("POST", address, headers=headers | FORM, body=sent.body.encode())

    async def _refreshed(self) -> bool:
        """Open the page again for as long as it asks for that; False where it still does at the end."""
        deadline = asyncio.get_running_loop().time() + REFRESH_LIMIT_S
        while (refresh := _refresh_of(self._deeds.document)) is not None:
            pause, url = refresh
            if asyncio.get_running_loop().time() + pause > deadline:
                return False
            await asyncio.sleep(pause)
            self._history.pop()
            if not await self._open(Sent(url=url)):
                return True
        return True


async def _answer_of(send: Callable[[], Awaitable[Answer]], *, is_repeatable: bool) -> Answer:
    """The arena's answer; while the arena is away, what may be sent again is. May raise ``PageHung``."""
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
    """The mouse and the keyboard of a page, as Playwright names what actions do with them."""

    def __init__(self, page: LitePage) -> None:
        self._page = page
        self.mouse = self.keyboard = self

    @property
    def url(self) -> str:
        return self._page.deeds.document.url

    def _at(self, place: float) -> Element:
        return self._page.deeds.places[int(place)]

    async def click(self, x: float, _y: float, *, button: str = "left", click_count: int = 1) -> None:
        element = self._at(x)
        for _ in range(click_count if button == "left" else 0):
            if self._page.deeds.leads is None:
                self._page.deeds.click(element)

    async def press(self, key: str) -> None:
        self._page.deeds.key(key)

    async def type(self, text: str) -> None:
        self._page.deeds.write(text)

    async def insert_text(self, text: str) -> None:
        self._page.deeds.write(text)

    async def move(self, *_: float, **__: int) -> None:
        """Without scripts nothing happens below a mouse that only moves."""

    async def down(self) -> None:
        """Nothing is dragged."""

    async def up(self) -> None:
        """Nothing is dragged."""


def _refresh_of(document: Document) -> tuple[float, str] | None:
    for element in document.elements:
        if element.tag == "body":
            return None
        if element.tag == "meta" and element.attrs.get("http-equiv", "").lower() == "refresh":
            match = _REFRESH.match(element.attrs.get("content", ""))
            return (float(match[1]), document.resolve(match[2])) if match else None
    return None
