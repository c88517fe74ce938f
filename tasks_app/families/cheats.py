"""Success rates of cheats that never look at the site, which measure how often answers can be guessed.

An answer is right if all its fields are right.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks_app.families.types import SiteTask

BUCKETS = 2048
MOST_CLASSES = 60
EPOCHS = 3
CHEATS = ("commonest", "constant", "wording", "cannot")

Answer = tuple[str, ...]
Features = tuple[int, ...]
Example = tuple[Features, Answer]
Halves = tuple[list[Example], list[Example]]
"""Tasks to fit a cheat on, and tasks to measure it on. Tasks with the same wording are in the same half."""


@dataclass(frozen=True, kw_only=True)
class Guesses:
    """Success rates of the cheats on one family, from 0 to 1.

    ``constant`` and ``wording`` are fitted on half of the tasks and measured on the rest. ``cannot`` is the
    rate of the best fixed answer that claims that the task is impossible.
    """

    family: str
    tasks: int
    commonest: float
    constant: float
    wording: float
    cannot: float

    @property
    def best(self) -> float:
        return float(max(getattr(self, name) for name in CHEATS))


def measure(tasks: Iterable[SiteTask]) -> list[Guesses]:
    """Measure each family's guess rates, in the order of the families' ids."""
    by_family: dict[str, list[SiteTask]] = {}
    for task in tasks:
        by_family.setdefault(task.family, []).append(task)
    return [measure_family(by_family[family]) for family in sorted(by_family)]


def measure_family(tasks: Sequence[SiteTask]) -> Guesses:
    """Measure the guess rates of one family, which must have at least one task."""
    halves = split_halves(tasks, lambda task: task.answer)
    return Guesses(
        family=tasks[0].family,
        tasks=len(tasks),
        commonest=share_commonest([task.answer for task in tasks], of=len(tasks)),
        constant=constant(halves),
        wording=wording(halves),
        cannot=share_commonest([task.answer for task in tasks if not task.is_possible], of=len(tasks)),
    )


def share_commonest(answers: Iterable[Answer], *, of: int) -> float:
    """Return the frequency of the commonest answer as a share of ``of``."""
    return max(Counter(answers).values(), default=0) / of


def split_halves(tasks: Iterable[SiteTask], answer: Callable[[SiteTask], Answer]) -> Halves:
    """Split tasks by a hash of their wordings into a half for fitting and a half for measuring."""
    halves: Halves = ([], [])
    for task in tasks:
        # Taking every other task would bias the halves, because splits and levels may alternate in the drawn
        # tasks.
        halves[zlib.crc32(task.wording.encode()) & 1].append((words(task.wording), answer(task)))
    return halves


def constant(halves: Halves) -> float:
    """Measure how often the commonest answer in one half is right in the other."""
    fitting, rest = halves
    if not fitting or not rest:
        return 0.0
    best = Counter(answer for _, answer in fitting).most_common(1)[0][0]
    return sum(answer == best for _, answer in rest) / len(rest)


# Cached because every measurement of a task needs the features again.
@lru_cache(maxsize=4096)
def words(text: str) -> Features:
    """Hash the words of a text into buckets that are the same on every machine."""
    distinct = set(re.findall(r"\w+", text.lower()))
    return tuple(sorted({zlib.crc32(word.encode()) % BUCKETS for word in distinct}))


def wording(halves: Halves) -> float:
    """Measure how often a linear model of the wording's words, fitted on one half, is right on the other.

    The model is a perceptron over the commonest answers.
    """
    fitting, rest = halves
    common = Counter(answer for _, answer in fitting).most_common(MOST_CLASSES)
    known = [answer for answer, count in common if count > 1]
    if not known or not rest:
        return 0.0
    index = {answer: number for number, answer in enumerate(known)}
    examples = [(each, index[answer]) for each, answer in fitting if answer in index]
    weights = [[0.0] * len(known) for _ in range(BUCKETS)]

    def best(each: Features) -> int:
        scores = list(map(sum, zip(*(weights[bucket] for bucket in each), strict=True)))
        return scores.index(max(scores))

    for _ in range(EPOCHS):
        for each, right in examples:
            if (guess := best(each)) != right:
                for bucket in each:
                    weights[bucket][right] += 1
                    weights[bucket][guess] -= 1
    return sum(known[best(each)] == answer for each, answer in rest) / len(rest)
