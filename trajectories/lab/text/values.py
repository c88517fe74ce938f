"""An answer of several values, each under the name of the field that asked for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from verifiers import denotations

# Whoever answers chooses how many there are: more would fill a page.
VALUES_MOST = 100


@dataclass(frozen=True, kw_only=True)
class Value:
    """``given`` is None where nothing was, ``expected`` also for those who may not see golds.

    A value that no field asks for has an empty ``field``.
    """

    field: str
    given: str | None
    expected: str | None = None


def fields_of(task: Any) -> list[str]:
    """The names of the values that a task asks for, as the page shows them; empty where it asks for one."""
    return fields_named(task.payload if isinstance(task.payload, Mapping) else {})


def fields_named(payload: Mapping[str, Any]) -> list[str]:
    return [str(name) for name in payload.get("fields", ())]


def values_of(
    fields: Sequence[str], *, given: str | Sequence[str], expected: str | Sequence[str] = ()
) -> list[Value]:
    """The values in the order of the fields, as verifiers read them: a text is a cell, ``|`` between values.

    Empty for a task without fields, and for more than ``VALUES_MOST``, which are shown as one text.
    """
    if not fields:
        return []
    rows = list(zip_longest(fields, _items(given), _items(expected)))
    if len(rows) > VALUES_MOST:
        return []
    return [Value(field=field or "", given=got or None, expected=want) for field, got, want in rows]


def _items(answer: str | Sequence[str]) -> list[str]:
    """An empty text is no value: that of an answer which nobody could read."""
    if isinstance(answer, str):
        return denotations.items_of(answer) if answer else []
    return [str(value) for value in answer]
