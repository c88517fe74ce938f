"""Choice of the looks in which an item is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, count, product

from core.draws import Draws
from core.episodes.presentation import AXES as ALL_AXES
from core.episodes.presentation import AXES_DRAWN, Look, look_read, look_rotate
from palaestra.protocol.looks import Value
from tasks_app import kinds

# Question kinds whose pages an editor changes.
EDITORS = tuple(str(editor) for editor in ALL_AXES["editor"])
AXES = AXES_DRAWN["question"]

Pair = frozenset[tuple[str, Value]]


def covering_looks(item: int, kind: str = "") -> list[Look]:
    """Choose as many looks as the longest axis has values, so that every value of every axis occurs.

    Each item starts at a different value of each axis, so that the items together cover more looks.
    """
    draws = Draws("covering looks", item)
    starts = {axis: draws.whole(0, len(values) - 1) for axis, values in AXES.items()}
    longest = max(len(values) for values in AXES.values())
    looks = [
        look_read({axis: values[(starts[axis] + n) % len(values)] for axis, values in AXES.items()})
        for n in range(longest)
    ]
    # Each editor is used for two looks in a row, so that it occurs with both themes.
    editors = _editors(kind)
    return [replace(look, editor=editors[n // 2 % len(editors)]) for n, look in enumerate(looks)]


def pairing_looks(kind: str = "") -> list[Look]:
    """Choose looks that cover every pair of values of two axes; there are a million full combinations."""
    return [replace(look, editor=editor) for editor in _editors(kind) for look in _pairing()]


@lru_cache(maxsize=1)
def _pairing() -> tuple[Look, ...]:
    missing = {
        frozenset(((axis, first), (other, second)))
        for axis, other in combinations(AXES, 2)
        for first, second in product(AXES[axis], AXES[other])
    }
    looks = []
    for look in _rotation():
        met = _pairs(look) & missing
        if met:
            missing -= met
            looks.append(look)
        if not missing:
            break
    return tuple(looks)


def _rotation() -> Iterator[Look]:
    return (look_rotate(seed=0, place=index, fixed={}) for index in count())


def _pairs(look: Look) -> set[Pair]:
    return {frozenset(pair) for pair in combinations(look.as_dict().items(), 2)}


def _editors(kind: str) -> tuple[str, ...]:
    return EDITORS if kind == kinds.CODE else EDITORS[:1]
