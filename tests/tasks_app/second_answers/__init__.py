"""Second ways to the answers of reasoning-gym's puzzles, from their questions alone.

Each function is named after a dataset and says whether an answer follows from a question; None where a
question is of a form that it does not read. They share no code with the generators: an answer that both
give is right.
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
