"""The choice of cases from a matrix: a few that cover it, or all of them with ``WHOLE_SITES=1``."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import Any

IS_WHOLE = os.environ.get("WHOLE_SITES") == "1"
Case = tuple[Any, ...]


def values(*sides: Iterable[Any], is_whole: bool = IS_WHOLE) -> list[Case]:
    """Return the fewest cases that contain every value of every side; shorter sides are repeated."""
    lists = [list(side) for side in sides]
    if is_whole:
        return list(itertools.product(*lists))
    longest = max(len(side) for side in lists)
    return [tuple(side[turn % len(side)] for side in lists) for turn in range(longest)]


def pairs(*sides: Iterable[Any], is_whole: bool = IS_WHOLE) -> list[Case]:
    """Return cases in which every two values of different sides meet.

    The next case is always the one with the most new pairs.
    """
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
