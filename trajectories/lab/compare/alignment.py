"""Alignment of several episodes' steps.

A step's key consists of what its page showed (``place``), the page's address (``page``) and its action as
text (``action``). Two steps score 8 when place and action are the same, 6 when page and action are the same
(another view of one page), 2 for the same place alone, 1 for the same page alone, and 0 otherwise. Two
sequences are aligned for the highest total score (Needleman and Wunsch 1970; gaps cost nothing), and among
equal scores the alignment with the fewest gaps wins. A third and a fourth sequence are aligned with the rows
built so far, where a row scores as its best-scoring step.

The score table's size is bounded. Common prefixes and suffixes are trimmed first; if more than ``CELLS_MAX``
cells remain, the rest is divided at keys that occur once on both sides (as in patience diff). A part that is
still too large is paired in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

CELLS_MAX = 100_000
SAME, ALIKE, SAME_PLACE, SAME_PAGE = 8, 6, 2, 1

Kind = Literal["same", "alike", "differs"]
Pair = tuple[int | None, int | None]


@dataclass(frozen=True, kw_only=True)
class Key:
    """Key by which steps are compared. An empty ``place`` or ``page`` is unknown and equals nothing."""

    place: str = ""
    page: str = ""
    action: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the alignment. ``cells`` has the position of each sequence's step, or None for a gap."""

    cells: tuple[int | None, ...]
    kind: Kind


Keys = tuple[Key, ...]


def align(sequences: Sequence[Sequence[Key]]) -> list[Row]:
    """Align two to four sequences; every step is in exactly one row, and their order is kept."""
    rows: list[tuple[int | None, ...]] = [(place,) for place in range(len(sequences[0]))]
    for width, sequence in enumerate(sequences[1:], start=1):
        left = [_list_keys(row, sequences) for row in rows]
        right = [(key,) for key in sequence]
        rows = [(*(rows[a] if a is not None else (None,) * width), b) for a, b in _aligned(left, right)]
    return [Row(cells=cells, kind=_kind(_list_keys(cells, sequences), of=len(sequences))) for cells in rows]


def first_divergence(rows: Sequence[Row]) -> int | None:
    """Return the position of the first row in which the sequences differ."""
    return next((place for place, row in enumerate(rows) if row.kind == "differs"), None)


def score(one: Key, other: Key) -> int:
    is_place = one.place == other.place != ""
    is_page = one.page == other.page != ""
    if one.action == other.action:
        return SAME if is_place else ALIKE if is_page else 0
    return SAME_PLACE if is_place else SAME_PAGE if is_page else 0


def _kind(keys: Keys, *, of: int) -> Kind:
    if len(keys) < of:
        return "differs"
    lowest = min((score(keys[0], key) for key in keys[1:]), default=SAME)
    return "same" if lowest == SAME else "alike" if lowest == ALIKE else "differs"


def _list_keys(cells: Sequence[int | None], sequences: Sequence[Sequence[Key]]) -> Keys:
    return tuple(sequence[cell] for cell, sequence in zip(cells, sequences, strict=False) if cell is not None)


def _aligned(left: Sequence[Keys], right: Sequence[Keys]) -> Iterator[Pair]:
    """Yield pairs of positions; the partner of an unpaired step is None."""
    head = _equal_run(zip(left, right, strict=False))
    rest = min(len(left), len(right)) - head
    tail = min(rest, _equal_run(zip(reversed(left), reversed(right), strict=False)))
    yield from ((place, place) for place in range(head))
    yield from _middle(left, right, (head, len(left) - tail), (head, len(right) - tail))
    for back in range(tail, 0, -1):
        yield len(left) - back, len(right) - back


def _equal_run(pairs: Iterator[tuple[Keys, Keys]]) -> int:
    count = 0
    for one, other in pairs:
        if _score(one, other) < SAME:
            break
        count += 1
    return count


def _score(row: Keys, key: Keys) -> int:
    return max(score(one, other) for one in row for other in key)


def _middle(
    left: Sequence[Keys], right: Sequence[Keys], span: tuple[int, int], other: tuple[int, int]
) -> Iterator[Pair]:
    if (span[1] - span[0]) * (other[1] - other[0]) <= CELLS_MAX:
        yield from _best(left, right, span, other)
        return
    a, b = span[0], other[0]
    for i, j in [*_anchors(left, right, span, other), (span[1], other[1])]:
        fits = (i - a) * (j - b) <= CELLS_MAX
        yield from (_best if fits else _in_order)(left, right, (a, i), (b, j))
        if i < span[1]:
            yield i, j
        a, b = i + 1, j + 1


def _in_order(
    _left: Sequence[Keys], _right: Sequence[Keys], span: tuple[int, int], other: tuple[int, int]
) -> Iterator[Pair]:
    yield from zip_longest(range(*span), range(*other))


def _anchors(
    left: Sequence[Keys], right: Sequence[Keys], span: tuple[int, int], other: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the longest chain of keys that occur once in both sequences, in the same order."""
    lefts, rights = _once(left, span), _once(right, other)
    common = sorted((place, rights[key]) for key, place in lefts.items() if key in rights)
    ends: list[int] = []
    chains: list[int] = []  # maps each chain end found so far to its pair in ``common``
    before: list[int | None] = []
    for number, (_, place) in enumerate(common):
        length = bisect_left(ends, place)
        before.append(chains[length - 1] if length else None)
        ends[length : length + 1] = [place]
        chains[length : length + 1] = [number]
    chain: list[tuple[int, int]] = []
    number_at: int | None = chains[-1] if chains else None
    while number_at is not None:
        chain.append(common[number_at])
        number_at = before[number_at]
    return chain[::-1]


def _once(sequence: Sequence[Keys], span: tuple[int, int]) -> dict[Key, int]:
    """Return the position of each key that occurs once; a row of several steps counts by its first."""
    counts = Counter(keys[0] for keys in sequence[span[0] : span[1]])
    return {
        sequence[place][0]: place
        for place in range(*span)
        if counts[sequence[place][0]] == 1 and sequence[place][0].place
    }


def _best(
    left: Sequence[Keys], right: Sequence[Keys], span: tuple[int, int], other: tuple[int, int]
) -> Iterator[Pair]:
    rows, columns = span[1] - span[0], other[1] - other[0]
    scored = _scorer(left, right)
    sums = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, here = sums[i + 1], sums[i]
        for j in range(columns - 1, -1, -1):
            here[j] = max(below[j + 1] + scored(span[0] + i, other[0] + j), below[j], here[j + 1])
    i = j = 0
    while i < rows and j < columns:
        if sums[i][j] == sums[i + 1][j + 1] + scored(span[0] + i, other[0] + j):
            yield span[0] + i, other[0] + j
            i, j = i + 1, j + 1
        elif sums[i][j] == sums[i + 1][j]:
            yield span[0] + i, None
            i += 1
        else:
            yield None, other[0] + j
            j += 1
    yield from ((span[0] + place, None) for place in range(i, rows))
    yield from ((None, other[0] + place) for place in range(j, columns))


def _scorer(left: Sequence[Keys], right: Sequence[Keys]) -> Callable[[int, int], int]:
    """Return a function that scores two positions; scores are cached by key because steps repeat."""
    known: dict[tuple[Keys, Keys], int] = {}

    def scored(i: int, j: int) -> int:
        pair = (left[i], right[j])
        if pair not in known:
            known[pair] = _score(*pair)
        return known[pair]

    return scored
