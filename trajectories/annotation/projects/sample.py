"""Stratified samples of steps, trajectories or pairs: each stratum's number of draws, and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.database.sql import Statement, sql_read

PARTS = ("arm", "outcome", "benchmark")
# The most episodes of one task, or of one page of a task, that are paired with each other.
PAIRED_MAX = 20
_STRATUM = sql_read(__file__, "stratum")
_STRATA = Statement(__file__, "strata", stratum=_STRATUM)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of unit that a project can draw. ``none`` is the message if there is nothing to draw."""

    level: str
    title: str
    none: str
    draw: Statement
    strata: Statement


def _kind(name: str, *, level: str, title: str, none: str) -> Kind:
    candidates = sql_read(__file__, f"candidates_{name}", stratum=_STRATUM)
    return Kind(
        level=level,
        title=title,
        none=none,
        draw=Statement(__file__, "units_draw", candidates=candidates),
        strata=_STRATA if name == "step" else Statement(__file__, "strata_counted", candidates=candidates),
    )


KINDS = {
    "step": _kind(
        "step",
        level="step",
        title="Thoughts of steps",
        none="None of these episodes has a step with a thought. Choose other episodes.",
    ),
    "trajectory": _kind(
        "trajectory",
        level="trajectory",
        title="Whole trajectories",
        none="None of these episodes has both ended and recorded a step. Choose other episodes.",
    ),
    "trajectory_pair": _kind(
        "trajectory_pair",
        level="pair",
        title="Pairs of trajectories of a task",
        none=(
            "No two of these episodes are ended attempts at the same task. "
            "Choose episodes of several samples, arms, runs or policies."
        ),
    ),
    "step_pair": _kind(
        "step_pair",
        level="pair",
        title="Pairs of next steps on the same page",
        none=(
            "No two of these episodes saw the same page in the same task and then acted differently. "
            "Choose episodes of several samples, runs or policies, or pairs of trajectories."
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """A stratum with its counts.

    ``steps`` counts its candidates: steps with a thought, trajectories or pairs. ``hidden`` and ``empty``
    count steps whose thought is hidden or missing, and ``drawn`` the candidates in the sample.
    """

    name: str
    steps: int
    hidden: int
    empty: int
    drawn: int = 0

    @property
    def weight(self) -> float:
        """The number of candidates in the stratum that each drawn unit represents."""
        return self.steps / self.drawn if self.drawn else 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def count_strata(*, episodes: list[int], by: list[str], seed: int = 0, kind: str = "step") -> list[Stratum]:
    """Count the candidates in these episodes by stratum.

    ``by`` names the parts of ``PARTS`` that make up a stratum; pairs are always stratified by task.
    """
    rows = KINDS[kind].strata.rows(episodes=episodes, by=by, seed=seed, most=PAIRED_MAX)
    return [
        Stratum(name=name, steps=steps, hidden=hidden, empty=empty) for name, steps, hidden, empty in rows
    ]


def split_shares(counts: Mapping[str, int], *, total: int, is_equal: bool) -> dict[str, int]:
    """Split ``total`` over the strata, equally (as far as each stratum has candidates) or by size.

    Every stratum gets at least one, unless there are more strata than ``total``.
    """
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


def units_draw(
    *, project: int, episodes: list[int], by: list[str], seed: int, sample: list[Stratum], kind: str = "step"
) -> int:
    """Draw and store a project's units in random order, and return their number."""
    drawn = [stratum for stratum in sample if stratum.drawn]
    return KINDS[kind].draw.run(
        project=project,
        episodes=episodes,
        by=by,
        seed=seed,
        most=PAIRED_MAX,
        strata=[stratum.name for stratum in drawn],
        drawn=[stratum.drawn for stratum in drawn],
        weights=[stratum.weight for stratum in drawn],
    )
