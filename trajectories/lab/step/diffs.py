"""What changed between two texts, line by line or word by word, in bounded time.

Python's ``difflib`` needs up to cubic time on texts that repeat themselves, and anyone may write such a
text: two texts are compared only when few pairs of equal parts are in them, and else said to be too large.
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

PARTS_MOST = 3_000
PAIRS_MOST = 60_000
CHARS_MOST = 400_000
CONTEXT = 3
WORDS = re.compile(r"\s+|[^\s]+")
# Below this share of letters in common, marks on words that happen to be the same tell nothing. Of a few
# words each is worth a mark.
ALIKE_LEAST = 0.4
JUDGED_WORDS = 8


@dataclass(frozen=True, kw_only=True)
class Change:
    """A run of parts; ``folded`` stands for ``count`` unchanged lines that are left out."""

    kind: Kind
    text: str = ""
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class Diff:
    """``added`` and ``removed`` count lines or words. ``is_unlike``: the texts have too little in common for
    marks, and there are none."""

    changes: list[Change] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    is_too_large: bool = False
    is_unlike: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.is_too_large or self.is_unlike)


def lines_compared(before: str, after: str) -> Diff:
    """Whole lines, with unchanged runs folded but for ``CONTEXT`` lines at their ends."""
    if max(len(before), len(after)) > CHARS_MOST:
        return Diff(is_too_large=True)
    return _compared(before.splitlines(), after.splitlines(), joined="\n", context=CONTEXT)


def words_compared(before: str, after: str) -> Diff:
    """Words and the space between them, nothing folded; no marks on texts that are nothing alike."""
    if max(len(before), len(after)) > CHARS_MOST:
        return Diff(is_too_large=True)
    found = _compared(WORDS.findall(before), WORDS.findall(after), joined="", context=None)
    return Diff(is_unlike=True) if _are_unlike(before, after, found) else found


def _are_unlike(before: str, after: str, found: Diff) -> bool:
    if found.is_empty or found.is_too_large or min(len(before.split()), len(after.split())) < JUDGED_WORDS:
        return False
    same = sum(_letters(change.text) for change in found.changes if change.kind == "same")
    return 2 * same < ALIKE_LEAST * (_letters(before) + _letters(after))


def _letters(text: str) -> int:
    return sum(map(len, text.split()))


def _compared(before: Sequence[str], after: Sequence[str], *, joined: str, context: int | None) -> Diff:
    if list(before) == list(after):
        return Diff()
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if _is_heavy(old, new):
        return Diff(is_too_large=True)
    end = len(before) - tail
    runs: list[Run] = [("same", before[:head]), *_runs(old, new), ("same", before[end:])]
    ends = {0: (0, context), len(runs) - 1: (context, 0)}
    changes = [
        change
        for place, (kind, parts) in enumerate(runs)
        for change in _shown(kind, parts, joined=joined, kept=ends.get(place, (context, context)))
    ]
    return Diff(
        changes=changes,
        added=sum(len(parts) for kind, parts in runs if kind == "added"),
        removed=sum(len(parts) for kind, parts in runs if kind == "removed"),
    )


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_heavy(old: Sequence[str], new: Sequence[str]) -> bool:
    if max(len(old), len(new)) > PARTS_MOST:
        return True
    counted = Counter(new)
    return sum(times * counted[part] for part, times in Counter(old).items()) > PAIRS_MOST


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


def _shown(
    kind: Kind, parts: Sequence[str], *, joined: str, kept: tuple[int | None, int | None]
) -> Iterator[Change]:
    """``kept`` is how many unchanged parts stay at either end of a run; None folds nothing."""
    if not parts:
        return
    first, last = kept
    if kind != "same" or first is None or last is None or len(parts) <= first + last + 1:
        yield Change(kind=kind, text=joined.join(parts))
        return
    if first:
        yield Change(kind=kind, text=joined.join(parts[:first]))
    yield Change(kind="folded", count=len(parts) - first - last)
    if last:
        yield Change(kind=kind, text=joined.join(parts[-last:]))
