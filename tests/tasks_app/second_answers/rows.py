"""Puzzles with rows of colors before and after; simple rules that explain them must lead to the gold."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping

Row = list[int]
Block = tuple[int, int]
Rule = Callable[[Row], Row | None]
SHIFT_MAX = 4


def arc_1d(question: str, answer: str) -> bool | None:
    rows = [
        [*map(int, row.split())] for row in re.findall(r"^(?:\w+: +)?(\d+(?: \d+)+)$", question, re.MULTILINE)
    ]
    *examples, test = rows
    pairs = list(zip(examples[::2], examples[1::2], strict=True))
    rules = [rule for rule in RULES if all(rule(one) == other for one, other in pairs)]
    results = [rule(test) for rule in rules]
    return {tuple(row or ()) for row in results} == {tuple(map(int, answer.split()))} if results else None


def _blocks(row: Row) -> list[Block]:
    """Return, for each run of one color, its first place and the place after its last one."""
    ends = [0, *itertools.accumulate(len(list(cells)) for _, cells in itertools.groupby(row))]
    return [(start, end) for start, end in itertools.pairwise(ends) if row[start]]


def _span(row: Row) -> Block:
    places = [place for place, cell in enumerate(row) if cell]
    return (places[0], places[-1] + 1) if places else (0, 0)


def _packed(cells: Row, size: int) -> Row:
    return cells + [0] * (size - len(cells))


def _shifted(row: Row, by: int) -> Row:
    return row[-by:] + row[:-by]


def _painted(row: Row, colors: Mapping[Block, int]) -> Row:
    painted = [*row]
    for (start, end), color in colors.items():
        painted[start:end] = [color] * (end - start)
    return painted


def fallen(row: Row) -> Row:
    return _packed([cell for cell in row if cell], len(row))


def counted(row: Row) -> Row:
    return _packed([1 for cell in row if cell], len(row))


def parted(row: Row) -> Row:
    twos, ones = row.count(2), row.count(1)
    return _packed([2] * twos, len(row) - ones) + [1] * ones


def weighed(row: Row) -> Row:
    return sorted(row, reverse=True) if set(row) <= {0, 1, 2} else None


def stepped(row: Row) -> Row:
    cells = [*row]
    for place in range(1, len(row)):
        if not cells[place - 1]:
            cells[place - 1 : place + 1] = [cells[place], 0]
    return cells


def fives(row: Row) -> Row:
    return [5 if cell else 0 for cell in row]


def joined(row: Row) -> Row | None:
    return _painted(row, {_span(row): max(row)}) if len(_blocks(row)) in (1, 2) else None


def emptied(row: Row) -> Row:
    start, end = _span(row)
    return [cell if place in (start, end - 1) else 0 for place, cell in enumerate(row)]


def mirrored(row: Row) -> Row:
    start, end = _span(row)
    return row[:start] + row[start:end][::-1] + row[end:]


def cleaned(row: Row) -> Row:
    return _painted(row, {(start, end): 0 for start, end in _blocks(row) if end - start == 1})


def evened(row: Row) -> Row | None:
    start, end = _span(row)
    if 0 in row[start:end]:
        return None
    return _painted(row, {(start, end): Counter(row[start:end]).most_common(1)[0][0]})


def biggest_painted(row: Row) -> Row:
    return _painted(row, {max(_blocks(row), key=lambda block: block[1] - block[0]): 1})


def ranked(row: Row) -> Row | None:
    blocks = sorted(_blocks(row), key=lambda block: block[0] - block[1])
    return _painted(row, dict(zip(blocks, (1, 2), strict=True))) if len(blocks) == 2 else None


def halved(row: Row) -> Row:
    return _painted(row, {(start, (start + end) // 2): 8 for start, end in _blocks(row)})


def ordered(row: Row) -> Row:
    parts = sorted((row[start:end] for start, end in _blocks(row)), key=len)
    return _packed([cell for part in parts for cell in (*part, 0)], len(row))[: len(row)]


def repeated(row: Row) -> Row | None:
    pattern = row[: _span(row)[1]]
    half = len(pattern) // 2
    if not half or pattern != pattern[:half] * 2:
        return None
    return [pattern[place % half] for place in range(len(row))]


def moved_by_size(row: Row) -> Row:
    start, end = _span(row)
    return _shifted(row, end - start)


def pixel_spread(row: Row) -> Row | None:
    """Let a pixel next to a block fill the side away from the block."""
    blocks = _blocks(row)
    if len(blocks) != 2 or blocks[0][1] != blocks[1][0]:
        return None
    (one, middle), (_, end) = blocks
    if middle - one == 1:
        return _painted(row, {(0, middle): row[one]})
    return _painted(row, {(middle, len(row)): row[middle]}) if end - middle == 1 else None


def pairs_marked(row: Row) -> Row:
    marks = {place: 3 for start, end in _blocks(row) if end - start == 2 for place in (start - 1, end)}
    return [marks.get(place, cell) for place, cell in enumerate(row)]


def _from_the_right(rule: Rule) -> Rule:
    def turned(row: Row) -> Row | None:
        result = rule(row[::-1])
        return None if result is None else result[::-1]

    return turned


ONE_WAY = (fallen, counted, parted, weighed, stepped)
RULES: list[Rule] = [
    *ONE_WAY,
    *map(_from_the_right, ONE_WAY),
    *(lambda row, by=by: _shifted(row, by) for by in range(-SHIFT_MAX, SHIFT_MAX + 1) if by),
    *(fives, joined, emptied, mirrored, cleaned, evened, biggest_painted, ranked, halved, ordered, repeated),
    *(moved_by_size, pixel_spread, pairs_marked),
]
