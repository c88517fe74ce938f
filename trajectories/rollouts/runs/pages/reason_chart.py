"""Chart of end reasons by policy version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.protocol.end_reasons import END_REASONS
from trajectories.rollouts.runs.pages.curves import Endings

# Neighbouring versions share a bar where there are more.
BARS_MAX = 60
REASONS_SHOWN = 7
OTHER = "other"
# In units of the drawing's SVG.
WIDTH, HEIGHT = 360, 150
LEFT, RIGHT, TOP, BOTTOM = 36, 6, 8, 20


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A reason with its outcome; ``tone`` is its place among those of the outcome, for the colour."""

    outcome: str
    code: str
    label: str
    tone: int

    @property
    def css(self) -> str:
        return f"reason-{self.outcome}-{self.tone}"


@dataclass(frozen=True, kw_only=True)
class Part:
    reason: Reason
    count: int
    y: str
    height: str


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The episodes of some neighbouring versions."""

    label: str
    total: int
    counts: Sequence[int]
    x: str
    width: str
    parts: Sequence[Part]


@dataclass(frozen=True, kw_only=True)
class ReasonChart:
    reasons: Sequence[Reason]
    bars: Sequence[Bar]
    first: str
    newest: str
    base: int = HEIGHT - BOTTOM


def reason_chart(ends: Mapping[int, Endings]) -> ReasonChart | None:
    """Build the chart; None for fewer than two versions, where the list of end reasons says it all."""
    versions = sorted(ends)
    if len(versions) < 2:
        return None
    stride = -(-len(versions) // BARS_MAX)
    bins = [versions[start : start + stride] for start in range(0, len(versions), stride)]
    reasons = _reasons(ends)
    step = (WIDTH - LEFT - RIGHT) / len(bins)
    bars = [_bar(bin_, ends, reasons, x=LEFT + place * step, step=step) for place, bin_ in enumerate(bins)]
    return ReasonChart(
        reasons=reasons, bars=bars, first=f"version {versions[0]}", newest=f"version {versions[-1]}"
    )


def _reasons(ends: Mapping[int, Endings]) -> list[Reason]:
    """Return the most frequent reasons by outcome; the rest of each outcome is one."""
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


def _bar(
    versions: Sequence[int], ends: Mapping[int, Endings], reasons: Sequence[Reason], *, x: float, step: float
) -> Bar:
    named = {(reason.outcome, reason.code) for reason in reasons}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for version in versions:
        for (outcome, code), episodes in ends[version].items():
            counts[(outcome, code) if (outcome, code) in named else (outcome, OTHER)] += episodes
    total = sum(counts.values())
    base, unit, parts = float(HEIGHT - BOTTOM), (HEIGHT - TOP - BOTTOM) / total, []
    for reason in reasons:
        if count := counts[reason.outcome, reason.code]:
            base -= count * unit
            parts.append(Part(reason=reason, count=count, y=f"{base:.1f}", height=f"{count * unit:.1f}"))
    first, last = versions[0], versions[-1]
    return Bar(
        label=f"Version {first}" if first == last else f"Versions {first} to {last}",
        total=total,
        counts=[counts[reason.outcome, reason.code] for reason in reasons],
        x=f"{x + min(1.0, step / 8):.1f}",
        width=f"{max(step - min(2.0, step / 4), 0.5):.1f}",
        parts=parts,
    )
