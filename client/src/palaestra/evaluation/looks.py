"""Looks as experimental factors: an evaluation's looks, and their assignment to the items' samples."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from palaestra.errors import PalaestraError
from palaestra.protocol import looks
from palaestra.protocol.looks import Axis, PageKind, Value, axes_of

Look = Mapping[str, Value]
Design = Literal["latin", "full", "one_factor"]

DESIGNS: tuple[Design, ...] = get_args(Design)
LOOKS_MAX = 200

AXES: Mapping[str, Axis] = {name: axis for name, axis in looks.AXES.items() if axis.pages}
"""The axes that an evaluation may vary, which are those whose values are drawn."""


def factors_check(factors: Mapping[str, Iterable[Value]], *, where: str) -> None:
    """Raise ``PalaestraError`` for an unknown axis of looks, or an unknown value of an axis."""
    for name, values in factors.items():
        known = AXES[name].values if name in AXES else ()
        if unknown := [value for value in values if value not in known]:
            named = ", ".join(map(str, known or AXES))
            raise PalaestraError(f"{where}: there is no look with {name} {unknown[0]!r}. Known: {named}.")


def looks_make(
    design: Design, *, count: int | None, factors: Mapping[str, Sequence[Value]], seed: int
) -> list[Look]:
    """Return a design's looks, each with a value for every axis; axes that are not factors stay neutral.

    ``latin`` makes ``count`` looks in which the values of each factor occur equally often, up to rounding.
    ``full`` makes every combination. ``one_factor`` makes the neutral look, and then one look for each other
    value. Raises ``PalaestraError`` if there are more than ``LOOKS_MAX`` looks, or not ``count`` of them.
    """
    neutral = {name: axis.values[0] for name, axis in AXES.items()}
    makers = {"latin": _make_latin, "full": _make_full, "one_factor": _make_one_factor}
    size = _count_looks(design, count=count, factors=factors)
    if size > LOOKS_MAX:
        raise PalaestraError(f"The design {design} has {size:,} looks: name fewer factors (--factors).")
    if count not in (None, size):
        raise PalaestraError(f"The design {design} of these factors has {size} looks, not {count}.")
    return [{**neutral, **chosen} for chosen in makers[design](size, factors, seed)]


def _count_looks(design: Design, *, count: int | None, factors: Mapping[str, Sequence[Value]]) -> int:
    if design == "latin":
        return count or 1
    counts = [len(values) for values in factors.values()]
    return math.prod(counts) if design == "full" else 1 + sum(counts) - len(counts)


def _make_latin(size: int, factors: Mapping[str, Sequence[Value]], seed: int) -> list[dict[str, Value]]:
    columns = {}
    for name, values in factors.items():
        rng = random.Random(f"{seed}:{name}")
        cycle = rng.sample(list(values), len(values))
        columns[name] = [value for value, _ in zip(itertools.cycle(cycle), range(size), strict=False)]
        rng.shuffle(columns[name])
    return [{name: column[row] for name, column in columns.items()} for row in range(size)]


def _make_full(_: int, factors: Mapping[str, Sequence[Value]], seed: int) -> list[dict[str, Value]]:
    combinations = [
        dict(zip(factors, chosen, strict=True)) for chosen in itertools.product(*factors.values())
    ]
    random.Random(f"{seed}:full").shuffle(combinations)
    return combinations


def _make_one_factor(_: int, factors: Mapping[str, Sequence[Value]], seed: int) -> list[dict[str, Value]]:
    alone: list[dict[str, Value]] = [
        {name: value} for name, values in factors.items() for value in values if value != AXES[name].values[0]
    ]
    random.Random(f"{seed}:one_factor").shuffle(alone)
    return [{}, *alone]


def look_digest(look: Look, page: PageKind) -> str:
    """Return the ``presentation_hash`` of an episode whose pages have this look."""
    return looks.look_hash({name: look[name] for name in axes_of(page)})


def assign_looks(count: int, *, samples: int, items: int, seed: int) -> list[list[int]]:
    """Return, for each item, the indexes of its samples' looks.

    Each item takes ``samples`` consecutive looks from a different start (a cyclic incomplete block design),
    so that every look is used for the same number of items, up to rounding.
    """
    starts = [item % count for item in range(items)]
    random.Random(f"{seed}:starts").shuffle(starts)
    return [[(start + sample) % count for sample in range(samples)] for start in starts]
