"""The grade in a judge's reply. A reply must be exactly one grade.

Replies may repeat what an agent wrote, so a grade is never searched for in a text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from trajectories.judges.prompt import GRADE, REASON
from trajectories.judges.types import Criterion

OPENED, CLOSED = "<think>", "</think>"
THOUGHTS = re.compile(rf"\A{OPENED}.*?{CLOSED}", re.DOTALL)
FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


class Reading(NamedTuple):
    """A grade, or why there is none."""

    grade: str = ""
    problem: str = ""


def grade_read(reply: str, criterion: Criterion) -> Reading:
    """The grade of a reply that is one JSON object, after at most one block of thoughts."""
    text = reply.strip()
    if not text:
        return Reading(problem="The reply is empty.")
    if text.startswith(OPENED):
        if text.count(CLOSED) != 1:
            return Reading(problem="The end of its thoughts is not clear.")
        text = THOUGHTS.sub("", text).strip()
    if fenced := FENCE.match(text):
        text = fenced.group(1)
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Reading(problem="The reply is not one JSON object.")
    return _grade_of(data, criterion)


def _grade_of(data: Any, criterion: Criterion) -> Reading:
    if not isinstance(data, dict) or GRADE not in data or not data.keys() <= {GRADE, REASON}:
        return Reading(problem="The reply has another form than that of a grade.")
    if data[GRADE] not in [choice.id for choice in criterion.choices]:
        return Reading(problem="Its grade is none of the choices.")
    return Reading(grade=data[GRADE])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without duplicate keys: of two grades neither counts."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("A name stands twice.")
    return dict(pairs)
