"""Which looks an item is checked in."""

from __future__ import annotations

from itertools import product

from gymsite.core.presentation import ALL_LOOKS, Look, look_read

WORDING = "wording"


def every_look() -> list[Look]:
    """The full product of the axes."""
    return [look_read(dict(zip(ALL_LOOKS, values, strict=True))) for values in product(*ALL_LOOKS.values())]


def covering_looks(item: int) -> list[Look]:
    """As many looks as the longest axis has values, in which every value of every axis occurs.

    Items that follow each other start elsewhere in each axis, so that together they meet every look.
    """
    count = max(len(values) for values in ALL_LOOKS.values())
    starts: dict[str, int] = {}
    turn = item
    for axis, values in ALL_LOOKS.items():
        # The wording starts at its first value: the others turn around it.
        turn, starts[axis] = (turn, 0) if axis == WORDING else divmod(turn, len(values))
    return [
        look_read({axis: values[(starts[axis] + n) % len(values)] for axis, values in ALL_LOOKS.items()})
        for n in range(count)
    ]
