"""Whether the page that a person is shown is the one that the agent of the parent was shown."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

LINES_MAX, LINE_CHARS = 6, 60
# What an outline that was cut says in place of lines, and a text that was too long to be stored at its end.
GAP = re.compile(
    r" *\.\.\. [\d,]+ more characters\b.*: read .* or scroll|\(cut here: \d+ characters in all\)"
)


def lines_differing(recorded: str, shown: str) -> list[str]:
    """The first lines that differ, those that are gone with "-" and those that are new with "+".

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
    """The lines between those that stand for lines left out."""
    parts: list[list[str]] = [[]]
    for line in recorded.split("\n"):
        if GAP.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _holds(lines: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Whether the lines are these parts in this order, with any lines between them."""
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
