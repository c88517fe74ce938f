"""A run's behaviour as a table of computed measures, with a row per measure and a column per arm.

Intervals are drawn as small plots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trajectories.behaviour.facts.measures import MEASURES
from trajectories.reports.behaviour import MeasureMean, RunBehaviour

# Each measure's label, and whether the measure is a share.
LABELS = {
    "steps": ("Steps", False),
    **{
        measure.total_column: (measure.title, measure.is_share)
        for measure in sorted(MEASURES, key=lambda measure: measure.about == "step")
        if measure.title
    },
    "not_seen": ("Actions without effect", False),
    "different": ("Actions with a different effect", False),
    "extra_events": ("Unexplained events", False),
}
# An interval over fewer tasks spans nearly everything.
TASKS_MIN = 5
# Only the latest episodes are measured, so that a long run's page costs no more than a short one's.
EPISODES_MEASURED = 2_000
# Coordinates are in units of the plot's SVG.
PLOT_LEFT = 4.0
PLOT_WIDTH = 72.0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One measure in one arm: its text, and the coordinates of its plot.

    The measure is known for ``episodes`` of the arm's ``total``.
    """

    value: str
    interval: str
    episodes: int
    tasks: int
    total: int
    x: str
    low_x: str
    high_x: str

    @property
    def is_partial(self) -> bool:
        return self.episodes < self.total


@dataclass(frozen=True, kw_only=True)
class BehaviourTable:
    """The table. ``rows`` are labels with a cell per arm, None if no episode has the measure.

    Of the ``latest`` episodes, ``pending`` are still awaiting their measures. Intervals need ``tasks_min``
    tasks.
    """

    arms: Sequence[str]
    rows: Sequence[tuple[str, dict[str, Cell | None]]]
    computed: int
    pending: int
    tasks_min: int = TASKS_MIN
    latest: int = EPISODES_MEASURED

    @property
    def is_partial(self) -> bool:
        """True if some measure is unknown for some episode."""
        return any(cell is None or cell.is_partial for _, cells in self.rows for cell in cells.values())

    @property
    def has_scale(self) -> bool:
        """True if there are several arms to compare on a scale, which ends at the largest value."""
        return len(self.arms) > 1


def behaviour_table(behaviour: RunBehaviour) -> BehaviourTable | None:
    """Build the table, or return None while no episode has been measured."""
    if not behaviour.computed:
        return None
    by_arm = {arm.arm: {measure.name: measure for measure in arm.measures} for arm in behaviour.results}
    # Every episode with computed measures has a number of steps.
    totals = {arm: row["steps"].episodes if "steps" in row else 0 for arm, row in by_arm.items()}
    rows = [
        (label, _cells({arm: row.get(name) for arm, row in by_arm.items()}, totals, is_share=is_share))
        for name, (label, is_share) in LABELS.items()
    ]
    return BehaviourTable(
        arms=list(by_arm),
        rows=rows,
        computed=behaviour.computed,
        pending=behaviour.ended - behaviour.computed,
    )


def _cells(
    measures: Mapping[str, MeasureMean | None], totals: Mapping[str, int], *, is_share: bool
) -> dict[str, Cell | None]:
    """Place a measure's arms on one scale from 0 to the largest; ``totals`` are episodes per arm."""
    ends = [max(measure.mean, _ends(measure)[1]) for measure in measures.values() if measure]
    largest = max(ends, default=0.0) or 1.0
    largest = min(largest, 1.0) if is_share else largest
    return {
        arm: _cell(measure, largest, total=totals[arm], is_share=is_share) if measure else None
        for arm, measure in measures.items()
    }


def _ends(measure: MeasureMean) -> tuple[float, float]:
    """Return the ends of the interval, or the mean twice if there is no interval."""
    if measure.tasks < TASKS_MIN or measure.low is None or measure.high is None:
        return measure.mean, measure.mean
    return measure.low, measure.high


def _cell(measure: MeasureMean, largest: float, *, total: int, is_share: bool) -> Cell:
    low, high = _ends(measure)
    # The interval is symmetrical, so it may reach below 0 or, for shares, above 1.
    low, high = max(0.0, low), min(1.0, high) if is_share else high
    is_known = measure.tasks >= TASKS_MIN
    return Cell(
        value=_text(measure.mean, is_share=is_share),
        interval=_interval(low, high, is_share=is_share) if is_known else f"n < {TASKS_MIN}",
        episodes=measure.episodes,
        tasks=measure.tasks,
        total=total,
        x=_place(measure.mean / largest),
        low_x=_place(low / largest),
        high_x=_place(high / largest),
    )


def _interval(low: float, high: float, *, is_share: bool) -> str:
    """Return the interval as text. An interval of zero width is not stated, as it would claim certainty."""
    if low == high:
        return "same in every task"
    return f"{_text(low, is_share=is_share)} to {_text(high, is_share=is_share)}"


def _text(value: float, *, is_share: bool) -> str:
    if is_share:
        return f"{value:.1%}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _place(share: float) -> str:
    return f"{PLOT_LEFT + PLOT_WIDTH * min(share, 1.0):.1f}"
