"""The table in ``docs/oracle.md`` of tasks that the scripted oracle solved: steps by task and set-up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

UNSOLVED = "no"
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def table_update(text: str, solved: Mapping[str, Mapping[str, object]], columns: Sequence[str]) -> str:
    """Update the table in a page: ``solved`` rows replace the rows with the same name."""
    lines = [f"| solved | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    rows = {
        name: f"| {name} | {' | '.join(str(steps.get(column, UNSOLVED)) for column in columns)} |"
        for name, steps in solved.items()
    }
    before = TABLE.search(text)
    earlier = before[0].splitlines() if before else []
    if earlier[:2] == lines:
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in earlier[2:]} | rows
    table = "\n".join([*lines, *(rows[name] for name in sorted(rows))]) + "\n"
    return text[: before.start()] + table + text[before.end() :] if before else text + table


def table_store(path: Path, solved: Mapping[str, Mapping[str, object]], columns: Sequence[str]) -> None:
    text = path.read_text("utf-8") if path.exists() else ""
    path.write_text(table_update(text, solved, columns), "utf-8")
