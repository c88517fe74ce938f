"""Functions that split formulas outside all brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPENINGS = ("\\left", "\\{", "\\langle", "\\lfloor", "\\lceil", "\\begin", "(", "[", "{")
CLOSINGS = ("\\right", "\\}", "\\rangle", "\\rfloor", "\\rceil", "\\end", ")", "]", "}")
FINAL = frozenset([")", "]", "}", "\\}", "\\rangle"])
"""Brackets that can close an answer that is in brackets."""
PIECE = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def split_top(text: str, separators: Sequence[str], *, keep: bool = False) -> list[str]:
    """Split at separators outside all brackets; with ``keep`` the separators stay between the parts.

    Any bracket may close any other, so that half-open intervals stay in one piece.
    """
    parts = [""]
    depth = 0
    position = 0
    while position < len(text):
        separator = "" if depth else _separator_at(text, position, separators)
        token = separator or next(PIECE.finditer(text, position))[0]
        if separator:
            parts += [separator, ""] if keep else [""]
        else:
            depth += _change(token)
            parts[-1] += token
        position += len(token)
    return parts


def closes_at_end(text: str) -> bool:
    """Return whether the bracket that opens the text is closed by the text's last character."""
    depth = 0
    for match in PIECE.finditer(text):
        depth += _change(match[0])
        if depth <= 0:
            return depth == 0 and match.end() == len(text) and match[0] in FINAL
    return False


def _separator_at(text: str, position: int, separators: Sequence[str]) -> str:
    for separator in separators:
        following = text[position + len(separator) : position + len(separator) + 1]
        is_cut_name = separator.startswith("\\") and separator[-1].isalpha() and following.isalpha()
        if text.startswith(separator, position) and not is_cut_name:
            return separator
    return ""


def _change(token: str) -> int:
    return (token in OPENINGS) - (token in CLOSINGS)
