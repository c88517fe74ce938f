"""Independent checks of the answers to reasoning-gym's puzzles, based on their questions alone.

Each function is named after a dataset and returns whether an answer follows from a question, or None if it
cannot parse the question. The functions share no code with the generators, so an answer that both give is
right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType

from tests.tasks_app.second_answers import (
    boards,
    grids,
    logic,
    moves,
    numbers,
    patterns,
    pictures,
    rows,
    texts,
)

CHECKS: Mapping[str, Callable[[str, str], bool | None]] = {
    name: check
    for module in (boards, grids, logic, moves, numbers, patterns, pictures, rows, texts)
    for name, check in vars(module).items()
    if isinstance(check, FunctionType) and "answer" in check.__annotations__ and not name.startswith("_")
}
