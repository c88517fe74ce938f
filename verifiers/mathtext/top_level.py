"""Splitting a formula where no bracket is open."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPENINGS = ("\\left", "\\{", "\\langle", "\\lfloor", "\\lceil", "\\begin", "(", "[", "{")
CLOSINGS = ("\\right", "\\}", "\\rangle", "\\rfloor", "\\rceil", "\\end", ")", "]", "}")
PIECE = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def split_top(text: str, separators: Sequence[str], *, keep: bool = False) -> list[str]:
    """The parts between separators outside all brackets; with ``keep`` the separators stand between them.

    Any bracket may close any other, so that half-open intervals split as they read.
    """
    parts = [""]
    depth = 0
    position = 0
    while position < len(text):
        separator = _separator_at(text, position, separators) if depth == 0 else ""
        if separator:
            parts += [separator, ""] if keep else [""]
            position += len(separator)
            continue
        piece = PIECE.match(text, position)
        token = piece[0] if piece else text[position]
        depth += _change(token)
        parts[-1] += token
        position += len(token)
    return parts


def closes_at_end(text: str) -> bool:
    """Whether the bracket that opens the text closes exactly at its end."""
    depth = 0
    position = 0
    for match in PIECE.finditer(text):
        depth += _change(match[0])
        position = match.end()
        if depth <= 0:
            break
    return (depth == 0 and position == len(text) and len(text) > 1 and _change(text[-1]) < 0) or (
        depth == 0 and position == len(text) and text.endswith(("\\rangle", "\\}"))
    )


def _separator_at(text: str, position: int, separators: Sequence[str]) -> str:
    for separator in separators:
        if not text.startswith(separator, position):
            continue
        following = text[position + len(separator) : position + len(separator) + 1]
        if separator.startswith("\\") and separator[-1].isalpha() and following.isalpha():
            continue
        return separator
    return ""


def _change(token: str) -> int:
    return (token in OPENINGS) - (token in CLOSINGS)
