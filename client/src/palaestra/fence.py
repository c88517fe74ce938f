"""Keeps a browser page inside its episode, and tells the arena which step a request belongs to.

Two layers. At launch the browser learns the one host and port it can resolve (``browser.resolver_rules``),
which costs nothing per request. On top, one DevTools session on the whole browser pauses every document,
redirect included, and every request below ``/e/``, and lets it go on only under the path of the page's own
episode. Static files are never paused: pausing them all (Playwright's ``route``) would also switch off the
browser's cache.
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
# Where the arena leads once it has stored an answer; one that it refuses leads elsewhere.
DONE_PATH = "done"
# Where pages report to by themselves.
REPORT_PATHS = ("events", "recording")
STATIC_PATH = "/static/"
# A document answered 204 leaves the page where it is; a failed one would put an error page in its place.
NO_CONTENT = 204
PAUSED = [{"urlPattern": "*", "resourceType": "Document"}, {"urlPattern": "*/e/*"}]
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_EPISODE_PATH = re.compile(r"^(?:/[^?#]*?)?/e/[^/?#]+/")


def _nothing() -> None:
    return None


@dataclass(kw_only=True)
class Fence:
    """One episode's bounds: ``root`` is its address (origin and ``/e/<token>/``), known to nobody but the
    harness."""

    root: str
    step: int = 0
    refused: list[str] = field(default_factory=list)
    refused_documents: int = 0
    is_submitting: bool = False
    is_submitted: bool = False
    on_end: Callable[[], None] = _nothing

    @classmethod
    def around(cls, start_url: str) -> Fence:
        """The fence of the episode that begins at ``start_url``."""
        parts = urlsplit(start_url)
        found = _EPISODE_PATH.match(parts.path)
        if not found:
            raise ValueError("The start address has no episode token in its path.")
        return cls(root=f"{parts.scheme}://{parts.netloc}{found[0]}")

    @property
    def origin(self) -> str:
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc}"

    def allows(self, url: str) -> bool:
        """Whether a document at ``url``, as the browser normalised it, belongs to the episode."""
        return url.startswith(self.root)

    def allows_part(self, url: str) -> bool:
        """Whether something that a page loads may come from ``url``."""
        return self.allows(url) or url.startswith(self.origin + STATIC_PATH)

    def is_report(self, url: str) -> bool:
        """Whether a request is one that the page makes by itself, to say what it saw."""
        return url in [self.root + path for path in REPORT_PATHS]

    def refuse(self, url: str, *, is_document: bool) -> None:
        """Note an address that was not let through; a document's refusal ends a navigation."""
        self.refused_documents += is_document
        self.refused.append(self.mask(url)[:200])
        self.on_end()

    def resolve(self, url: str, *, base: str) -> str | None:
        """The real address of one that a model wrote, or None when it leads out of the episode.

        Models see addresses as ``https://gym/...``; a relative one is taken from ``base``, the page's own
        address. The browser's normal form is what counts in the end: this only says no early.
        """
        text = "".join(url.replace("\\", "/").split())
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
        """The text with every address of the episode written ``https://gym/...`` and its token nowhere."""
        path = urlsplit(self.root).path
        token = path.rstrip("/").rpartition("/")[2]
        shown = text.replace(self.root, PUBLIC_ROOT).replace(self.root.rstrip("/"), PUBLIC_ROOT.rstrip("/"))
        return shown.replace(path, "/").replace(token, "***")


class Guard:
    """The browser-wide gate: decides for every paused request by the page (frame) that asks."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._fences: dict[str, Fence] = {}
        self._left: dict[str, Fence] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    @classmethod
    async def on(cls, browser: Browser) -> Guard:
        guard = cls(await browser.new_browser_cdp_session())
        guard._session.on("Fetch.requestPaused", guard._paused)
        await guard._session.send("Fetch.enable", {"patterns": PAUSED})
        return guard

    def admit(self, frame: str, fence: Fence) -> None:
        """From now on the page whose main frame is ``frame`` lives inside ``fence``."""
        if frame in self._fences:
            self._left[frame] = self._fences[frame]
        self._fences[frame] = fence

    def forget(self, frame: str) -> None:
        """The page is gone."""
        self._fences.pop(frame, None)
        self._left.pop(frame, None)

    def _paused(self, event: dict[str, Any]) -> None:
        request = event["request"]
        url = request["url"]
        fence = self._fences.get(event.get("frameId", ""))
        is_document = event.get("resourceType") == "Document"
        if fence is None:
            # A frame inside a page, or a worker: only what belongs to some episode that is under way.
            is_allowed = any(known.allows(url) for known in self._fences.values())
        else:
            is_allowed = fence.allows(url) if is_document else fence.allows_part(url)
            is_allowed = is_allowed or self._is_last_word(event, url)
        if is_allowed and not (is_document and fence is not None and self._is_confirmation(event, fence)):
            self._let_go(event, fence)
            return
        if fence is not None and not is_allowed:
            fence.refuse(url, is_document=is_document)
        self._send("Fetch.fulfillRequest", {"requestId": event["requestId"], "responseCode": NO_CONTENT})

    def _is_last_word(self, event: dict[str, Any], url: str) -> bool:
        """Whether a request is what the page before still had to report while it was being left."""
        left = self._left.get(event.get("frameId", ""))
        return left is not None and event.get("resourceType") != "Document" and left.is_report(url)

    def _is_confirmation(self, event: dict[str, Any], fence: Fence) -> bool:
        """Whether a document is what the arena leads to once it has stored an answer.

        It says nothing to the agent, whose episode is over, and drawing it would cost a fifth of the episode.
        """
        request = event["request"]
        is_led_on = "redirectedRequestId" in event and request["url"] == fence.root + DONE_PATH
        if is_led_on and fence.is_submitting:
            fence.is_submitted = True
            fence.on_end()
            return True
        fence.is_submitting = request["method"] == "POST" and request["url"] == fence.root + SUBMIT_PATH
        return False

    def _let_go(self, event: dict[str, Any], fence: Fence | None) -> None:
        request = event["request"]
        answer: dict[str, Any] = {"requestId": event["requestId"]}
        # The recorders say of everything themselves which step it belongs to.
        if fence is not None and fence.step and not fence.is_report(request["url"]):
            headers = [{"name": name, "value": value} for name, value in request["headers"].items()]
            answer["headers"] = [*headers, {"name": STEP_HEADER, "value": str(fence.step)}]
        self._send("Fetch.continueRequest", answer)

    def _send(self, method: str, params: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._sent(method, params))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sent(self, method: str, params: dict[str, Any]) -> None:
        try:
            await self._session.send(method, params)
        except PlaywrightError:
            # The request was given up by its page meanwhile, or the browser is gone: nothing is left to
            # decide.
            return
