"""The result of a run: the accuracy of each arm, and the paired gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaestra.protocol.arms import ARMS
from palaestra.protocol.plans import ITEMS_MIN
from trajectories.models import Run
from trajectories.reports.run_tallies import FormatTally
from trajectories.rollouts.runs.pages.family import Family, Member
from trajectories.rollouts.runs.pages.gaps import Gap, run_gaps
from trajectories.shell.queries.runs import Tally, run_tallies_by_arm
from trajectories.shell.text.values import numeral

# Half the width of a gap plot, in points. The smallest width that fits all gaps is used.
SCALES = (10, 25, 50, 100)
# Coordinates are in units of the plot's SVG.
PLOT_MIDDLE = 74.0
PLOT_HALF = 70.0
UNCOMPARED = (
    "a gap compares two rungs of the ladder of arms, or two arms that a report plans to compare; "
    "this run has no such pair."
)
ALONE = "this run has only one arm, and no other run of its {whole} has judged the same tasks."


@dataclass(frozen=True, kw_only=True)
class ArmRow:
    """One arm with its results.

    ``run`` is None for arms of the page's own run. Only those have a ``format``.
    """

    arm: str
    label: str
    tally: Tally
    run: Run | None
    shared: int | None
    format: FormatTally | None = None


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """A gap with the coordinates of its plot."""

    gap: Gap
    is_own: bool
    x: str
    low_x: str
    high_x: str

    @property
    def points(self) -> str:
        return signed(self.gap.value)

    @property
    def interval(self) -> str:
        return "" if self.gap.low is None else f"{signed(self.gap.low)} to {signed(self.gap.high)}"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Results to compare with. ``tallies`` are those of the family's runs, by run and arm."""

    family: Family
    tallies: Mapping[tuple[int, str], Tally]
    gaps: Sequence[Gap]


class Result:
    """The result of a run: ``arms`` in the ladder's order, and ``gaps`` or the reason ``why_none``.

    The gaps are on one scale, from ``-reach`` to ``reach`` points.
    """

    def __init__(
        self, comparison: Comparison, own: Mapping[str, Tally], *, formats: Mapping[str, FormatTally]
    ) -> None:
        self._comparison = comparison
        arms = [*_members(comparison, own), *_unjudged(comparison.family, own)]
        self.arms = [row if row.run else replace(row, format=formats.get(row.arm)) for row in arms]
        ends = [abs(end) for gap in comparison.gaps for end in (gap.value, gap.low, gap.high) if end]
        largest = 100 * max(ends, default=0.0)
        self.reach = next(scale for scale in SCALES if largest <= scale or scale == SCALES[-1])
        self.gaps = [self._row(gap) for gap in comparison.gaps]
        self.benchmarks = len({gap.benchmark for gap in comparison.gaps})

    @property
    def has_others(self) -> bool:
        return any(row.run for row in self.arms)

    @property
    def lead(self) -> GapRow | None:
        """The gap to show first: of this run's page against its text, preferably with an interval.

        None if there are only a few items, about which large type would say too much.
        """
        about = [row for row in self.gaps if row.is_own and row.gap.items >= ITEMS_MIN]
        pages = [row for row in about if ARMS[row.gap.b.arm].has_page and not ARMS[row.gap.a.arm].has_page]
        ranked = sorted(pages or about, key=lambda row: (row.gap.low is None, ARMS[row.gap.b.arm].has_text))
        return ranked[0] if ranked else None

    @property
    def why_none(self) -> str:
        if self.gaps or not self.arms:
            return ""
        family = self._comparison.family
        if len(family.members) < 2:
            return ALONE.format(whole="evaluation" if family.has_report else "model")
        return UNCOMPARED

    def _row(self, gap: Gap) -> GapRow:
        own = {member.key for member in self._comparison.family.members if member.is_own}
        return GapRow(
            gap=gap,
            is_own=bool(own & {gap.a, gap.b}),
            x=self._place(gap.value),
            low_x=self._place(gap.low),
            high_x=self._place(gap.high),
        )

    def _place(self, value: float | None) -> str:
        share = max(-1.0, min(1.0, (value or 0.0) * 100 / self.reach))
        return f"{PLOT_MIDDLE + PLOT_HALF * share:.1f}"


def comparison_of(family: Family) -> Comparison:
    others = {member.run.pk for member in family.members if not member.is_own}
    tallies: dict[tuple[int, str], Tally] = {
        (run, arm): tally
        for run in sorted({family.run.pk, *others})
        for arm, tally in run_tallies_by_arm(run_id=run).items()
    }
    judged = sum(tallies[m.run.pk, m.key.arm].judged for m in family.members)
    return Comparison(family=family, tallies=tallies, gaps=run_gaps(family, judged=judged))


def signed(value: Any) -> str:
    """Format a share in points, with its sign."""
    if value is None:
        return ""
    text = numeral(value * 100, "+.1f")
    return "0.0" if text in ("+0.0", "−0.0") else text


def _members(comparison: Comparison, own: Mapping[str, Tally]) -> list[ArmRow]:
    return [_row(member, comparison.tallies, own) for member in comparison.family.members]


def _row(member: Member, others: Mapping[tuple[int, str], Tally], own: Mapping[str, Tally]) -> ArmRow:
    arm = member.key.arm
    tally = own.get(arm) if member.is_own else others.get((member.run.pk, arm))
    return ArmRow(
        arm=arm,
        label=member.key.label,
        tally=tally or Tally(),
        run=None if member.is_own else member.run,
        shared=None if member.is_own else member.shared,
    )


def _unjudged(family: Family, own: Mapping[str, Tally]) -> list[ArmRow]:
    """Return the run's arms that have no judged episode."""
    judged = {member.key.arm for member in family.members if member.is_own}
    return [
        ArmRow(arm=arm, label=ARMS[arm].label, tally=tally, run=None, shared=None)
        for arm, tally in own.items()
        if arm not in judged
    ]
