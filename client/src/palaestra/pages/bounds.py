"""The URLs of one episode: which ones belong to it, which ones a model may open, and how they are masked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit

from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.protocol.pages import AS_OF_HEADER, STEP_HEADER

SUBMIT_PATH = "submit"
# The arena redirects here once it has stored an answer; after a refused answer it redirects elsewhere.
DONE_PATH = "done"
# Paths to which the page's own recorder reports.
REPORT_PATHS = ("events", "recording")
STATIC_PATH = "/static/"
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
EPISODE_PATH = re.compile(r"^(?:/[^?#]*?)?/e/[^/?#]+/")
_PATH_END = re.compile(r"[?#]")
# Some servers, such as Tomcat, also read "..;" as "..", or accept backslashes around it.
_STEP_OUT = re.compile(r"(?:^|[/\\])\.{1,2}(?:;[^/\\]*)?(?=[/\\]|$)|\x00")


@dataclass(kw_only=True)
class EpisodeBounds:
    """The URLs that belong to one episode, and the state of its navigation.

    ``root`` is the episode's own URL (origin and ``/e/<token>/``), which only the harness knows. ``is_form``:
    the previous page was left by posting a form. ``on_end`` is called when a navigation ends without a
    document. While a fork is restored, pages are served as of the site event ``as_of``, and documents that
    nobody will look at stay blank (``is_blank``).
    """

    root: str
    step: int = 0
    as_of: int | None = None
    is_blank: bool = False
    refused: list[str] = field(default_factory=list)
    refused_documents: int = 0
    is_form: bool = False
    is_submitting: bool = False
    is_submitted: bool = False
    on_end: Callable[[], object] = lambda: None

    @classmethod
    def of(cls, start_url: str) -> EpisodeBounds:
        """Return the bounds of the episode at ``start_url``.

        Raises ``ValueError`` if the URL has no token.
        """
        parts = urlsplit(start_url)
        match = EPISODE_PATH.match(parts.path)
        if not match:
            raise ValueError("The start address has no episode token in its path.")
        return cls(root=f"{parts.scheme}://{parts.netloc}{match[0]}")

    @property
    def is_repeatable(self) -> bool:
        """True if the last request may be sent twice, as a submission may: the arena stores it only once."""
        return not self.is_form or self.is_submitting

    @property
    def origin(self) -> str:
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc}"

    def allows(self, url: str) -> bool:
        """Return whether a document at ``url`` (as the browser normalised it) belongs to the episode."""
        return _is_below(url, self.root)

    def allows_resource(self, url: str) -> bool:
        """Return whether a page may load a resource from ``url``."""
        return self.allows(url) or self.is_static(url)

    def is_static(self, url: str) -> bool:
        """Return whether a URL is that of a static file, which is the same for all episodes."""
        return _is_below(url, self.origin + STATIC_PATH)

    def is_report(self, url: str) -> bool:
        """Return whether a request to this URL is a report from the page's recorder."""
        return url in [self.root + path for path in REPORT_PATHS]

    def build_headers(self, url: str) -> dict[str, str]:
        """Return the headers that tell the arena which step a request belongs to.

        Requests outside the episode's URLs get no headers, because they are the last reports of the previous
        episode.
        """
        if not self.allows(url):
            return {}
        # The recorder's reports contain the step of each event, so they need no header.
        step = {STEP_HEADER: str(self.step)} if self.step and not self.is_report(url) else {}
        return step if self.as_of is None else step | {AS_OF_HEADER: str(self.as_of)}

    def refuse(self, url: str, *, is_document: bool) -> None:
        """Note a refused URL, which ends the navigation if it was a document's."""
        self.refused_documents += is_document
        self.refused.append(self.mask(url)[:200])
        self.on_end()

    def resolve(self, url: str, *, base: str) -> str | None:
        """Return the real URL for one that a model wrote; None if it leads out of the episode.

        Models see URLs as ``https://gym/...``. A relative URL is resolved against ``base``, the page's own
        URL; "?..." stands for the query of ``base``. This is only an early check: the navigation guard makes
        the decision, based on the URL as normalised by the browser.
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
        """Return a text with the episode's URLs written as ``https://gym/...`` and without its token."""
        path = urlsplit(self.root).path
        token = path.rstrip("/").rpartition("/")[2]
        masked = text.replace(self.root, PUBLIC_ROOT).replace(self.root.rstrip("/"), PUBLIC_ROOT.rstrip("/"))
        return masked.replace(path, "/").replace(token, "***")


def _is_below(url: str, base: str) -> bool:
    """Return whether a URL is below ``base``, however often a server decodes its path."""
    if not url.startswith(base):
        return False
    path = _PATH_END.split(url[len(base) :], maxsplit=1)[0]
    while (decoded := unquote(path)) != path:
        path = decoded
    return not _STEP_OUT.search(path)
