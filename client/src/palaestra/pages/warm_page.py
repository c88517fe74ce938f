"""Warm browser pages, driven by DevTools.

Each has its own tab and context and is cleaned between episodes.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import time
from importlib import resources
from operator import itemgetter
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Page

from palaestra.errors import PageDead, PageHung, PageRefused, TabClosed, Unreachable
from palaestra.http.backoff import Patience
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.navigation import NavigationGuard
from palaestra.pages.pace import FIRST_PAGE, LATER_PAGE, Pace
from palaestra.pages.surface import VIEWPORT, DocumentGone, PageView
from palaestra.pages.tab import CALL_LIMIT_S, Tab

WORLD = "palaestra"
NAVIGATION_LIMIT_S = 15.0
FLUSH_LIMIT_MS = 150
JAVASCRIPT = resources.files("palaestra") / "js"
SCRIPTS = ("ids.js", "axtree.js", "marks.js", "moment.js", "sections.js", "page.js", "scroll.js")
SCRIPT = "\n".join((JAVASCRIPT / name).read_text("utf-8") for name in SCRIPTS)
FORGET = (JAVASCRIPT / "forget.js").read_text("utf-8")


class WarmPage(Tab):
    """A browser page that plays one episode after another, never two at the same time."""

    is_remembering = True
    types_by_keys = True

    def __init__(
        self, *, page: Page, cdp: CDPSession, guard: NavigationGuard, frame: str, pace: Pace
    ) -> None:
        super().__init__(page=page, cdp=cdp, guard=guard, frame=frame)
        self.bounds: EpisodeBounds | None = None
        self._pace = pace
        self._begun: float | None = None  # when the first page was requested; None once it was observed
        self.target_path = ""  # the path of the element on which this step acted
        self.picture_scale = 1.0  # size of the picture that the model was sent, relative to the viewport
        self.ids: dict[str, int] = {}  # numbers of the episode's elements, by identity key
        self._world: int | None = None
        self._introduced: int | None = None  # the document that has been given these ids
        self._moved = asyncio.Event()
        self._refusals = 0
        self._may_reload = (
            True  # False after going back: the browser itself may then refuse to show a form's result
        )
        self._listen()

    @classmethod
    async def make(
        cls, browser: Browser, guard: NavigationGuard, *, viewport: tuple[int, int] = VIEWPORT, pace: Pace
    ) -> WarmPage:
        """Make a blank page in its own browser context, so that pages share neither storage nor cache."""
        width, height = viewport
        context: BrowserContext = await browser.new_context(
            viewport={"width": width, "height": height},
            accept_downloads=False,
            service_workers="block",
            locale="en-US",
            timezone_id="UTC",
            reduced_motion="reduce",
        )
        page = await context.new_page()
        cdp = await context.new_cdp_session(page)
        tree = await cdp.send("Page.getFrameTree")
        warm = cls(page=page, cdp=cdp, guard=guard, frame=tree["frameTree"]["frame"]["id"], pace=pace)
        script = {"source": SCRIPT, "worldName": WORLD, "runImmediately": True}
        await asyncio.gather(
            cdp.send("Page.enable"),
            cdp.send("Page.addScriptToEvaluateOnNewDocument", script),
            cdp.send("Runtime.enable"),
        )
        return warm

    async def begin(
        self, start_url: str, *, ids: dict[str, int] | None = None, bounds: EpisodeBounds | None = None
    ) -> EpisodeBounds:
        """Forget the previous episode and open the first page of the next one.

        ``ids`` are the numbers that the episode's elements had on another browser page; ``bounds`` identify
        the episode's requests. Raises ``Unreachable``, ``PageHung``, ``PageDead`` or ``TabClosed``.
        """
        bounds = bounds or EpisodeBounds.of(start_url)
        bounds.on_end = self._moved.set
        self._guard.admit(self._frame, bounds)
        self.bounds, self._world, self._introduced = bounds, None, None
        self.ids = {} if ids is None else ids
        self._begun = None if bounds.is_blank else time.monotonic()
        answers: tuple[dict[str, Any], ...] = await asyncio.gather(
            self._send("Storage.clearDataForOrigin", origin=bounds.origin, storageTypes="all"),
            self._send("Page.addScriptToEvaluateOnNewDocument", source=FORGET),
            self._navigate_first(start_url),
        )
        _, forget, _ = answers
        # Wait, because the history belongs to the old page until the new document has loaded.
        await self._world_ready(time.monotonic() + NAVIGATION_LIMIT_S)
        await asyncio.gather(
            self._send("Page.removeScriptToEvaluateOnNewDocument", **forget),
            self._send("Page.resetNavigationHistory"),
        )
        return bounds

    def masked(self, text: str) -> str:
        """Return a text from the page without the episode's token, so that a model may read it."""
        return self.bounds.mask(text) if self.bounds else text

    def turn(self, step: int) -> EpisodeBounds:
        """Begin a step: requests carry its number, and the count of refused requests starts at zero.

        Raises ``ValueError`` if no episode was begun.
        """
        if self.bounds is None:
            raise ValueError("The page has no episode: call begin first.")
        self.bounds.step = step
        self._may_reload = True
        self.target_path = ""
        self._refusals = self.bounds.refused_documents
        return self.bounds

    async def observe(self, *, acted: bool, with_text: bool = True) -> PageView | None:
        """Return the page once it has settled; after an action (``acted``), the page that it leads to.

        Returns None if the action submitted the answer, because the agent is not shown what follows. If the
        arena failed to send the page, the request or the form is sent again, but ``PageHung`` is raised if
        the arena may already have processed the form.
        """
        patience, view = Patience(), await self._observe_once(acted=acted, with_text=with_text)
        while view is not None and view.is_failed and self._may_reload and await patience.pause():
            if view.is_error and self.bounds is not None and not self.bounds.is_repeatable:
                raise PageHung("The page did not answer.")
            self._moved.clear()
            await self._send("Page.reload")
            view = await self._observe_once(acted=True, with_text=with_text)
        return view

    async def _observe_once(self, *, acted: bool, with_text: bool) -> PageView | None:
        deadline = time.monotonic() + NAVIGATION_LIMIT_S
        while True:
            settle_s = self._settle_limit_s()
            options = {"acted": acted, "limitMs": round(settle_s * 1000), "withText": with_text}
            world = await self._world_ready(deadline)
            try:
                state = await self._run("observe", options, world=world, wait_s=settle_s)
            except DocumentGone:
                acted = False
                continue
            if state["leaving"]:
                await self._await_document(world, deadline=deadline)
            if self.bounds is not None and self.bounds.is_submitted:
                return None
            if not state["leaving"]:
                self._note_pace()
                return _convert_view(state)
            acted = False

    def _settle_limit_s(self) -> float:
        """Return the seconds that the page may still take to settle."""
        if self._begun is None:
            return self._pace.limit_s(LATER_PAGE)
        return max(self._begun + self._pace.limit_s(FIRST_PAGE) - time.monotonic(), 0.0)

    def _note_pace(self) -> None:
        if self._begun is not None:
            self._pace.note(time.monotonic() - self._begun)
            self._begun = None

    async def call(self, function: str, *arguments: object) -> dict[str, Any]:
        """Call one of the page-side functions with JSON arguments."""
        world = await self._world_ready(time.monotonic() + CALL_LIMIT_S)
        return await self._run(function, *arguments, world=world, step=self.bounds.step if self.bounds else 0)

    async def evaluate(self, expression: str) -> dict[str, Any]:
        """Evaluate an expression in the page-side functions' world, and return its value, an object."""
        return await self._evaluate(expression, await self._world_ready(time.monotonic() + CALL_LIMIT_S))

    async def is_left(self) -> bool:
        """Return whether the last action led to another document, or submitted the answer."""
        world = self._world
        view = await self.observe(acted=True, with_text=False)
        return view is None or self._world != world

    async def announce_step(self) -> None:
        """Tell the page the number of this step, for actions that call no other function on the page."""
        await self.call("idle", 0)

    async def go(self, url: str) -> bool:
        """Navigate to a URL; return False if that leads to no page (refused, a download, or no answer).

        The browser answers before the new document exists and reports the old history, or none, until then,
        so this waits for the document.
        """
        self._moved.clear()
        world, deadline = self._world, time.monotonic() + NAVIGATION_LIMIT_S
        navigation = await self._navigate(url)
        if navigation.get("loaderId") and not navigation.get("errorText"):
            await self._await_document(world, deadline=deadline)
        return not navigation.get("errorText")

    async def back(self) -> bool:
        """Go back one entry in the episode's own history; False if there is none."""
        history = await self._send("Page.getNavigationHistory")
        if history["currentIndex"] == 0:
            return False
        self._may_reload = False
        entry = history["entries"][history["currentIndex"] - 1]
        self._moved.clear()
        await self._send("Page.navigateToHistoryEntry", entryId=entry["id"])
        await self._bounded(self._moved.wait(), NAVIGATION_LIMIT_S)
        return True

    async def screenshot(self) -> bytes:
        """Return a PNG of the viewport."""
        # PNG optimised for speed is lossless and costs no more than JPEG: 29 ms of CPU time, including
        # rendering. PNG optimised for size costs 51 ms, and WebP 77 ms.
        shot = await self._send("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        return base64.b64decode(shot["data"])

    async def flush_recorder(self) -> None:
        """Make the page's recorder send its buffered events before the episode ends."""
        if self.bounds is not None and self.is_alive:
            with contextlib.suppress(PageHung, PageDead, TabClosed, DocumentGone):
                await self.call("flushRecorder", FLUSH_LIMIT_MS)

    # ---- inside
    def _listen(self) -> None:
        self._cdp.on("Runtime.executionContextCreated", self._on_world_created)
        self._cdp.on("Runtime.executionContextsCleared", self._on_worlds_cleared)
        self._cdp.on("Page.frameAttached", self._on_frame)
        self._cdp.on("Page.navigatedWithinDocument", lambda _: self._moved.set())
        self.page.on("download", lambda _: self._refuse("download"))
        self.page.on("popup", self._on_popup)

    def _on_frame(self, event: dict[str, Any]) -> None:
        self._guard.adopt(event["frameId"], parent=event["parentFrameId"])

    def _refuse(self, label: str) -> None:
        if self.bounds is not None:
            self.bounds.refuse(label, is_document=True)

    def _on_popup(self, popup: Page) -> None:
        self._refuse("new tab")
        self._closing = asyncio.ensure_future(popup.close())

    def _on_world_created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context["name"] == WORLD and context.get("auxData", {}).get("frameId") == self._frame:
            self._world = context["id"]
            self._moved.set()

    def _on_worlds_cleared(self, _: dict[str, Any]) -> None:
        self._world = None

    async def _world_ready(self, deadline: float) -> int:
        while self._world is None:
            self._moved.clear()
            await self._bounded(self._moved.wait(), deadline - time.monotonic())
        return self._world

    async def _await_document(self, world: int | None, *, deadline: float) -> None:
        """Wait until a document replaces ``world``, or until the navigation has ended without a document."""
        while self._world in (world, None):
            if self._world == world and self._leads_nowhere():
                return
            self._moved.clear()
            await self._bounded(self._moved.wait(), deadline - time.monotonic())

    def _leads_nowhere(self) -> bool:
        """Return whether the current navigation ends without a document."""
        if self.bounds is None:
            return False
        return self.bounds.is_submitted or self.bounds.refused_documents > self._refusals

    async def _run(
        self, function: str, *arguments: object, world: int, step: int = 0, wait_s: float = 0.0
    ) -> dict[str, Any]:
        """Return the answer of a page-side function, which may wait for ``wait_s`` seconds.

        A new document is first given the ids of the episode's earlier documents.
        """
        around = {"step": step, "ids": None if self._introduced == world else self.ids}
        passed = ",".join(json.dumps(argument) for argument in (function, arguments, around))
        answer = await self._evaluate(f"palaestra.run({passed})", world, limit_s=wait_s + CALL_LIMIT_S)
        self._introduced = world
        # Sent as pairs sorted by number, because a JavaScript object moves keys that look like integers to
        # the front.
        self.ids.update(sorted(answer.pop("fresh", {}).items(), key=itemgetter(1)))
        return answer

    async def _evaluate(
        self, expression: str, world: int, *, limit_s: float = CALL_LIMIT_S
    ) -> dict[str, Any]:
        params = {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True}
        try:
            answer = await self._bounded(self._cdp.send("Runtime.evaluate", params), limit_s)
        except PageRefused as failure:
            raise DocumentGone(str(failure)) from failure
        if "exceptionDetails" in answer:
            if self._world != world:
                raise DocumentGone(expression)
            raise PageHung(f"The page could not be read: {answer['exceptionDetails'].get('text', '')}")
        value = answer["result"].get("value")
        if not isinstance(value, dict):
            raise DocumentGone(expression)
        return value

    async def _navigate_first(self, url: str) -> dict[str, Any]:
        patience = Patience()
        while (navigation := await self._navigate(url)).get("errorText"):
            if not await patience.pause():
                failure = navigation["errorText"]
                raise Unreachable(f"The first page of the episode cannot be opened: {failure}")
            self._world = None  # the current world belongs to the browser's error page
        return navigation

    async def _navigate(self, url: str) -> dict[str, Any]:
        return await self._bounded(self._cdp.send("Page.navigate", {"url": url}), NAVIGATION_LIMIT_S)


def _convert_view(state: dict[str, Any]) -> PageView:
    return PageView(
        url=state["url"],
        title=state["title"],
        text=state["text"],
        is_settled=state["settled"],
        in_view=tuple(state["inView"]),
        opens_tab=state["newTab"],
        status=state["status"],
        moment=state["moment"],
    )
