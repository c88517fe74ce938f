"""Blocks of thought between marks, which are cut out of a completion."""

from __future__ import annotations

import re
from collections.abc import Sequence

from palaestra.thoughts.marks import Mark, Tags, marks_read, match_ends

_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
_LINE_BREAK = re.compile(r"\n")


def blocks_cut(text: str, *, tags: Sequence[Tags], is_begun: bool) -> tuple[list[str], str]:
    """Return the blocks of thought in a text, in order, and the remaining text."""
    marks = marks_read(text, tags=tags)
    ends = match_ends(marks)
    with_beginning = {end.begin for end in ends.values()}
    thoughts, rest, position, fence = list[str](), list[str](), 0, _Fence(text)
    for mark in marks:
        if mark.begin < position or fence.is_open(position, mark.begin):
            continue
        passed = text[position : mark.begin]
        if mark.is_end:
            is_begun = is_begun or bool(thoughts)
            if mark.begin not in with_beginning and _is_lone_end(mark, is_begun=is_begun):
                thoughts.append("".join([*rest, passed]))
                rest, position = [], mark.end
        elif _is_beginning(mark, ends.get(mark.begin), is_first=not passed.strip()):
            end = ends.get(mark.begin)
            if passed.strip():
                rest.append(passed if passed.endswith("\n") else f"{passed}\n")
            thoughts.append(text[mark.end : end.begin if end else None])
            position = end.end if end else len(text)
    return thoughts, "".join([*rest, text[position:]])


def _is_beginning(mark: Mark, end: Mark | None, *, is_first: bool) -> bool:
    """Return whether ``mark`` begins a block that ends at ``end``; ``is_first``: no text comes before it."""
    if is_first or mark.begins_line:
        return True
    if mark.is_value:
        return False
    if end is not None and end.line > mark.line:
        return True
    if mark.is_declared:
        return False
    if end is not None:
        return mark.is_glued and end.is_glued
    return mark.ends_line or (mark.follows_sentence and mark.is_glued)


def _is_lone_end(mark: Mark, *, is_begun: bool) -> bool:
    """Return whether ``mark`` ends a thought that the chat template began.

    If another thought was found before (``is_begun``), the mark must begin or end its line.
    """
    if mark.is_value:
        return False
    return not is_begun or ((mark.begins_line or mark.ends_line) and not mark.is_declared)


class _Fence:
    """The state of fenced code blocks in a text, read from front to back."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._mark = text, 0, ""

    def is_open(self, start: int, position: int) -> bool:
        """Return whether a code block is open at ``position``, given that none is open at ``start``."""
        first = [start] if start >= self._at else []
        breaks = _LINE_BREAK.finditer(self._text, max(self._at, start), position)
        for line in [*first, *(match.end() for match in breaks)]:
            fence = _FENCE.match(self._text, line, position)
            if fence is None:
                continue
            if not self._mark:
                self._mark = fence["mark"]
            elif fence["mark"].startswith(self._mark) and not fence["info"].strip():
                self._mark = ""
        self._at = position
        return bool(self._mark)
