"""Cutting of solutions that have one step per line, as GSM8K's do."""

from __future__ import annotations

import re

LINE = re.compile(r"\s*[^\n]*\S[^\n]*(?:\n\s*\Z)?\n?")


def cut(solution: str) -> list[str]:
    """Return the lines with their line breaks; a blank line belongs to the line after it.

    Joined, the lines give the solution.
    """
    return LINE.findall(solution)
