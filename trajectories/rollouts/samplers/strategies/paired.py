"""Tasks without recent success, each opened both with and without the beginning of its solution."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from core.database.integers import INT_MAX
from core.structs.fields import Id
from palaestra.protocol.arms import PAGE_ARMS
from trajectories.rollouts.samplers.types import (
    PREFIX,
    Chance,
    Choice,
    Fraction,
    Pool,
    Prefixes,
    Strategy,
    strategy,
)


@strategy
class PairedStrategy(Strategy, frozen=True, tag="paired"):
    """Tasks without a success in their ``last`` results, each opened twice: with guidance and without.

    Both get the same number of samples. The guidance is the shortest prefix that had a success in the run
    ``searched`` (null: the sampler's own run), or else the share ``fraction`` of the solution, as far as it
    can be given. If ``guidance`` is ``start_state``, it is the start state after as many acts of the scripted
    solution recorded in the ``arm``. A task for which nothing can be given is drawn once, without guidance.
    ``least`` is the number of results that a task must have. A draw has fewer tasks than requested if fewer
    qualify; tasks that were drawn least often come first.

    Guided and unguided samples in equal numbers, and about a quarter of the solution if no prefix had a
    success, are from POPE (arXiv 2601.18779).
    """

    last: Annotated[int, Meta(ge=1, le=INT_MAX)] = 16
    least: Annotated[int, Meta(ge=0, le=INT_MAX)] = 0
    fraction: Fraction = 0.25
    searched: Id | None = None
    guidance: Literal["prefix", "start_state"] = PREFIX
    arm: Annotated[str, Meta(max_length=64)] = "gym"
    is_guiding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.arm not in PAGE_ARMS:
            raise ValueError(f"the arm {self.arm} has no pages to start on")

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        import numpy

        # A task with fewer results than ``last`` must have failed in all of them.
        is_hard = (pool.failures >= numpy.minimum(pool.judged, self.last)) & (pool.judged >= self.least)
        order = numpy.lexsort((chance.uniforms(len(pool), "pairs"), pool.drawn))
        rows = map(int, order[is_hard[order]][:count])
        return [choice for row in rows for choice in self._pair(row, pool.prefixes, int(pool.failures[row]))]

    def _pair(self, row: int, prefixes: Prefixes, failures: int) -> list[Choice]:
        of, givable, shortest = (
            int(column[row]) for column in (prefixes.of, prefixes.givable, prefixes.shortest)
        )
        is_searched = 0 < shortest <= givable
        part = math.ceil(self.fraction * of)
        steps = shortest if is_searched else min(part, givable)
        if not steps:
            why = prefixes.no_prefix(row, steps=part, kind=self.guidance)
            return [Choice(row=row, why={**why, "failures": failures})]
        why = {"steps": steps, "of": of, "is_searched": is_searched, "failures": failures}
        return [
            Choice(
                row=row, why={"reason": "guided", **why}, guidance={"kind": self.guidance, "steps": steps}
            ),
            Choice(row=row, why={"reason": "unguided", "failures": failures}),
        ]
