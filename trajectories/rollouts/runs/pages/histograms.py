"""The cost of episodes by outcome: steps, tokens, and the share of their budgets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from trajectories.models import Verdict
from trajectories.shell.charts.bars import Bar, BarChart
from trajectories.shell.charts.drawing import Drawing

# Only the latest episodes count, so that a long run's page costs no more than a short one's.
EPISODES_COUNTED = 1_000
BINS_MAX = 16
OUTCOMES = ("correct", "incorrect", "void")
_SPENT = Statement(__file__, "spent")


class Spent(NamedTuple):
    """One episode's cost. ``tokens`` are those of its completions, None if no step states them."""

    arm: str
    outcome: str
    steps: int
    max_steps: int
    tokens: float | None
    token_budget: int | None

    @property
    def share(self) -> float | None:
        """The share used of the budget that is closest to exhaustion.

        Answers in free text have no step budget.
        """
        shares = [] if ARMS[self.arm].is_free_text else [self.steps / self.max_steps]
        if self.tokens is not None and self.token_budget:
            shares.append(self.tokens / self.token_budget)
        return min(max(shares), 1.0) if shares else None


@dataclass(frozen=True, kw_only=True)
class Bin:
    """One bar. ``counts`` are numbers of episodes by outcome; ``tick`` is the label of the bar's start."""

    label: str
    tick: str
    counts: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """A histogram of the episodes for which the value is known."""

    id: str
    title: str
    unit: str
    note: str
    bins: Sequence[Bin]
    outcomes: Sequence[str] = OUTCOMES

    @property
    def episodes(self) -> int:
        return sum(bin_.total for bin_ in self.bins)

    @property
    def drawing(self) -> Drawing:
        return BarChart(
            name=f"spent-{self.id}",
            title=self.title,
            description="Episodes by outcome. All values are in the table below.",
            bars=[self._bar(bin_) for bin_ in self.bins],
        ).draw()

    def _bar(self, bin_: Bin) -> Bar:
        counts = list(zip(self.outcomes, bin_.counts, strict=True))
        episodes = f"{bin_.total:,} episode{'' if bin_.total == 1 else 's'}"
        parts = [f"{count:,} {outcome}" for outcome, count in counts if count]
        return Bar(
            tip=f"{bin_.label} {self.unit}: {', '.join([episodes, *parts])}",
            parts=[(f"bar-{outcome}", count) for outcome, count in counts],
            tick=bin_.tick,
        )


@dataclass(frozen=True, kw_only=True)
class Histograms:
    """Histograms over ``episodes``, of which there are at most ``latest``."""

    histograms: Sequence[Histogram]
    episodes: int
    is_sample: bool
    latest: int = EPISODES_COUNTED


def build_histograms(run_id: int) -> Histograms | None:
    """Build the histograms, or return None until an episode has ended."""
    rows = [Spent(*row) for row in _SPENT.rows(run=run_id, latest=EPISODES_COUNTED)]
    histograms = [
        histogram
        for histogram in (
            _by_count("steps", "Steps", "steps", rows, lambda row: row.steps),
            _by_count("tokens", "Completion tokens", "tokens", rows, lambda row: row.tokens),
            _by_budget(rows),
        )
        if histogram
    ]
    if not histograms:
        return None
    # Guided episodes are among the latest, but not among the rows. The number of rows therefore does not show
    # whether earlier episodes were left out.
    ended = Verdict.objects.filter(run=run_id, run_seq=EPISODES_COUNTED + 1)
    return Histograms(histograms=histograms, episodes=len(rows), is_sample=ended.exists())


def _by_count(
    name: str, title: str, unit: str, rows: Iterable[Spent], value_of: Callable[[Spent], float | None]
) -> Histogram | None:
    known = [(value, row.outcome) for row in rows if (value := value_of(row)) is not None]
    if not known:
        return None
    size = bin_size(max(value for value, _ in known))
    numbers = Counter((int(value // size), outcome) for value, outcome in known)
    starts = range(0, size * (1 + max(number for number, _ in numbers)), size)
    labels = [
        (f"{start:,}" if size == 1 else f"{start:,} to {start + size - 1:,}", f"{start:,}")
        for start in starts
    ]
    return Histogram(id=name, title=title, unit=unit, note="", bins=_bins(labels, numbers))


def _by_budget(rows: Iterable[Spent]) -> Histogram | None:
    numbers = Counter(
        (min(int(share * 10), 9), row.outcome) for row in rows if (share := row.share) is not None
    )
    labels = [(f"{start}% to {start + 10}%", f"{start}%") for start in range(0, 100, 10)]
    histogram = Histogram(
        id="budget",
        title="Outcome by share of budget used",
        unit="of the budget",
        note="of steps or completion tokens, whichever came nearer to its limit",
        bins=_bins(labels, numbers),
    )
    return histogram if numbers else None


def _bins(labels: Sequence[tuple[str, str]], numbers: Counter[tuple[int, str]]) -> list[Bin]:
    return [
        Bin(label=label, tick=tick, counts=[numbers[number, outcome] for outcome in OUTCOMES])
        for number, (label, tick) in enumerate(labels)
    ]


def bin_size(largest: float) -> int:
    """Return 1, 2 or 5 times a power of ten: the smallest size that needs at most ``BINS_MAX`` bins."""
    least = (largest + 1) / BINS_MAX
    power = 10 ** max(0, math.floor(math.log10(least))) if least > 1 else 1
    return next(size for times in (1, 2, 5, 10) if (size := times * power) >= least)
