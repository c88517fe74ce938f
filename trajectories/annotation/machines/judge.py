"""A judge model behind any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.errors import GymError
from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.labels.answers import answer_errors
from trajectories.annotation.machines.labels import MachineLabel, errors_of
from trajectories.annotation.machines.prompt import Material, answers_read, system_text, unit_text
from trajectories.annotation.machines.schema import answer_schema

TRIES = 4
# In a worker, whose time ends: fewer tries, and calls that are over before it is stopped.
WORKER_TRIES = 2
WORKER_TIMEOUT_S = 50.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
TIMEOUT_S = 300.0
REPLY_BYTES_MAX = 4_000_000
# Thoughts of the judge included. A model that repeats itself would else fill its whole context.
REPLY_TOKENS = 4_096
RETRIED = frozenset({408, 409, 425, 429})
# A unit may be longer than the model's context.
TOO_LONG = frozenset({400, 413, 422})
PROBLEM_CHARS = 200
THOUGHTS = re.compile(r"\A\s*(?:<think>)?.*?</think>", re.DOTALL)
FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
Message = dict[str, str]


class JudgeUnreachable(GymError):
    """The endpoint does not answer, or refuses. What it answered before is kept."""

    status = 502


class UnitRefused(JudgeUnreachable):
    """The endpoint refuses this request; it may answer others."""


@dataclass(frozen=True, kw_only=True)
class _Failure:
    """Why a call brought no reply; if it is passing, the next one may."""

    problem: str
    is_passing: bool = False
    error: type[JudgeUnreachable] = JudgeUnreachable


@dataclass(frozen=True, kw_only=True)
class Judge:
    """``url`` is the base of the endpoint, such as ``http://127.0.0.1:8080/v1``; ``key`` is never shown.

    With ``has_schema`` the endpoint is asked to hold the model to the schema of an answer.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    client: httpx.Client = field(repr=False)
    tries: int = TRIES
    timeout_s: float = TIMEOUT_S
    max_tokens: int = REPLY_TOKENS
    has_schema: bool = False
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)
    # Once set, no call begins.
    is_over: threading.Event = field(default_factory=threading.Event, repr=False)
    has_answered: threading.Event = field(default_factory=threading.Event, repr=False)

    def __post_init__(self) -> None:
        """``GymError`` 422 for an address that is none, or has secrets in it: it is logged and shown."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            message = (
                "The judge's address begins with http:// or https:// and has neither user, password nor"
                " query: give the key apart from it."
            )
            raise GymError("bad_judge_url", message, status=422)

    def label(self, material: Material, *, codebook: Codebook) -> MachineLabel:
        """Its label of a unit. An unusable reply is requested once more, then kept as what it is.

        A refused unit is sent again with less of its page; refused again it has no usable answer, unless the
        endpoint has answered for none.
        """
        for shown in (material, material.shortened()):
            try:
                return self._label(shown, codebook=codebook)
            except UnitRefused as error:
                refusal = error
        if not self.has_answered.is_set():
            raise refusal
        return MachineLabel(unit=material.unit, answers=None, note=f"No usable answer. {refusal.message}")

    def _label(self, material: Material, *, codebook: Codebook) -> MachineLabel:
        messages = [_message("system", system_text(codebook)), _message("user", unit_text(material))]
        reply = self._reply(messages, codebook)
        label, errors = label_read(reply, material=material, codebook=codebook, is_complete=True)
        if errors:
            again = (
                f"This is not usable. {' '.join(errors)} Answer again with one JSON object and nothing else."
            )
            reply = self._reply([*messages, _message("assistant", reply), _message("user", again)], codebook)
            label, _ = label_read(reply, material=material, codebook=codebook, is_complete=False)
        return label

    def _body(self, messages: list[Message], codebook: Codebook) -> dict[str, Any]:
        body = {"model": self.model, "messages": messages, "temperature": 0, "max_tokens": self.max_tokens}
        if not self.has_schema:
            return body
        schema = {"name": "label", "schema": answer_schema(codebook)}
        return body | {"response_format": {"type": "json_schema", "json_schema": schema}}

    def _reply(self, messages: list[Message], codebook: Codebook) -> str:
        body = self._body(messages, codebook)
        failure = _Failure(problem="The work has ended.")
        for number in range(self.tries):
            if number:
                self.pause(min(FIRST_PAUSE_S * 2 ** (number - 1), LONGEST_PAUSE_S))
            if self.is_over.is_set():
                break
            answer = self._post(body)
            if isinstance(answer, str):
                return answer
            failure = answer
            if not failure.is_passing:
                break
        shown = failure.problem.replace(self.key, "…") if self.key else failure.problem
        raise failure.error("judge_unreachable", f"The judge model at {self.url} gave no answer ({shown}).")

    def _post(self, body: dict[str, Any]) -> str | _Failure:
        """What the model says, or why the call failed."""
        address = f"{self.url.rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            response = self.client.post(address, json=body, headers=headers, timeout=self.timeout_s)
        except httpx.HTTPError as error:
            return _Failure(problem=type(error).__name__, is_passing=True)
        if response.is_success:
            self.has_answered.set()
            return _text_of(response)
        status = response.status_code
        return _Failure(
            problem=f"HTTP {status}: {response.text[:PROBLEM_CHARS]}",
            is_passing=status >= 500 or status in RETRIED,
            error=UnitRefused if status in TOO_LONG else JudgeUnreachable,
        )


def label_read(
    reply: str, *, material: Material, codebook: Codebook, is_complete: bool
) -> tuple[MachineLabel, list[str]]:
    """The label in a reply, and what is wrong with it. Without ``is_complete`` fields may be missing."""
    unit = material.unit
    nothing = MachineLabel(unit=unit, answers=None, note=f"No usable answer. It said: {reply}")
    data = reply_read(reply)
    if data is None:
        return nothing, ["It holds no JSON object, or several."]
    answers = answers_read(data, material=material)
    check = answer_errors if is_complete else errors_of
    if errors := check(answers, codebook=codebook, unit=unit):
        return nothing, errors
    return MachineLabel(unit=unit, answers=answers), []


def reply_read(reply: str) -> dict[str, Any] | None:
    """The one JSON object of a reply, after thoughts and in a fence if it has them; else None."""
    text = THOUGHTS.sub("", reply, count=1).strip() if "</think>" in reply else reply.strip()
    if fenced := FENCE.match(text):
        text = fenced.group(1)
    data = _json(text)
    if data is None and "{" in text:
        data = _json(text[text.index("{") : text.rfind("}") + 1])
    return data if isinstance(data, dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text_of(response: httpx.Response) -> str:
    """What the model said; empty, which is no usable answer, where the endpoint sent something else."""
    try:
        if len(response.content) > REPLY_BYTES_MAX:
            return ""
        content = response.json()["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        return ""
    return content if isinstance(content, str) else ""


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
