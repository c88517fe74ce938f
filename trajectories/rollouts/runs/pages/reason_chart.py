"""Chart of end reasons by policy version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.protocol.end_reasons import END_REASONS
from trajectories.rollouts.runs.pages.curves import Endings
from trajectories.shell.charts.bars import Bar, BarChart
from trajectories.shell.charts.drawing import Drawing

# With more versions than this, neighbouring versions share a bar.
BARS_MAX = 60
REASONS_SHOWN = 7
OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A reason with its outcome. ``tone`` is its rank among the outcome's reasons and chooses the colour."""

    outcome: str
    code: str
    label: str
    tone: int

    @property
    def css(self) -> str:
        return f"reason-{self.outcome}-{self.tone}"


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The episodes of one or several neighbouring versions, counted by reason."""

    label: str
    counts: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class ReasonChart:
    """A chart with a bar for each entry of ``versions``, from version ``first`` to version ``newest``."""

    reasons: Sequence[Reason]
    versions: Sequence[Versions]
    first: int
    newest: int

    @property
    def drawing(self) -> Drawing:
        return BarChart(
            name="reasons",
            title="End reasons by policy version",
            description="All values are in the table below.",
            bars=[self._bar(versions) for versions in self.versions],
            ends=(f"version {self.first}", f"version {self.newest}"),
        ).draw()

    def _bar(self, versions: Versions) -> Bar:
        counts = list(zip(self.reasons, versions.counts, strict=True))
        parts = [f"{count:,} {reason.outcome} ({reason.label})" for reason, count in counts if count]
        return Bar(
            tip=f"{versions.label}: {', '.join([f'{sum(versions.counts):,} ended', *parts])}",
            parts=[(reason.css, count) for reason, count in counts],
        )


def reason_chart(ends: Mapping[int, Endings]) -> ReasonChart | None:
    """Build the chart.

    Returns None for fewer than two versions, for which the list of reasons is enough.
    """
    numbers = sorted(ends)
    if len(numbers) < 2:
        return None
    stride = -(-len(numbers) // BARS_MAX)
    reasons = _reasons(ends)
    return ReasonChart(
        reasons=reasons,
        versions=[
            _count(numbers[start : start + stride], ends, reasons) for start in range(0, len(numbers), stride)
        ],
        first=numbers[0],
        newest=numbers[-1],
    )


def _reasons(ends: Mapping[int, Endings]) -> list[Reason]:
    """Return the most frequent reasons by outcome, with each outcome's other reasons combined into one."""
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for by_reason in ends.values():
        for key, episodes in by_reason.items():
            totals[key] += episodes
    frequent = sorted(totals, key=lambda key: (-totals[key], key))
    named, rest = frequent[:REASONS_SHOWN], frequent[REASONS_SHOWN:]
    keys = [*named, *dict.fromkeys((outcome, OTHER) for outcome, _ in rest)]
    order = ("correct", "incorrect", "void")
    keys.sort(key=lambda key: (order.index(key[0]), key[1] == OTHER))
    tones: dict[str, int] = defaultdict(int)
    reasons = []
    for outcome, code in keys:
        label = END_REASONS[code].label if code in END_REASONS else code
        reasons.append(Reason(outcome=outcome, code=code, label=label, tone=min(tones[outcome], 3)))
        tones[outcome] += 1
    return reasons


def _count(numbers: Sequence[int], ends: Mapping[int, Endings], reasons: Sequence[Reason]) -> Versions:
    """Add up the endings of neighbouring versions."""
    named = {(reason.outcome, reason.code) for reason in reasons}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for number in numbers:
        for (outcome, code), episodes in ends[number].items():
            counts[(outcome, code) if (outcome, code) in named else (outcome, OTHER)] += episodes
    first, last = numbers[0], numbers[-1]
    return Versions(
        label=f"Version {first}" if first == last else f"Versions {first} to {last}",
        counts=[counts[reason.outcome, reason.code] for reason in reasons],
    )
