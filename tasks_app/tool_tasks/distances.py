"""Distances of arguments from acceptable ones, from 0 for equal values to 1."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from difflib import SequenceMatcher
from fractions import Fraction
from typing import Literal, get_args

from tasks_app.tool_tasks.types import Acceptable, Call, Node
from tasks_app.tools import calls
from tasks_app.tools.data import ToolData
from tasks_app.tools.types import Field, ToolError

DAYS_FAR = 30
"""Number of days by which dates at the greatest distance differ."""
MINUTES_FAR = 12 * 60
LEAST = 0.05
"""Minimum distance of values that differ."""
Fault = Literal["missing", "extra", "other"]
"""An argument that is missing, that the tool has no field for, or whose value is not acceptable."""
FAULTS: tuple[Fault, ...] = get_args(Fault)


def argument_distances(node: Node, call: Call, data: ToolData) -> Mapping[str, float]:
    """Measure the distance for each field of the node's tool; it is 1 for a missing argument."""
    return {
        field.name: min(
            (
                _distance(field, value, call.arguments.get(field.name, ""), data)
                for value in _values(node, field)
            ),
            default=1.0,
        )
        for field in calls.get_tool(node.tool).fields
    }


def argument_faults(call: Call, distances: Mapping[str, float]) -> Mapping[str, Fault]:
    """Classify the arguments of a call that differ; ``distances`` are the call's own, by field."""
    faults: dict[str, Fault] = {
        name: "other" if _is_given(call, name) else "missing" for name, far in distances.items() if far
    }
    return {**faults, **dict.fromkeys(call.arguments.keys() - distances.keys(), "extra")}


def _is_given(call: Call, name: str) -> bool:
    return bool(call.arguments.get(name, "").strip())


def _values(node: Node, field: Field) -> Acceptable:
    return node.arguments.get(field.name, ())


def _distance(field: Field, expected: str, given: str, data: ToolData) -> float:
    if not given.strip():
        return 1.0
    right = field.read(expected, data)
    try:
        value = field.read(calls.argument_text(given), data)
    except ToolError:
        return max(LEAST, _of_texts(expected, given))
    return 0.0 if value == right else min(1.0, max(LEAST, _of_values(field, right, value)))


def _of_values(field: Field, right: str, value: str) -> float:
    match field.kind:
        case "number":
            first, other = Fraction(right), Fraction(value)
            return float(abs(first - other) / max(abs(first), abs(other)))
        case "date":
            return abs((date.fromisoformat(right) - date.fromisoformat(value)).days) / DAYS_FAR
        case "time":
            return abs(_minutes(right) - _minutes(value)) / MINUTES_FAR
        case "choice":
            return 1.0
        case _:
            return _of_texts(right, value)


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _of_texts(first: str, other: str) -> float:
    """Return the share of characters that differ, ignoring case."""
    return 1.0 - SequenceMatcher(None, first.casefold(), other.casefold(), autojunk=False).ratio()
