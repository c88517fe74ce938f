"""Client for an endpoint that speaks the OpenAI chat completions protocol."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.errors import GymError

TRIES = 4
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
TIMEOUT_S = 300.0
REPLY_BYTES_MAX = 4_000_000
RETRIED = frozenset({408, 409, 425, 429})
# Statuses by which an endpoint may refuse a request that is longer than the model's context.
TOO_LONG = frozenset({400, 413, 422})
PROBLEM_CHARS = 200
NO_ANSWER = "The judge model at"
"""The beginning of every message about an unanswered call."""
TOKENS_MAX = 2**31 - 1
Message = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The model's reply with the endpoint's token counts, which are 0 if it sent none."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class JudgeUnreachable(GymError):
    """The error raised when the endpoint does not answer or refuses; earlier answers stay stored."""

    status = 502


class UnitRefused(JudgeUnreachable):
    """The error raised when the endpoint refuses this request but may still answer others."""


@dataclass(frozen=True, kw_only=True)
class _Failure:
    """The reason why a call brought no reply; if ``is_passing``, the failure is temporary, so retry it."""

    problem: str
    is_passing: bool = False
    error: type[JudgeUnreachable] = JudgeUnreachable


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A model behind an endpoint.

    ``url`` is the endpoint's base URL, such as ``http://127.0.0.1:8080/v1``; ``key`` is never shown.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    client: httpx.Client = field(repr=False)
    tries: int = TRIES
    timeout_s: float = TIMEOUT_S
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)
    # Once this is set, no further call is made.
    is_over: threading.Event = field(default_factory=threading.Event, repr=False)
    has_answered: threading.Event = field(default_factory=threading.Event, repr=False)

    def __post_init__(self) -> None:
        """Refuse a malformed URL, or one that contains secrets, since URLs are logged and shown."""
        url_check(self.url)

    def reply(self, body: dict[str, Any]) -> Reply:
        """Request the model's reply. Temporary failures are retried before ``JudgeUnreachable`` is raised."""
        failure = _Failure(problem="The work has ended.")
        for number in range(self.tries):
            if number:
                self.pause(min(FIRST_PAUSE_S * 2 ** (number - 1), LONGEST_PAUSE_S))
            if self.is_over.is_set():
                break
            answer = self._post(body)
            if isinstance(answer, Reply):
                return answer
            failure = answer
            if not failure.is_passing:
                break
        shown = failure.problem.replace(self.key, "…") if self.key else failure.problem
        raise failure.error("judge_unreachable", f"{NO_ANSWER} {self.url} gave no answer ({shown}).")

    def _post(self, body: dict[str, Any]) -> Reply | _Failure:
        """Return the model's reply, or the reason why the call failed."""
        address = f"{self.url.rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            response = self.client.post(address, json=body, headers=headers, timeout=self.timeout_s)
        except httpx.HTTPError as error:
            return _Failure(problem=type(error).__name__, is_passing=True)
        if response.is_success:
            self.has_answered.set()
            return _reply_of(response)
        status = response.status_code
        return _Failure(
            problem=f"HTTP {status}: {response.text[:PROBLEM_CHARS]}",
            is_passing=status >= 500 or status in RETRIED,
            error=UnitRefused if status in TOO_LONG else JudgeUnreachable,
        )


def url_check(url: str) -> None:
    """Raise ``GymError`` 422 ``bad_judge_url`` for a malformed URL, or one that contains secrets."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        message = (
            "The judge's URL must begin with http:// or https:// and contain no user, password or query:"
            " give the key separately."
        )
        raise GymError("bad_judge_url", message, status=422)


def message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _reply_of(response: httpx.Response) -> Reply:
    """Read the model's reply. A response without a text gives an empty reply, which the caller cannot use."""
    try:
        if len(response.content) > REPLY_BYTES_MAX:
            return Reply(text="")
        data = response.json()
        content = data["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Reply(text="")
    return Reply(
        text=content if isinstance(content, str) else "",
        prompt_tokens=_count(data, "prompt_tokens"),
        completion_tokens=_count(data, "completion_tokens"),
    )


def _count(data: dict[str, Any], name: str) -> int:
    usage = data.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    return min(count, TOKENS_MAX) if type(count) is int and count >= 0 else 0
