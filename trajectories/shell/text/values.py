"""Answers that consist of several values, each with the name of its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from verifiers import denotations

# An answer may have any number of values, and more than this would fill a page.
VALUES_MOST = 100


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of an answer. ``given`` is None if missing; ``expected`` also if the reader may not see golds.

    An additional value, for which the task has no field, has an empty ``field``.
    """

    field: str
    given: str | None
    expected: str | None = None


def fields_of(task: Any) -> list[str]:
    """Return the names of the values that a task asks for, as on its page; empty for a single value."""
    return name_fields(task.payload if isinstance(task.payload, Mapping) else {})


def name_fields(payload: Mapping[str, Any]) -> list[str]:
    return [str(name) for name in payload.get("fields", ())]


def values_of(
    fields: Sequence[str], *, given: str | Sequence[str], expected: str | Sequence[str] = ()
) -> list[Value]:
    """Return the values in the order of the fields. As in verifiers, ``|`` separates the values in a text.

    The list is empty for a task without fields, and for more than ``VALUES_MOST`` values, which are shown as
    one text.
    """
    if not fields:
        return []
    rows = list(zip_longest(fields, _items(given), _items(expected)))
    if len(rows) > VALUES_MOST:
        return []
    return [Value(field=field or "", given=value or None, expected=gold) for field, value, gold in rows]


def _items(answer: str | Sequence[str]) -> list[str]:
    """Return an answer's values; an empty string has none."""
    if isinstance(answer, str):
        return denotations.split_cell(answer) if answer else []
    return [str(value) for value in answer]


def numeral(value: float, specification: str) -> str:
    """Return ``format(value, specification)`` with a minus sign instead of a hyphen."""
    return format(value, specification).replace("-", "−")
