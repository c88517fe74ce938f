"""The client's exceptions, whose messages tell the user what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from palaestra.records.rewards import Rewards


class PalaestraError(Exception):
    """Base class of all exceptions that the client raises on purpose."""


class ApiError(PalaestraError):
    """The server refused a call; has the HTTP ``status``, the stable ``code`` and the ``fields`` at fault."""

    def __init__(
        self, *, status: int, code: str, message: str, fields: dict[str, list[str]] | None = None
    ) -> None:
        at_fault = "; ".join(f"{name}: {' '.join(problems)}" for name, problems in (fields or {}).items())
        super().__init__(f"{status} {code}: {message}{f' ({at_fault})' if at_fault else ''}")
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields or {}

    @property
    def refuses_content(self) -> bool:
        """True if the server refuses what an agent sent, as opposed to failing or rejecting the client."""
        return self.status < 500 and self.status not in (401, 403, 404)


class VoidEpisode(PalaestraError):
    """An episode ended without a reward, in an interface that can only express this by an exception.

    ``rewards`` holds the parts that are known, or None if there is no reward profile.
    """

    def __init__(self, message: str, rewards: Rewards | None = None) -> None:
        super().__init__(message)
        self.rewards = rewards


class Unreachable(PalaestraError):
    """The server did not answer any attempt."""


class BrowserMissing(PalaestraError):
    """There is no usable browser; the message explains how to get one."""


class PageDead(PalaestraError):
    """The page's renderer died, or a browser with no other pages, which an agent can cause."""


class BrowserDead(PageDead):
    """The browser died with other pages, or no longer opens pages, which is not the agent's fault."""


class PageHung(PalaestraError):
    """The page did not answer in time."""


class PageUnsettled(PageHung):
    """The first page never settled although no action had touched it, which is not the agent's fault."""


class PageRefused(PageHung):
    """The browser refused a command for this page, as it does during a navigation."""


class ForkDiverged(PalaestraError):
    """A fork's page cannot be restored to its parent's; the message names the step and the difference."""


class TabClosed(PalaestraError):
    """The page closed itself, which an agent can cause, so it becomes an observation."""


class ModelFailure(PalaestraError):
    """An endpoint returned no completion, which is its own failure and never counts as the model's answer.

    ``is_retried`` is true if the same call may succeed later, after ``retry_after_s`` seconds if the endpoint
    gives them. ``is_busy`` is true if the endpoint asked the client to wait.
    """

    is_retried = False
    is_busy = False
    retry_after_s: float | None = None


class ContextOverflow(ModelFailure):
    """The conversation is longer than the model's context."""


class PromptFiltered(ModelFailure):
    """A content filter of the endpoint refused the conversation."""


PAGE_FAILURES = (PageDead, PageHung, TabClosed)
"""Exceptions for failures of a page during an episode."""
UNPLAYABLE = (ForkDiverged, *PAGE_FAILURES, Unreachable)
"""Exceptions after which an episode cannot be continued."""


def find_close_reason(failure: Exception) -> Literal["fork_diverged", "page_unsettled", "harness_error"]:
    """Return the end reason, always a void one, for an episode that cannot be continued."""
    if isinstance(failure, ForkDiverged):
        return "fork_diverged"
    return "page_unsettled" if isinstance(failure, PageUnsettled) else "harness_error"
