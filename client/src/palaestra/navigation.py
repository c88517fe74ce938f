"""The navigation guard: keeps a browser page inside its episode and numbers its requests by step.

Two layers. At launch the browser is given the one host and port that it can resolve
(``browser.resolver_rules``), which costs nothing per request. On top, one DevTools session on the whole
browser pauses every document, redirects included, and every request below ``/e/``, and continues only those
under the path of the page's own episode. Static files are never paused: pausing everything (Playwright's
``route``) would also switch off the browser's cache.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Browser, CDPSession
from playwright.async_api import Error as PlaywrightError

PUBLIC_ROOT = "https://gym/"
STEP_HEADER = "X-Gym-Step"
SUBMIT_PATH = "submit"
# The arena redirects here once it has stored an answer; a refused answer leads elsewhere.
DONE_PATH = "done"
# Where the page's own recorder reports to.
REPORT_PATHS = ("events", "recording")
STATIC_PATH = "/static/"
# A document answered 204 leaves the page where it is; a failed one would put an error page in its place.
NO_CONTENT = 204
PAUSED = [{"urlPattern": "*", "resourceType": "Document"}, {"urlPattern": "*/e/*"}]
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_EPISODE_PATH = re.compile(r"^(?:/[^?#]*?)?/e/[^/?#]+/")


@dataclass(kw_only=True)
class EpisodeBounds:
    """The addresses of one episode: ``root`` is its own (origin and ``/e/<token>/``), which only the harness
    knows. ``on_end`` is called when a navigation comes to nothing."""

    root: str
    step: int = 0
    refused: list[str] = field(default_factory=list)
    refused_documents: int = 0
    is_submitting: bool = False
    is_submitted: bool = False
    on_end: Callable[[], object] = lambda: None

    @classmethod
    def of(cls, start_url: str) -> EpisodeBounds:
        """The bounds of the episode that begins at ``start_url``."""
        parts = urlsplit(start_url)
        match = _EPISODE_PATH.match(parts.path)
        if not match:
            raise ValueError("The start address has no episode token in its path.")
        return cls(root=f"{parts.scheme}://{parts.netloc}{match[0]}")

    @property
    def origin(self) -> str:
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc}"

    def allows(self, url: str) -> bool:
        """Whether a document at ``url`` (as the browser normalised it) belongs to the episode."""
        return url.startswith(self.root)

    def allows_resource(self, url: str) -> bool:
        """Whether a page may load a resource from ``url``."""
        return self.allows(url) or url.startswith(self.origin + STATIC_PATH)

    def is_report(self, url: str) -> bool:
        """Whether a request is a report of the page's recorder."""
        return url in [self.root + path for path in REPORT_PATHS]

    def refuse(self, url: str, *, is_document: bool) -> None:
        """Note a refused address; refusing a document ends a navigation."""
        self.refused_documents += is_document
        self.refused.append(self.mask(url)[:200])
        self.on_end()

    def resolve(self, url: str, *, base: str) -> str | None:
        """The real address behind one that a model wrote, or None when it leads out of the episode.

        Models see addresses as ``https://gym/...``; a relative one is resolved against ``base``, the page's
        own address, whose query "?..." stands for. The browser's normalised form decides in the end: this
        only refuses early.
        """
        text = "".join(url.replace("\\", "/").split()).replace("?...", f"?{urlsplit(base).query}", 1)
        if text.lower().startswith(("https://gym/", "http://gym/")):
            text = self.root + text.split("/", 3)[3]
        elif text.lower().rstrip("/") in ("https://gym", "http://gym"):
            text = self.root
        elif _SCHEME.match(text) or text.startswith("//"):
            return None
        elif text.startswith("/"):
            text = self.root + text[1:]
        real = urljoin(base if self.allows(base) else self.root, text)
        return real if self.allows(real) else None

    def mask(self, text: str) -> str:
        """The text with every address of the episode written ``https://gym/...`` and its token removed."""
        path = urlsplit(self.root).path
        token = path.rstrip("/").rpartition("/")[2]
        shown = text.replace(self.root, PUBLIC_ROOT).replace(self.root.rstrip("/"), PUBLIC_ROOT.rstrip("/"))
        return shown.replace(path, "/").replace(token, "***")


