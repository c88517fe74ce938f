"""Rows and columns of TeX in one line: ``[1, 2; 3, 4]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trajectories.lab.text.formulas import signs
from trajectories.lab.text.formulas.pieces import Piece

PAUSES = ",; "
CONDITION = re.compile(r"[a-z]{2}")


def told(name: str, rows: Sequence[Sequence[str]]) -> Piece:
    """The cells of the environment ``name``; lines of any that is not known stand one after another."""
    filled = [row for row in rows if any(row)]
    if name in signs.CASES:
        return Piece("{" + _lines([[_case(row)] for row in filled]))
    if name in signs.BARE_GRIDS:
        return Piece(_cells(filled), "rows")
    if name in signs.MATRICES:
        return Piece(f"[{_cells(filled)}]")
    if name in signs.DETERMINANTS:
        return Piece(f"|{_cells(filled)}|")
    return Piece(_lines(filled))


def _case(row: Sequence[str]) -> str:
    """A value and its condition, which may begin with a word of its own: ``x if y``, ``2, x=1``."""
    value, *conditions = (cell.rstrip(PAUSES) for cell in row)
    told = (f"{' ' if CONDITION.match(one) else ', '}{one}" for one in conditions if one)
    return value + "".join(told)


def _cells(rows: Sequence[Sequence[str]]) -> str:
    return "; ".join(", ".join(cell.rstrip(PAUSES) for cell in row) for row in rows)


def _lines(rows: Sequence[Sequence[str]]) -> str:
    lines = [" ".join(filter(None, row)) for row in rows]
    return "; ".join([*(line.rstrip(PAUSES) for line in lines[:-1]), *lines[-1:]])
