"""Comparison of the page shown to a person with the page shown to the parent's agent."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

LINES_MAX, LINE_CHARS = 6, 60
# Stands for omitted lines in a cut outline, and ends a text that was too long to be stored.
GAP = re.compile(
    r" *\.\.\. [\d,]+ more characters\b.*: read .* or scroll|\(cut here: \d+ characters in all\)"
)


def compare_lines(recorded: str, shown: str) -> list[str]:
    """List the first lines that differ: missing ones with "-", new ones with "+".

    ``recorded`` may have been cut: where lines were left out of it, any may stand in ``shown``. Nothing is
    compared where it is empty.
    """
    parts = _parts(recorded)
    lines = shown.split("\n")
    if not recorded or _holds(lines, parts):
        return []
    if len(parts) == 1:
        differing = difflib.unified_diff(parts[0], lines, lineterm="", n=0)
        new = [line for line in differing if not line.startswith(("---", "+++", "@@"))]
    else:
        new = [f"-{line}" for part in parts for line in part if line not in lines]
    return [line[:LINE_CHARS] for line in new][:LINES_MAX] or ["its lines have another order"]


def _parts(recorded: str) -> list[list[str]]:
    """Split at the lines that stand for omitted ones."""
    parts: list[list[str]] = [[]]
    for line in recorded.split("\n"):
        if GAP.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _holds(lines: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Return whether the lines are these parts in this order, with any lines between them."""
    first, *others = parts
    if len(parts) == 1:
        return list(lines) == list(first)
    if list(lines[: len(first)]) != list(first):
        return False
    at, end = len(first), len(lines) - len(others[-1])
    for part in others[:-1]:
        places = (place for place in range(at, end) if list(lines[place : place + len(part)]) == list(part))
        place = next(places, None)
        if place is None:
            return False
        at = place + len(part)
    return at <= end and list(lines[end:]) == list(others[-1])
