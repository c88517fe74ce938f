"""Limits on cheats that never look at a site, and a table of how often each cheat is right.

The measures of the first value alone show why tasks also ask for a witness next to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks_app.families import cheats
from tasks_app.families.cheats import CHEATS
from tasks_app.families.types import SiteTask

MOST_RIGHT = 0.05
"""Largest share of tasks that a cheat may get right."""
LEAST_DIFFERENT = 0.70
"""Smallest share of counting tasks in which the site's own search must give a different count."""
LEAST_JUDGED = 100
"""Fewest tasks with which a family is judged; with fewer, a single task could change the result."""
TOO_FEW = "too few tasks to say"


@dataclass(frozen=True, kw_only=True)
class CheckedGuesses(cheats.Guesses):
    """Guesses about one family, with further measures that only this check needs.

    ``searched`` is how often the count of the site's search is the right value, None if no task asks for a
    count; ``impossible`` is the share of tasks that cannot be done.
    """

    searched: float | None
    commonest_value: float
    wording_value: float
    impossible: float

    @property
    def exceeding(self) -> tuple[str, ...]:
        over = [name for name in CHEATS if getattr(self, name) > MOST_RIGHT]
        if self.searched is not None and self.searched > 1 - LEAST_DIFFERENT:
            over.append("searched")
        return tuple(over)


def measure(tasks: Sequence[SiteTask], *, searched: Sequence[str | None] = ()) -> list[CheckedGuesses]:
    """Measure each family, in order of id; ``searched`` has the site's count for each task, or None."""
    counts = [*searched, *[None] * (len(tasks) - len(searched))]
    by_family: dict[str, list[tuple[SiteTask, str | None]]] = {}
    for task, count in zip(tasks, counts, strict=True):
        by_family.setdefault(task.family, []).append((task, count))
    return [_measure_family(by_family[family]) for family in sorted(by_family)]


def _measure_family(counted_tasks: Sequence[tuple[SiteTask, str | None]]) -> CheckedGuesses:
    tasks = [task for task, _ in counted_tasks]
    values = [task.answer[:1] for task in tasks]
    counted = [count == task.answer[0] for task, count in counted_tasks if count is not None]
    return CheckedGuesses(
        **vars(cheats.measure_family(tasks)),
        searched=sum(counted) / len(counted) if counted else None,
        commonest_value=cheats.share_commonest(values, of=len(tasks)),
        wording_value=cheats.wording(cheats.split_halves(tasks, lambda task: task.answer[:1])),
        impossible=sum(not task.is_possible for task in tasks) / len(tasks),
    )


COLUMNS = (*CHEATS, "searched", "commonest_value", "wording_value")


LEGEND = f"""
All figures are shares of tasks drawn for this table, not of loaded tasks.
Right without looking, at most {MOST_RIGHT:.0%} each:
  commonest   the answer that occurs most
  constant    the commonest answer of one half of the tasks, tried on the other
  wording     a linear model of the words in the wording, fitted on one half, tried on the other
  cannot      the best fixed answer that says that the task cannot be done
Right by the count of the site's own search, at most {1 - LEAST_DIFFERENT:.0%}:
  searched    this count is the first value asked for; "-" if no task asks for a count
Right in the first value alone, without a limit, because the other values make up for it:
  commonest value, wording value
The last column names the measures that are over their limits; it is empty if there are none."""


def table(guesses: Iterable[CheckedGuesses], *, least: int = LEAST_JUDGED) -> str:
    """Format a table with one line per family, in percent, the limits that it exceeds, and a legend.

    Families with fewer than ``least`` tasks are not judged.
    """
    lines = [f"{'family':28}{'tasks':>7}" + "".join(f"{name.replace('_', ' '):>17}" for name in COLUMNS)]
    for each in guesses:
        shares = [getattr(each, name) for name in COLUMNS]
        cells = "".join(f"{'-' if share is None else f'{share:.1%}':>17}" for share in shares)
        exceeded = " ".join(each.exceeding) if each.tasks >= least else TOO_FEW
        lines.append(f"{each.family:28}{each.tasks:>7}{cells}  {exceeded}".rstrip())
    return "\n".join((*lines, LEGEND))
