"""A run's computed behaviour as a table: a row a measure, a column an arm, intervals as plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.reports.behaviour import Measure, RunBehaviour

# Measures as they are read, and whether they are shares of one.
TITLES = {
    "steps": ("Steps", False),
    "thought_words": ("Words in a thought", False),
    "numbers": ("Numbers in a thought", False),
    "formulas": ("Formulas in a thought", False),
    "restates": ("Share of thoughts that restates page or action", True),
    "checks": ("Steps that speak of checking, before the answer", False),
    "backtracks": ("Backtracks", False),
    "loops": ("Steps that repeat an earlier one", False),
    "no_effect": ("Actions that had no effect", False),
    "different_effect": ("Actions with a different effect", False),
    "unexplained_events": ("Unexplained events", False),
}
# Of fewer tasks an interval would span nearly everything, and be read as a finding.
TASKS_LEAST = 5
# The plot in units of its SVG.
PLOT_LEFT = 4.0
PLOT_WIDTH = 72.0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One measure in one arm as text, with its places in the plot; known of ``episodes``
    among those ``of`` the arm."""

    value: str
    interval: str
    episodes: int
    tasks: int
    of: int
    x: str
    low_x: str
    high_x: str

    @property
    def is_partial(self) -> bool:
        return self.episodes < self.of


@dataclass(frozen=True, kw_only=True)
class Row:
    """``cells`` in the order of ``arms``; None where no episode has the measure."""

    title: str
    arms: Sequence[str]
    cells: Sequence[Cell | None]

    @property
    def by_arm(self) -> list[tuple[str, Cell | None]]:
        return list(zip(self.arms, self.cells, strict=True))


@dataclass(frozen=True, kw_only=True)
class BehaviourTable:
    """``waiting`` ended episodes have no measures yet; fewer than ``tasks_least`` tasks have no interval."""

    arms: Sequence[str]
    rows: Sequence[Row]
    computed: int
    waiting: int
    tasks_least: int = TASKS_LEAST

    @property
    def is_partial(self) -> bool:
        """Whether some measure is not known of every episode."""
        return any(cell is None or cell.is_partial for row in self.rows for _, cell in row.by_arm)

    @property
    def has_scale(self) -> bool:
        """A scale ends at the largest arm, and says nothing of one arm alone."""
        return len(self.arms) > 1


def behaviour_table(found: RunBehaviour) -> BehaviourTable | None:
    """None before the first episode has been computed."""
    if not found.computed:
        return None
    by_arm = {arm.arm: {one.name: one for one in arm.measures} for arm in found.results}
    # Every computed episode has a number of steps.
    computed = {arm: held["steps"].episodes if "steps" in held else 0 for arm, held in by_arm.items()}
    rows = [
        Row(
            title=title,
            arms=list(by_arm),
            cells=_cells(
                [(computed[arm], held.get(name)) for arm, held in by_arm.items()], is_share=is_share
            ),
        )
        for name, (title, is_share) in TITLES.items()
    ]
    return BehaviourTable(
        arms=list(by_arm), rows=rows, computed=found.computed, waiting=found.ended - found.computed
    )


def _cells(measures: Sequence[tuple[int, Measure | None]], *, is_share: bool) -> list[Cell | None]:
    """All arms of a row on one scale, from nothing to the largest of them; each with its episodes."""
    ends = [max(one.mean, _ends(one)[1]) for _, one in measures if one]
    largest = max(ends, default=0.0) or 1.0
    largest = min(largest, 1.0) if is_share else largest
    return [_cell(one, largest, of=of, is_share=is_share) if one else None for of, one in measures]


def _ends(one: Measure) -> tuple[float, float]:
    """Those of the interval; the mean alone where there is none."""
    if one.tasks < TASKS_LEAST or one.low is None or one.high is None:
        return one.mean, one.mean
    return one.low, one.high


def _cell(one: Measure, largest: float, *, of: int, is_share: bool) -> Cell:
    low, high = _ends(one)
    # No measure is below nothing and no share above all; the interval is symmetrical and may be.
    low, high = max(0.0, low), min(1.0, high) if is_share else high
    is_known = one.tasks >= TASKS_LEAST
    return Cell(
        value=_text(one.mean, is_share=is_share),
        interval=_interval(low, high, is_share=is_share) if is_known else "too few tasks",
        episodes=one.episodes,
        tasks=one.tasks,
        of=of,
        x=_place(one.mean / largest),
        low_x=_place(low / largest),
        high_x=_place(high / largest),
    )


def _interval(low: float, high: float, *, is_share: bool) -> str:
    """An interval without width would claim a certainty that nobody has."""
    if low == high:
        return "the same in every task"
    return f"{_text(low, is_share=is_share)} to {_text(high, is_share=is_share)}"


def _text(value: float, *, is_share: bool) -> str:
    if is_share:
        return f"{value:.1%}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _place(share: float) -> str:
    return f"{PLOT_LEFT + PLOT_WIDTH * min(share, 1.0):.1f}"
