"""The table of doors, which compares what each framework's object contained after the same episodes.

``client/tests/doors/samples.py`` notes the rows while the doors' tests play; ``python -m tests.doors`` prints
the table for ``docs/rewards.md``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

# A judge whose endpoint does not exist, so its grades never arrive.
JUDGE = """
name = "unreachable"
url = "http://127.0.0.1:9/v1"
model = "none"

[[criteria]]
id = "grounded"
kind = "outcome"
question = "Does the answer follow from what the last page shows?"
evidence = ["task", "answer", "last_page"]
choices = [
    { id = "yes", text = "The last page shows it.", counts = "met" },
    { id = "no", text = "The last page shows another thing.", counts = "not_met" },
]
"""
Row = Mapping[str, Any]


def table_of(path: Path) -> str:
    """Return two Markdown tables: the server's payments for the episodes, and what each door got.

    The text is empty if no rows were noted.
    """
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return f"{_paid(rows)}\n\n{_held(rows)}" if rows else ""


def _paid(rows: Sequence[Row]) -> str:
    paid = {row["sample"]: row["paid"] for row in reversed(rows)}
    samples = dict.fromkeys(row["sample"] for row in rows)
    lines = [[name, _number(paid[name]["total"]), _parts(paid[name]["components"])] for name in samples]
    return _markdown(["episode", "total", "components"], lines)


def _held(rows: Sequence[Row]) -> str:
    cells = {(row["door"], row["sample"]): _cell(row) for row in rows}
    doors, samples = (list(dict.fromkeys(row[name] for row in rows)) for name in ("door", "sample"))
    lines = [[door, *(cells.get((door, sample), "") for sample in samples)] for door in doors]
    return _markdown(["door", *samples], lines)


def _cell(row: Row) -> str:
    """Format a door's number, and how many of the components came with it, including those that are null."""
    parts, components = row["parts"], row["paid"]["components"]
    number = row["number"] if isinstance(row["number"], str) else _number(row["number"])
    if parts is None:
        return f"{number}; no parts"
    wrong = {name: value for name, value in parts.items() if not _is_same(value, components.get(name, ...))}
    if wrong:
        return f"{number}; **other parts**: {_parts(wrong)}"
    return f"{number}; {len(parts)} of {len(components)} parts"


def _is_same(held: float | None, paid: Any) -> bool:
    """Return whether two values are equal, except for the precision of a framework's numbers."""
    return (
        held is paid if None in (held, paid) else paid is not ... and math.isclose(held, paid, rel_tol=1e-6)
    )


def _parts(parts: Mapping[str, float | None]) -> str:
    return ", ".join(f"`{name}` {_number(value)}" for name, value in parts.items())


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.4g}"


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (heads, *rows)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])
