"""Sections of an outline that a conversation holds already: one line stands for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from palaestra.observation.outline import line_depth

SHOWN_ABOVE = "unchanged, shown above"
FOLD_CHARS = 100
"""A shorter section stands as it is: the line in its place would be hardly shorter."""
OUTLINES_CACHED = 256
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
"""Roles of what frames a page. Its articles and list items always stand whole."""


@lru_cache(maxsize=OUTLINES_CACHED)
def sections_of(outline: str) -> frozenset[str]:
    """The sections of an outline that a later one may fold, each without the indentation of its place."""
    lines = outline.split("\n")
    ends = _ends(lines)
    return frozenset(
        section
        for start, end in enumerate(ends)
        if _is_section(lines, start, end) and len(section := _section(lines[start:end])) >= FOLD_CHARS
    )


def outline_folded(outline: str, above: Collection[str]) -> str:
    """The outline with a line in place of each section that is among those ``above``, word for word."""
    return "\n".join(_folded(outline.split("\n"), above))


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
    """For each line the number of the first one after it that is not inside of it."""
    ends = [len(lines)] * len(lines)
    open_lines: list[int] = []
    for number, line in enumerate(lines):
        while open_lines and line_depth(lines[open_lines[-1]]) >= line_depth(line):
            ends[open_lines.pop()] = number
        open_lines.append(number)
    return ends
