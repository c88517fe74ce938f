"""Which looks an item is checked in."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from gymsite.core.presentation import ALL_LOOKS, ASKED_LOOKS, Look, look_read

WORDING = "wording"
# The question kinds whose pages an editor changes.
EDITED_KINDS = frozenset({"code"})
EDITORS = tuple(str(editor) for editor in ASKED_LOOKS["editor"])


def every_look(kind: str = "") -> list[Look]:
    """The full product of the axes that a question kind's pages have."""
    drawn = [look_read(dict(zip(ALL_LOOKS, values, strict=True))) for values in product(*ALL_LOOKS.values())]
    return [replace(look, editor=editor) for editor in _editors(kind) for look in drawn]


def covering_looks(item: int, kind: str = "") -> list[Look]:
    """As many looks as the longest axis has values, in which every value of every axis occurs.

    Items that follow each other start elsewhere in each axis, so that together they meet every look.
    """
    count = max(len(values) for values in ALL_LOOKS.values())
    editors = _editors(kind)
    starts: dict[str, int] = {}
    turn = item
    for axis, values in ALL_LOOKS.items():
        # The wording starts at its first value: the others turn around it.
        turn, starts[axis] = (turn, 0) if axis == WORDING else divmod(turn, len(values))
    looks = [
        look_read({axis: values[(starts[axis] + n) % len(values)] for axis, values in ALL_LOOKS.items()})
        for n in range(count)
    ]
    # An editor stays for two looks, so that it meets both themes.
    return [replace(look, editor=editors[n // 2 % len(editors)]) for n, look in enumerate(looks)]


def _editors(kind: str) -> tuple[str, ...]:
    return EDITORS if kind in EDITED_KINDS else EDITORS[:1]
