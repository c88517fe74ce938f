"""The changes between two outlines of the same page, as shown to a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from palaestra.protocol.outline import strip_ids

CHANGED = "Changed since the page above (+ new, - gone; all other lines are as they were):"
GONE_LINES = 3
"""Up to this many removed lines are listed one by one."""
GONE_CHARS = 80


def lines_new(before: str, after: str) -> set[int]:
    """Return the numbers of the lines in ``after`` that ``before`` lacks, ignoring ids and indentation."""
    known = {_bare(line) for line in before.split("\n")}
    return {number for number, line in enumerate(after.split("\n")) if _bare(line) not in known}


def outline_diff(before: str, after: str) -> str:
    """Return the changes from one outline to the next, or an empty string if there are none.

    The result begins with the page's own line. Every new line is given, together with the lines that it is
    nested in. If ``after`` is shorter or belongs to another page, it is returned itself. Pages whose URLs
    differ only in their query are the same page.
    """
    if before == after:
        return ""
    old, new = before.split("\n"), after.split("\n")
    if _address(old[0]) != _address(new[0]):
        return after
    difference = "\n".join([new[0], CHANGED, *_changes(old[1:], new[1:])])
    return difference if len(difference) < len(after) else after


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    context: list[str] = []
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        inside = _inside_of(new, begin) if begin < stop else []
        yield from (f"  {line}" for line in inside if line not in context)
        context = inside or context
        yield from _gone(old[start:end])
        yield from (f"+ {line}" for line in new[begin:stop])


def _gone(lines: Sequence[str]) -> list[str]:
    shown = [f"- {line[:GONE_CHARS]}{'...' if len(line) > GONE_CHARS else ''}" for line in lines]
    if len(lines) <= GONE_LINES:
        return shown
    return [shown[0], f"- ... and {len(lines) - 1} more lines after it"]


def _inside_of(lines: Sequence[str], number: int) -> list[str]:
    """Return the lines that a line is nested in, the outermost first."""
    outer: list[str] = []
    depth = _depth(lines[number])
    for line in reversed(lines[:number]):
        if _depth(line) < depth:
            outer.insert(0, line)
            depth = _depth(line)
    return outer


def _address(head: str) -> str:
    return head.rpartition(" ")[2].partition("?")[0]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bare(line: str) -> str:
    return strip_ids(line).strip()
