"""Impossible tasks and their paired tasks: the same text about a world in which they are possible.

An agent that always claims impossibility gets every impossible task right and every other one wrong. Getting
both tasks of a pair right shows that it looked.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from msgspec import Meta, Struct

from core.intervals import wilson
from core.sql import Statement
from trajectories.models.sums import Scope

PAIRS = Statement(__file__, "pairs")


class PairedTally(Struct, frozen=True):
    """Pairs of one family in one arm with both tasks judged. Shares are from 0 to 1."""

    arm: str
    benchmark: str
    family: str
    pairs: int
    possible: Annotated[float, Meta(description="Share of right answers to the possible task.")]
    impossible: Annotated[float, Meta(description="Share of right answers to the impossible task.")]
    both: Annotated[float, Meta(description="Share of pairs with both right, in independent attempts.")]
    low: Annotated[float, Meta(description="95% Wilson interval of `both`, over pairs.")]
    high: float


def paired_tallies(*, run_id: int, splits: Collection[str] = ()) -> list[PairedTally]:
    """The tallies by arm, benchmark and family; empty for runs without pairs."""
    return [_tally(*row) for row in PAIRS.rows(run=run_id, scope=Scope.ARM, splits=list(splits))]


def _tally(*row: Any) -> PairedTally:
    *_, pairs, _, _, both = row
    values = [*row, *wilson(share=both, n=pairs)]
    return PairedTally(*values)
