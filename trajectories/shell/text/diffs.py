"""Diffs of two texts by lines or words, in bounded time.

Python's ``difflib`` takes up to cubic time on repetitive texts, and a policy may write such texts. Texts with
too many pairs of equal parts are therefore not diffed but reported as too large.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

Kind = Literal["same", "added", "removed", "folded"]
Run = tuple[Kind, Sequence[str]]

PARTS_MAX = 3_000
PAIRS_MAX = 60_000
CHARS_MAX = 400_000
CONTEXT = 3
WORDS = re.compile(r"\s+|[^\s]+")
# Below this share of common letters, texts share words only by chance and are not diffed. Texts with fewer
# words than ``SHORT_WORDS`` are always diffed.
COMMON_SHARE = 0.4
SHORT_WORDS = 8


@dataclass(frozen=True, kw_only=True)
class Change:
    """Consecutive parts with the same kind of change; the kind ``folded`` hides ``count`` unchanged lines."""

    kind: Kind
    text: str = ""
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class Diff:
    """The differences between two texts. ``added`` and ``removed`` count lines or words. ``changes`` is empty
    if the texts are too large or too different.
    """

    changes: list[Change] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    is_too_large: bool = False
    is_too_different: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.is_too_large or self.is_too_different)


def lines_diff(before: str, after: str) -> Diff:
    """Diff two texts by lines; unchanged runs are folded except for ``CONTEXT`` lines at either end."""
    if max(len(before), len(after)) > CHARS_MAX:
        return Diff(is_too_large=True)
    return _diff(before.splitlines(), after.splitlines(), separator="\n", context=CONTEXT)


def words_diff(before: str, after: str) -> Diff:
    """Diff two texts by words and the white space between them, without folding."""
    if max(len(before), len(after)) > CHARS_MAX:
        return Diff(is_too_large=True)
    diff = _diff(WORDS.findall(before), WORDS.findall(after), separator="", context=None)
    return Diff(is_too_different=True) if _are_too_different(before, after, diff) else diff


def _are_too_different(before: str, after: str, diff: Diff) -> bool:
    if diff.is_empty or diff.is_too_large or min(len(before.split()), len(after.split())) < SHORT_WORDS:
        return False
    same = sum(_letters(change.text) for change in diff.changes if change.kind == "same")
    return 2 * same < COMMON_SHARE * (_letters(before) + _letters(after))


def _letters(text: str) -> int:
    return sum(map(len, text.split()))


def _diff(before: Sequence[str], after: Sequence[str], *, separator: str, context: int | None) -> Diff:
    if list(before) == list(after):
        return Diff()
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if _is_heavy(old, new):
        return Diff(is_too_large=True)
    end = len(before) - tail
    runs: list[Run] = [("same", before[:head]), *_runs(old, new), ("same", before[end:])]
    ends = {0: (0, context), len(runs) - 1: (context, 0)}
    changes = [
        change
        for place, (kind, parts) in enumerate(runs)
        for change in _changes(kind, parts, separator=separator, context=ends.get(place, (context, context)))
    ]
    return Diff(
        changes=changes,
        added=sum(len(parts) for kind, parts in runs if kind == "added"),
        removed=sum(len(parts) for kind, parts in runs if kind == "removed"),
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_heavy(old: Sequence[str], new: Sequence[str]) -> bool:
    if max(len(old), len(new)) > PARTS_MAX:
        return True
    counts = Counter(new)
    return sum(times * counts[part] for part, times in Counter(old).items()) > PAIRS_MAX


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            yield "same", old[old_from:old_to]
            continue
        if old_to > old_from:
            yield "removed", old[old_from:old_to]
        if new_to > new_from:
            yield "added", new[new_from:new_to]


def _changes(
    kind: Kind, parts: Sequence[str], *, separator: str, context: tuple[int | None, int | None]
) -> Iterator[Change]:
    """Yield changes; ``context`` unchanged parts are kept at either end of an unchanged run, all if None."""
    if not parts:
        return
    first, last = context
    if kind != "same" or first is None or last is None or len(parts) <= first + last + 1:
        yield Change(kind=kind, text=separator.join(parts))
        return
    if first:
        yield Change(kind=kind, text=separator.join(parts[:first]))
    yield Change(kind="folded", count=len(parts) - first - last)
    if last:
        yield Change(kind=kind, text=separator.join(parts[-last:]))
