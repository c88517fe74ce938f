"""Shortened outlines: repeated sections collapsed to one line, or only the changes.

The client, which sends it, has the same rules in ``palaestra.observation``; a test holds both equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

SHOWN_ABOVE = "unchanged, shown above"
CHANGED = "Changed since the page above (+ new, - gone; all other lines are as they were):"
# A shorter section stands as it is.
FOLD_CHARS = 100
# So many lines that are gone are listed one by one.
GONE_LINES = 3
GONE_CHARS = 80
INDENT = 2
ROLES = frozenset(
    (
        "banner",
        "complementary",
        "contentinfo",
        "form",
        "group",
        "navigation",
        "region",
        "search",
        "table",
        "preformatted",
    )
)


def sections_of(outline: str) -> frozenset[str]:
    """Return the sections of an outline that a later one may fold, without indentation."""
    lines = outline.split("\n")
    ends = _ends(lines)
    return frozenset(
        section
        for start, end in enumerate(ends)
        if _is_section(lines, start, end) and len(section := _section(lines[start:end])) >= FOLD_CHARS
    )


def outline_folded(outline: str, above: Collection[str]) -> str:
    """Return the outline with one line in place of each section found in ``above``."""
    return "\n".join(_folded(outline.split("\n"), above))


def outline_diff(before: str, after: str) -> str:
    """Return the changes: empty without any, ``after`` itself if it is shorter or of another page."""
    if before == after:
        return ""
    old, new = before.split("\n"), after.split("\n")
    if _address(old[0]) != _address(new[0]):
        return after
    difference = "\n".join([new[0], CHANGED, *_changes(old[1:], new[1:])])
    return difference if len(difference) < len(after) else after


def _folded(lines: Sequence[str], above: Collection[str]) -> Iterator[str]:
    ends, at = _ends(lines), 0
    while at < len(lines):
        is_folded = _is_section(lines, at, ends[at]) and _section(lines[at : ends[at]]) in above
        yield f"{lines[at].rstrip(':')}: {SHOWN_ABOVE}" if is_folded else lines[at]
        at = ends[at] if is_folded else at + 1


def _is_section(lines: Sequence[str], start: int, end: int) -> bool:
    return end > start + 1 and lines[start].lstrip().partition(" ")[0].rstrip(":") in ROLES


def _section(lines: Sequence[str]) -> str:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def _ends(lines: Sequence[str]) -> list[int]:
    """Return for each line the number of the first line after it that is not nested in it."""
    depths = [(len(line) - len(line.lstrip(" "))) // INDENT for line in lines]
    ends = [len(lines)] * len(lines)
    open_lines: list[int] = []
    for number, depth in enumerate(depths):
        while open_lines and depths[open_lines[-1]] >= depth:
            ends[open_lines.pop()] = number
        open_lines.append(number)
    return ends


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
    """Return the ancestors of a line, outermost first."""
    outer: list[str] = []
    depth = _spaces(lines[number])
    for line in reversed(lines[:number]):
        if _spaces(line) < depth:
            outer.insert(0, line)
            depth = _spaces(line)
    return outer


def _address(head: str) -> str:
    return head.rpartition(" ")[2].partition("?")[0]


def _spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
