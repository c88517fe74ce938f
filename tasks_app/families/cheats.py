"""Success of cheats that never look at the site: measures over tasks, and their table.

An answer is right when all its fields are. The measures of the value alone (the first field) say what the
witness beside it is for.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks_app.families.types import SiteTask

MOST_RIGHT = 0.05
"""The largest share of tasks that a cheat may get right."""
LEAST_DIFFERENT = 0.70
"""The least share of counting tasks in which the site's own search must count something else."""
LEAST_JUDGED = 100
"""The fewest tasks by which a family is judged: with fewer a single one could change the judgement."""
TOO_FEW = "too few tasks to say"
BUCKETS = 2048
MOST_CLASSES = 60
EPOCHS = 3
CHEATS = ("commonest", "constant", "wording", "cannot")

Answer = tuple[str, ...]
Features = tuple[int, ...]
Example = tuple[Features, Answer]
Halves = tuple[list[Example], list[Example]]
"""Tasks to fit a cheat on, and to measure it on; those of one wording are in one half."""


@dataclass(frozen=True, kw_only=True)
class Guesses:
    """Shares from 0 to 1 of the tasks of one family.

    ``constant`` and ``wording`` are fitted on half of the tasks and measured on the rest. ``cannot`` is the
    best fixed answer that says it cannot be done. ``searched`` is how often the count of the site's search is
    the value, None where no task has one.
    """

    family: str
    tasks: int
    commonest: float
    constant: float
    wording: float
    cannot: float
    searched: float | None
    commonest_value: float
    wording_value: float
    impossible: float

    @property
    def best(self) -> float:
        return float(max(getattr(self, name) for name in CHEATS))

    @property
    def exceeding(self) -> tuple[str, ...]:
        over = [name for name in CHEATS if getattr(self, name) > MOST_RIGHT]
        if self.searched is not None and self.searched > 1 - LEAST_DIFFERENT:
            over.append("searched")
        return tuple(over)


def measure(tasks: Sequence[SiteTask], *, searched: Sequence[str | None] = ()) -> list[Guesses]:
    """Measure the guesses of each family, in id order; ``searched`` is the site's count for each task, or
    None.
    """
    counts = [*searched, *[None] * (len(tasks) - len(searched))]
    by_family: dict[str, list[tuple[SiteTask, str | None]]] = {}
    for task, count in zip(tasks, counts, strict=True):
        by_family.setdefault(task.family, []).append((task, count))
    return [_guesses(family, counted_tasks) for family, counted_tasks in sorted(by_family.items())]


def _guesses(family: str, counted_tasks: list[tuple[SiteTask, str | None]]) -> Guesses:
    tasks = [task for task, _ in counted_tasks]
    answers, values = _halves(tasks, lambda task: task.answer), _halves(tasks, lambda task: task.answer[:1])
    counted = [count == task.answer[0] for task, count in counted_tasks if count is not None]
    return Guesses(
        family=family,
        tasks=len(tasks),
        commonest=_most(task.answer for task in tasks) / len(tasks),
        constant=constant(answers),
        wording=wording(answers),
        cannot=_most(task.answer for task in tasks if not task.is_possible) / len(tasks),
        searched=sum(counted) / len(counted) if counted else None,
        commonest_value=_most(task.answer[:1] for task in tasks) / len(tasks),
        wording_value=wording(values),
        impossible=sum(not task.is_possible for task in tasks) / len(tasks),
    )


def _most(answers: Iterable[Answer]) -> int:
    return max(Counter(answers).values(), default=0)


def _halves(tasks: Iterable[SiteTask], answer: Callable[[SiteTask], Answer]) -> Halves:
    halves: Halves = ([], [])
    for task in tasks:
        # Not every other task: they may have been drawn with splits and levels taking turns.
        halves[zlib.crc32(task.wording.encode()) & 1].append((words(task.wording), answer(task)))
    return halves


def constant(halves: Halves) -> float:
    """Measure how often the commonest answer of one half is right in the other."""
    fitting, rest = halves
    if not fitting or not rest:
        return 0.0
    best = Counter(answer for _, answer in fitting).most_common(1)[0][0]
    return sum(answer == best for _, answer in rest) / len(rest)


# Cached: every measure of a task needs them again.
@lru_cache(maxsize=4096)
def words(text: str) -> Features:
    """Hash the words of a text to buckets, the same on every machine."""
    distinct = set(re.findall(r"\w+", text.lower()))
    return tuple(sorted({zlib.crc32(word.encode()) % BUCKETS for word in distinct}))


def wording(halves: Halves) -> float:
    """Measure how often a linear model of the wording's words, fitted on one half, is right on the other.

    A perceptron over the answers that occur most.
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


COLUMNS = (*CHEATS, "searched", "commonest_value", "wording_value")


LEGEND = f"""
Shares of tasks drawn for this table, not of those that are loaded.
Right without looking, at most {MOST_RIGHT:.0%} each:
  commonest   the answer that occurs most
  constant    the commonest answer of one half of the tasks, tried on the other
  wording     a linear model of the wording's words, fitted on one half, tried on the other
  cannot      the best fixed answer that says it cannot be done
The count of the site's own search, at most {1 - LEAST_DIFFERENT:.0%}:
  searched    is the first value asked for; "-" where no task has such a count
Of the first value alone, without limit, for what stands beside it makes up for them:
  commonest value, wording value
The last column names what is over its limit; nothing there: within all limits."""


def table(guesses: Iterable[Guesses], *, least: int = LEAST_JUDGED) -> str:
    """Tabulate one line per family, in per cent, with the limits that it exceeds, and a legend.

    Families of fewer than ``least`` tasks are not judged.
    """
    lines = [f"{'family':28}{'tasks':>7}" + "".join(f"{name.replace('_', ' '):>17}" for name in COLUMNS)]
    for each in guesses:
        shares = [getattr(each, name) for name in COLUMNS]
        cells = "".join(f"{'-' if share is None else f'{share:.1%}':>17}" for share in shares)
        exceeded = " ".join(each.exceeding) if each.tasks >= least else TOO_FEW
        lines.append(f"{each.family:28}{each.tasks:>7}{cells}  {exceeded}".rstrip())
    return "\n".join((*lines, LEGEND))