class NavigationGuard:
    """Decides for every paused request of the browser, by the page (frame) that makes it."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._bounds: dict[str, EpisodeBounds] = {}
        self._previous: dict[str, EpisodeBounds] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    @classmethod
    async def attach(cls, browser: Browser) -> NavigationGuard:
        guard = cls(await browser.new_browser_cdp_session())
        guard._session.on("Fetch.requestPaused", guard._paused)
        await guard._session.send("Fetch.enable", {"patterns": PAUSED})
        return guard

    @property
    def page_count(self) -> int:
        """How many pages of the browser have an episode, or had one and wait for the next."""
        return len(self._bounds)

    def admit(self, frame: str, bounds: EpisodeBounds) -> None:
        """Confine the page whose main frame is ``frame`` to ``bounds`` from now on."""
        if frame in self._bounds:
            self._previous[frame] = self._bounds[frame]
        self._bounds[frame] = bounds

    def forget(self, frame: str) -> None:
        """Drop a page that is gone."""
        self._bounds.pop(frame, None)
        self._previous.pop(frame, None)

    def _paused(self, event: dict[str, Any]) -> None:
        request = event["request"]
        url = request["url"]
        bounds = self._bounds.get(event.get("frameId", ""))
        is_document = event.get("resourceType") == "Document"
        if bounds is None:
            # A frame inside a page, or a worker: only what belongs to some open episode.
            is_allowed = any(known.allows(url) for known in self._bounds.values())
        else:
            is_allowed = bounds.allows(url) if is_document else bounds.allows_resource(url)
            is_allowed = is_allowed or self._is_late_report(event, url)
        if is_allowed and not (is_document and bounds is not None and self._is_confirmation(event, bounds)):
            self._continue(event, bounds)
            return
        if bounds is not None and not is_allowed:
            bounds.refuse(url, is_document=is_document)
        self._send("Fetch.fulfillRequest", {"requestId": event["requestId"], "responseCode": NO_CONTENT})

    def _is_late_report(self, event: dict[str, Any], url: str) -> bool:
        """Whether a request is the last report of the page before, sent while it was being left."""
        previous = self._previous.get(event.get("frameId", ""))
        return previous is not None and event.get("resourceType") != "Document" and previous.is_report(url)

    def _is_confirmation(self, event: dict[str, Any], bounds: EpisodeBounds) -> bool:
        """Whether a document is the page that the arena redirects to once it has stored an answer.

        The agent's episode is over by then, and drawing that page would cost a fifth of the episode.
        """
        request = event["request"]
        is_redirected = "redirectedRequestId" in event and request["url"] == bounds.root + DONE_PATH
        if is_redirected and bounds.is_submitting:
            bounds.is_submitted = True
            bounds.on_end()
            return True
        bounds.is_submitting = request["method"] == "POST" and request["url"] == bounds.root + SUBMIT_PATH
        return False

    def _continue(self, event: dict[str, Any], bounds: EpisodeBounds | None) -> None:
        request = event["request"]
        params: dict[str, Any] = {"requestId": event["requestId"]}
        # Only the harness says which step it is; a script in the page may have said otherwise.
        headers = {n: value for n, value in request["headers"].items() if n.lower() != STEP_HEADER.lower()}
        # Recorders name the step of everything that they report.
        if bounds is not None and bounds.step and not bounds.is_report(request["url"]):
            headers[STEP_HEADER] = str(bounds.step)
        if headers != request["headers"]:
            params["headers"] = [{"name": name, "value": value} for name, value in headers.items()]
        self._send("Fetch.continueRequest", params)

    def _send(self, method: str, params: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._sent(method, params))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sent(self, method: str, params: dict[str, Any]) -> None:
        try:
            await self._session.send(method, params)
        except PlaywrightError:
            # The page has dropped the request meanwhile, or the browser is gone: nothing left to decide.
            return
