"""Calls to a judge, made concurrently and each stored with its outcome."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from trajectories.annotation.machines.endpoint import Endpoint, JudgeUnreachable, Reply, UnitRefused
from trajectories.judges.prompt import GRADE, REASON, Attempt, request_body, request_sha256
from trajectories.judges.types import Criterion, JudgeBody
from trajectories.models import Judge, JudgeCall

FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
CONCURRENCY = 8
REPLY_CHARS = 20_000
PROBLEM_CHARS = JudgeCall._meta.get_field("problem").max_length or 0

OPENED, CLOSED = "<think>", "</think>"
THOUGHTS = re.compile(rf"\A{OPENED}.*?{CLOSED}", re.DOTALL)


class Reading(NamedTuple):
    """A grade, or the reason why there is none."""

    grade: str = ""
    problem: str = ""


def grade_read(reply: str, criterion: Criterion) -> Reading:
    """Return the grade in a reply, which must be one JSON object, after at most one block of thoughts."""
    text = reply.strip()
    if not text:
        return Reading(problem="The reply is empty.")
    if text.startswith(OPENED):
        if text.count(CLOSED) != 1:
            return Reading(problem="The end of the reply's thoughts is not clear.")
        text = THOUGHTS.sub("", text).strip()
    if fenced := FENCE.match(text):
        text = fenced.group(1)
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Reading(problem="The reply is not one JSON object.")
    return _read_grade(data, criterion)


def _read_grade(data: Any, criterion: Criterion) -> Reading:
    if not isinstance(data, dict) or GRADE not in data or not data.keys() <= {GRADE, REASON}:
        return Reading(problem="The reply does not have the form of a grade.")
    if data[GRADE] not in [choice.id for choice in criterion.choices]:
        return Reading(problem="The reply's grade is none of the choices.")
    return Reading(grade=data[GRADE])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing duplicate keys, since of two grades neither should count."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("A name appears twice.")
    return dict(pairs)


class Made(NamedTuple):
    """A stored call. ``is_unanswered`` is true if the endpoint gave no answer but may give one later."""

    call: JudgeCall
    is_unanswered: bool


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A judge with the endpoint that serves its model."""

    judge: Judge
    body: JudgeBody
    endpoint: Endpoint
    pool: ThreadPoolExecutor

    def grade(self, pairs: Sequence[tuple[Attempt, Criterion]], *, attack: str = "") -> list[Made]:
        """Make and store one call for each pair, and return the calls in the order of the pairs.

        Raises ``JudgeUnreachable`` if none was answered, since then the endpoint is probably down.
        """
        made = list(self.pool.map(lambda pair: self._call(*pair, attack=attack), pairs))
        JudgeCall.objects.bulk_create([call for call, _ in made])
        failures = [None if failure is None or self._is_of_one(failure) else failure for _, failure in made]
        if failures and failures[-1] is not None and all(failures):
            raise failures[-1]
        return [Made(call, failure is not None) for (call, _), failure in zip(made, failures, strict=True)]

    def _is_of_one(self, failure: JudgeUnreachable) -> bool:
        """Return whether the failure concerns only this attempt, because the endpoint has answered others."""
        return isinstance(failure, UnitRefused) and self.endpoint.has_answered.is_set()

    def _call(
        self, attempt: Attempt, criterion: Criterion, *, attack: str
    ) -> tuple[JudgeCall, JudgeUnreachable | None]:
        request = request_body(self.body, criterion, attempt)
        begun, failure, reply = time.monotonic(), None, Reply(text="")
        try:
            reply = self.endpoint.reply(request)
            reading = grade_read(reply.text, criterion)
        except JudgeUnreachable as error:
            reading, failure = Reading(problem=error.message), error
        call = JudgeCall(
            judge=self.judge,
            episode_id=attempt.episode,
            criterion=criterion.id,
            attack=attack,
            request_sha256=request_sha256(request),
            reply=_storable(reply.text)[:REPLY_CHARS],
            grade=reading.grade,
            problem=_storable(reading.problem)[:PROBLEM_CHARS],
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            took_ms=round((time.monotonic() - begun) * 1000),
        )
        return call, failure


@contextmanager
def caller(
    judge: Judge, body: JudgeBody, endpoint: Endpoint, *, at_once: int = CONCURRENCY
) -> Iterator[Caller]:
    """Open a caller with up to ``at_once`` calls in flight; all have ended when the context exits."""
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            yield Caller(judge=judge, body=body, endpoint=endpoint, pool=pool)
        except BaseException:
            endpoint.is_over.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _storable(text: str) -> str:
    """Drop characters that Postgres cannot store."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
