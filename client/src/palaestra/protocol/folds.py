"""Folding of outlines: sections that a conversation already shows are replaced by one line each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from palaestra.protocol.outline import line_depth

SHOWN_ABOVE = "unchanged, shown above"
FOLD_CHARS = 100
"""Shorter sections are not folded, because the line in their place would hardly be shorter."""
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
"""Roles of sections that frame a page. Articles and list items are never folded."""


class _Section(NamedTuple):
    """The lines from ``start`` up to ``end`` of an outline; ``text`` has their common indentation removed."""

    start: int
    end: int
    text: str


def sections_of(outline: str) -> frozenset[str]:
    """Return the sections of an outline that a later one may fold, without their indentation."""
    return frozenset(section.text for section in _sections(outline))


def outline_folded(outline: str, above: Collection[str]) -> str:
    """Replace each section of an outline that is, word for word, among those ``above`` with one line."""
    lines = outline.split("\n")
    folded: list[str] = []
    at = 0
    for section in _sections(outline):
        if section.start >= at and section.text in above:
            folded += lines[at : section.start]
            folded.append(f"{lines[section.start].rstrip(':')}: {SHOWN_ABOVE}")
            at = section.end
    return "\n".join(folded + lines[at:])


# Cached, because a conversation folds all of its outlines again in every turn.
@lru_cache(maxsize=OUTLINES_CACHED)
def _sections(outline: str) -> tuple[_Section, ...]:
    """Return the sections that may be folded, from top to bottom, each before the sections inside it."""
    lines = outline.split("\n")
    sections = (
        _Section(start, end, _without_indent(lines[start:end]))
        for start, end in enumerate(_ends(lines))
        if _is_section(lines, start, end)
    )
    return tuple(section for section in sections if len(section.text) >= FOLD_CHARS)


def _is_section(lines: Sequence[str], start: int, end: int) -> bool:
    return end > start + 1 and lines[start].lstrip().partition(" ")[0].rstrip(":") in ROLES


def _without_indent(lines: Sequence[str]) -> str:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def _ends(lines: Sequence[str]) -> list[int]:
    """Return, for each line, the number of the first later line that is not nested in it."""
    depths = [line_depth(line) for line in lines]
    ends = [len(lines)] * len(lines)
    open_lines: list[int] = []
    for number, depth in enumerate(depths):
        while open_lines and depths[open_lines[-1]] >= depth:
            ends[open_lines.pop()] = number
        open_lines.append(number)
    return ends
