"""The navigation guard: keeps a browser page inside its episode and numbers its requests by step.

It has two layers. At launch the browser is given the one host and port that it can resolve
(``browser.build_resolver_rules``), which costs nothing per request. In addition, one DevTools session for the
whole browser pauses every request, including redirects, and continues only requests below the path of the
page's own episode and requests for static files. Playwright's ``route`` would do the same but disables the
browser's cache; with the cache enabled, only one in forty of a page's fifteen static files is requested at
all.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import Any

from playwright.async_api import Browser, CDPSession
from playwright.async_api import Error as PlaywrightError

from palaestra.pages.bounds import DONE_PATH, SUBMIT_PATH, EpisodeBounds
from palaestra.protocol.pages import AS_OF_HEADER, STEP_HEADER

# If a navigation is answered with 204, the page stays as it is; a failed request would show an error page.
NO_CONTENT = 204
PAUSED = [{"urlPattern": "*"}]
OWN_HEADERS = {STEP_HEADER.lower(), AS_OF_HEADER.lower()}
# Replaces a document if only its URL matters; it must never be cached.
BLANK = {
    "responseCode": 200,
    "responseHeaders": [
        {"name": "Content-Type", "value": "text/html"},
        {"name": "Cache-Control", "value": "no-store"},
    ],
    "body": b64encode(b'<!doctype html><html data-settled="true"><title></title>').decode(),
}


class NavigationGuard:
    """Allows or refuses each of the browser's requests, depending on the page (frame) that makes it."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._bounds: dict[str, EpisodeBounds] = {}
        self._pages: dict[str, str] = {}  # the main frame of each frame inside a page
        self._previous: dict[str, EpisodeBounds] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    @classmethod
    async def attach(cls, browser: Browser) -> NavigationGuard:
        """Start guarding all requests of a browser."""
        guard = cls(await browser.new_browser_cdp_session())
        guard._session.on("Fetch.requestPaused", guard._decide)
        await guard._session.send("Fetch.enable", {"patterns": PAUSED})
        return guard

    @property
    def page_count(self) -> int:
        """The number of the browser's pages that have an episode or wait for the next one."""
        return len(self._bounds)

    def admit(self, frame: str, bounds: EpisodeBounds) -> None:
        """Confine the page whose main frame is ``frame`` to ``bounds`` from now on."""
        if frame in self._bounds:
            self._previous[frame] = self._bounds[frame]
        self._bounds[frame] = bounds

    def adopt(self, frame: str, *, parent: str) -> None:
        """Confine a frame inside a page to the same bounds as the page."""
        self._pages[frame] = self._pages.get(parent, parent)

    def forget(self, frame: str) -> None:
        """Forget a page that was closed."""
        self._bounds.pop(frame, None)
        self._previous.pop(frame, None)
        self._pages = {inner: page for inner, page in self._pages.items() if page != frame}

    def _decide(self, event: dict[str, Any]) -> None:
        request = event["request"]
        url = request["url"]
        frame = event.get("frameId", "")
        bounds = self._bounds.get(self._pages.get(frame, frame))
        is_document = event.get("resourceType") == "Document" and frame not in self._pages
        if bounds is None:
            # This is a shared worker, or a frame that was not announced, so its page is unknown.
            is_allowed = any(known.is_static(url) for known in self._bounds.values())
        else:
            is_allowed = bounds.allows(url) if is_document else bounds.allows_resource(url)
            is_allowed = is_allowed or self._is_late_report(event, url)
        if is_allowed and not (is_document and bounds is not None and self._is_confirmation(event, bounds)):
            if is_document and bounds is not None and bounds.is_blank:
                self._send("Fetch.fulfillRequest", {"requestId": event["requestId"], **BLANK})
            else:
                self._continue(event, bounds)
            return
        if bounds is not None and not is_allowed:
            bounds.refuse(url, is_document=is_document)
        self._send("Fetch.fulfillRequest", {"requestId": event["requestId"], "responseCode": NO_CONTENT})

    def _is_late_report(self, event: dict[str, Any], url: str) -> bool:
        """Return whether a request is the previous page's last report, sent while that page was left."""
        previous = self._previous.get(event.get("frameId", ""))
        return previous is not None and event.get("resourceType") != "Document" and previous.is_report(url)

    def _is_confirmation(self, event: dict[str, Any], bounds: EpisodeBounds) -> bool:
        """Return whether a document is the page to which the arena redirects after storing an answer.

        The episode has ended by then, and rendering that page would cost as much as a fifth of the episode.
        """
        request = event["request"]
        is_redirected = "redirectedRequestId" in event and request["url"] == bounds.root + DONE_PATH
        if is_redirected and bounds.is_submitting:
            bounds.is_submitted = True
            bounds.on_end()
            return True
        bounds.is_form = request["method"] == "POST"
        bounds.is_submitting = bounds.is_form and request["url"] == bounds.root + SUBMIT_PATH
        return False

    def _continue(self, event: dict[str, Any], bounds: EpisodeBounds | None) -> None:
        request = event["request"]
        params: dict[str, Any] = {"requestId": event["requestId"]}
        # Remove these headers if a script on the page set them: only the harness may set the step.
        headers = {n: value for n, value in request["headers"].items() if n.lower() not in OWN_HEADERS}
        if bounds is not None:
            headers |= bounds.build_headers(request["url"])
        if headers != request["headers"]:
            params["headers"] = [{"name": name, "value": value} for name, value in headers.items()]
        self._send("Fetch.continueRequest", params)

    def _send(self, method: str, params: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._send_quietly(method, params))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send_quietly(self, method: str, params: dict[str, Any]) -> None:
        try:
            await self._session.send(method, params)
        except PlaywrightError:
            # The page dropped the request or the browser was closed, so there is nothing left to decide.
            return
