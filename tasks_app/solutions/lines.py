"""Cutting of solutions that have one step on each line, as GSM8K's do."""

from __future__ import annotations

import re

LINE = re.compile(r"\s*[^\n]*\S[^\n]*(?:\n\s*\Z)?\n?")


def cut(solution: str) -> list[str]:
    """Return the lines, each with its line break; blank ones belong to the line after them.

    Joined they are the solution.
    """
    return LINE.findall(solution)
