"""What can go wrong in the client, written for the person who reads it."""

from __future__ import annotations


class PalaestraError(Exception):
    """Base of everything the client raises on purpose."""


class ApiError(PalaestraError):
    """The server refused a call: the HTTP ``status``, the stable ``code``, the ``fields`` at fault."""

    def __init__(
        self, *, status: int, code: str, message: str, fields: dict[str, list[str]] | None = None
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields or {}


class Unreachable(PalaestraError):
    """No answer from the server after every retry."""


class BrowserMissing(PalaestraError):
    """No browser was found; the message says how to get one."""


class PageDead(PalaestraError):
    """The renderer or the whole browser died: ours, so the episode ends ``harness_error``."""


class PageHung(PalaestraError):
    """The page did not answer within its limit."""


class PageRefused(PageHung):
    """The browser refused a command for this page, as it does in the middle of a navigation."""


class TabClosed(PalaestraError):
    """The page closed itself: something the agent can cause, so it is an observation."""
