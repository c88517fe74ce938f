"""Axes of charts, with round numbers at their ends and positions for the values between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trajectories.shell.text.values import numeral

TICKS = 5
STEPS = (1, 2, 5)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A scale that maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``."""

    low: float
    high: float
    step: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    @property
    def ticks(self) -> Sequence[tuple[str, float]]:
        count = round((self.high - self.low) / self.step)
        values = [round(self.low + number * self.step, 10) for number in range(count + 1)]
        return [(numeral(value, ",g"), self.place(value)) for value in values]


def scale_of(
    values: Iterable[float], *, start: float, end: float, within: tuple[float, float] = (-math.inf, math.inf)
) -> Scale:
    """Return a scale that spans all values, with room on both sides of a single value. Its ends are round
    numbers, clamped to ``within``.
    """
    known = list(values)
    low, high = min(known), max(known)
    if low == high:
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
        low, high = max(low, within[0]), min(high, within[1])
    step = step_of(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return Scale(low=max(low, within[0]), high=min(high, within[1]), step=step, start=start, end=end)


def share_scale(*, start: float, end: float) -> Scale:
    """Return the axis from 0 to 100 percent."""
    return Scale(low=0.0, high=100.0, step=25.0, start=start, end=end)


def step_of(span: float) -> float:
    """Return the smallest step of 1, 2, 5, 10, 20, 50... (or their tenths) that gives few enough ticks."""
    power = math.pow(10, math.floor(math.log10(span / TICKS)))
    return next(power * step for step in (*STEPS, 10) if span / (power * step) <= TICKS)
