"""Which cases of a matrix a run takes: a few that cover it, or with ``WHOLE_SITES=1`` every one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import Any

IS_WHOLE = os.environ.get("WHOLE_SITES") == "1"
Case = tuple[Any, ...]


def values(*sides: Iterable[Any], is_whole: bool = IS_WHOLE) -> list[Case]:
    """Cases among which every value of every side is met; side by side, they turn at their own lengths."""
    lists = [list(side) for side in sides]
    if is_whole:
        return list(itertools.product(*lists))
    longest = max(len(side) for side in lists)
    return [tuple(side[turn % len(side)] for side in lists) for turn in range(longest)]


def pairs(*sides: Iterable[Any], is_whole: bool = IS_WHOLE) -> list[Case]:
    """Cases among which any two values of two sides meet; the one that brings most new pairs is next."""
    whole = list(itertools.product(*([*enumerate(side)] for side in sides)))
    if is_whole:
        return [_plain(case) for case in whole]
    open_pairs = {pair for case in whole for pair in _pairs_of(case)}
    chosen = []
    while open_pairs:
        best = max(whole, key=lambda case: len(_pairs_of(case) & open_pairs))
        open_pairs -= _pairs_of(best)
        chosen.append(_plain(best))
    return chosen


def _pairs_of(case: Case) -> set[Case]:
    places = [(side, place) for side, (place, _) in enumerate(case)]
    return set(itertools.combinations(places, 2))


def _plain(case: Case) -> Case:
    return tuple(value for _, value in case)
