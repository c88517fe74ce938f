"""Samples of steps: how many of each stratum, and what each of them stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.sql import Statement, sql_read

PARTS = ("arm", "outcome", "benchmark")
_STRATUM = sql_read(__file__, "stratum")
_STRATA = Statement(__file__, "strata", stratum=_STRATUM)
_DRAW = Statement(__file__, "units_draw", stratum=_STRATUM)


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """Counts of steps: ``steps`` have a thought, of which ``drawn`` are in the sample."""

    name: str
    steps: int
    hidden: int
    empty: int
    drawn: int = 0

    @property
    def weight(self) -> float:
        """How many steps of the stratum a drawn one stands for."""
        return self.steps / self.drawn if self.drawn else 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def strata(*, episodes: list[int], by: list[str]) -> list[Stratum]:
    """The strata of all steps of these episodes; ``by`` are some of ``PARTS``."""
    rows = _STRATA.rows(episodes=episodes, by=by)
    return [
        Stratum(name=name, steps=steps, hidden=hidden, empty=empty) for name, steps, hidden, empty in rows
    ]


def shares(counts: Mapping[str, int], *, total: int, is_equal: bool) -> dict[str, int]:
    """How many of ``total`` to draw from each stratum: the same number from each as far as it goes, or in
    proportion to its size, and at least one."""
    left, places = min(total, sum(counts.values())), dict.fromkeys(counts, 0)
    open_ = {name: count for name, count in counts.items() if count}
    while left and open_:
        weight = {name: 1 if is_equal else counts[name] for name in open_}
        unit = left / sum(weight.values())
        given = 0
        for name in sorted(open_, key=lambda name: (counts[name], name)):
            more = min(open_[name], max(1, int(unit * weight[name])), left - given)
            places[name] += more
            open_[name] -= more
            given += more
        left -= given
        open_ = {name: count for name, count in open_.items() if count}
    return places


def units_draw(*, project: int, episodes: list[int], by: list[str], seed: int, sample: list[Stratum]) -> int:
    """Write the units of a project, in random order; returns how many."""
    drawn = [stratum for stratum in sample if stratum.drawn]
    return _DRAW.run(
        project=project,
        episodes=episodes,
        by=by,
        seed=seed,
        strata=[stratum.name for stratum in drawn],
        drawn=[stratum.drawn for stratum in drawn],
        weights=[stratum.weight for stratum in drawn],
    )
