"""The scrubber: an episode's steps along its time, each as wide as its duration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from core.sql import Statement
from trajectories.actions.checks import Tone
from trajectories.shell.queries import steps

# More would be narrower than a pixel; a long episode has a stretch of several steps in each.
STRETCHES_MAX = 250
WIDTH = 1_000
_TIMES = Statement(steps.__file__, "step_times")


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """One step, or several from ``index`` on; ``x`` and ``width`` are places on the scrubber."""

    index: int
    start_ms: float
    x: float
    width: float
    tone: Tone


@dataclass(frozen=True, kw_only=True)
class Scrubber:
    """The stretches in order, and how long all of them took."""

    stretches: Sequence[Stretch]
    total_ms: float

    @cached_property
    def times(self) -> str:
        """Number and start of each stretch, in the form that scripts read: ``1,0 2,1200``."""
        return " ".join(f"{one.index},{one.start_ms:.0f}" for one in self.stretches)


def scrubber_of(*, episode_id: int) -> Scrubber:
    rows = _TIMES.rows(episode=episode_id, most=STRETCHES_MAX)
    starts = list(accumulate((row[1] for row in rows), initial=0.0))
    total = starts[-1] or 1.0
    stretches = [
        Stretch(
            index=index,
            start_ms=start,
            x=round(start / total * WIDTH, 2),
            width=round(ms / total * WIDTH, 2),
            tone="bad" if is_bad else "warn" if is_warned else "plain",
        )
        for (index, ms, is_bad, is_warned), start in zip(rows, starts, strict=False)
    ]
    return Scrubber(stretches=stretches, total_ms=total)
