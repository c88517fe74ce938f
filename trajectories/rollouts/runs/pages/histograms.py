"""Cost of episodes by outcome: steps, tokens, and the share of their budgets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.sql import Statement
from palaestra.protocol.arms import ARMS
from trajectories.models import Verdict

# The latest, so that a long run's page costs what a short one's does.
EPISODES_COUNTED = 1_000
BINS_MAX = 16
OUTCOMES = ("correct", "incorrect", "void")
# In units of the drawing's SVG.
WIDTH, HEIGHT = 360, 150
LEFT, RIGHT, TOP, BOTTOM = 36, 6, 8, 20
_SPENT = Statement(__file__, "spent")


class Spent(NamedTuple):
    """One episode. ``tokens`` are those of its completions, None if no step states them."""

    arm: str
    outcome: str
    steps: int
    max_steps: int
    tokens: float | None
    token_budget: int | None

    @property
    def share(self) -> float | None:
        """Share used of the budget that is closest to exhaustion.

        Answers in free text have no step budget.
        """
        shares = [] if ARMS[self.arm].is_free_text else [self.steps / self.max_steps]
        if self.tokens is not None and self.token_budget:
            shares.append(self.tokens / self.token_budget)
        return min(max(shares), 1.0) if shares else None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The episodes of one outcome in a bin."""

    outcome: str
    count: int
    y: str
    height: str


@dataclass(frozen=True, kw_only=True)
class Bin:
    label: str
    total: int
    counts: Sequence[int]
    x: str
    width: str
    bars: Sequence[Bar]


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """``episodes`` of them have the value; ``ticks`` are texts below the bins, with their places."""

    id: str
    title: str
    unit: str
    note: str
    bins: Sequence[Bin]
    ticks: Sequence[tuple[str, str]]
    highest: int
    episodes: int
    outcomes: Sequence[str] = OUTCOMES
    width: int = WIDTH
    height: int = HEIGHT
    base: int = HEIGHT - BOTTOM


@dataclass(frozen=True, kw_only=True)
class Histograms:
    """Histograms over ``episodes``, the ``latest`` at most."""

    histograms: Sequence[Histogram]
    episodes: int
    is_sample: bool
    latest: int = EPISODES_COUNTED


def histograms_of(run_id: int) -> Histograms | None:
    """Build the histograms; None until an episode has ended."""
    rows = [Spent(*row) for row in _SPENT.rows(run=run_id, latest=EPISODES_COUNTED)]
    made = [
        _counted("steps", "Steps", "steps", rows, lambda row: row.steps),
        _counted("tokens", "Completion tokens", "tokens", rows, lambda row: row.tokens),
        _shares(rows),
    ]
    histograms = [one for one in made if one]
    if not histograms:
        return None
    # Guided episodes are among the latest, and are left out.
    ended = Verdict.objects.filter(run=run_id, run_seq=EPISODES_COUNTED + 1)
    return Histograms(histograms=histograms, episodes=len(rows), is_sample=ended.exists())


def _counted(
    name: str, title: str, unit: str, rows: Iterable[Spent], value_of: Callable[[Spent], float | None]
) -> Histogram | None:
    known = [(value, row.outcome) for row in rows if (value := value_of(row)) is not None]
    if not known:
        return None
    size = bin_size(max(value for value, _ in known))
    placed = [(int(value // size), outcome) for value, outcome in known]
    last = max(place for place, _ in placed)
    labels = [_range(place * size, size) for place in range(last + 1)]
    return _drawn(name, title, unit, "", placed, labels, [f"{place * size:,}" for place in range(last + 1)])


def _shares(rows: Iterable[Spent]) -> Histogram | None:
    known = [(share, row.outcome) for row in rows if (share := row.share) is not None]
    if not known:
        return None
    placed = [(min(int(share * 10), 9), outcome) for share, outcome in known]
    labels = [f"{place * 10}% to {place * 10 + 10}%" for place in range(10)]
    note = "of steps or completion tokens, whichever came nearer to its limit"
    ticks = [f"{place * 10}%" for place in range(10)]
    return _drawn("budget", "Outcome by share of budget used", "of the budget", note, placed, labels, ticks)


def bin_size(largest: float) -> int:
    """Return 1, 2 or 5 times a power of ten: the smallest size that needs at most ``BINS_MAX`` bins."""
    least = (largest + 1) / BINS_MAX
    power = 10 ** max(0, math.floor(math.log10(least))) if least > 1 else 1
    return next(size for times in (1, 2, 5, 10) if (size := times * power) >= least)


def _range(start: int, size: int) -> str:
    return f"{start:,}" if size == 1 else f"{start:,} to {start + size - 1:,}"


def _drawn(
    name: str,
    title: str,
    unit: str,
    note: str,
    placed: Sequence[tuple[int, str]],
    labels: Sequence[str],
    starts: Sequence[str],
) -> Histogram:
    counts = Counter(placed)
    totals = [sum(counts[place, outcome] for outcome in OUTCOMES) for place in range(len(labels))]
    highest = max(totals)
    step = (WIDTH - LEFT - RIGHT) / len(labels)
    bins = [
        Bin(
            label=label,
            total=totals[place],
            counts=[counts[place, outcome] for outcome in OUTCOMES],
            x=f"{LEFT + place * step + 1:.1f}",
            width=f"{max(step - 2, 1):.1f}",
            bars=_bars([(outcome, counts[place, outcome]) for outcome in OUTCOMES], highest),
        )
        for place, label in enumerate(labels)
    ]
    stride = -(-len(starts) // 8)
    ticks = [
        (start, f"{LEFT + (place + 0.5) * step:.1f}")
        for place, start in enumerate(starts)
        if not place % stride
    ]
    return Histogram(
        id=name,
        title=title,
        unit=unit,
        note=note,
        bins=bins,
        ticks=ticks,
        highest=highest,
        episodes=len(placed),
    )


def _bars(counts: Sequence[tuple[str, int]], highest: int) -> list[Bar]:
    """The bars of a column, the lowest first."""
    unit, base, bars = (HEIGHT - TOP - BOTTOM) / highest, float(HEIGHT - BOTTOM), []
    for outcome, count in counts:
        if count:
            base -= count * unit
            bars.append(Bar(outcome=outcome, count=count, y=f"{base:.1f}", height=f"{count * unit:.1f}"))
    return bars
