"""Impossible tasks beside their paired tasks: the same words about a world in which they are possible.

An agent that always claims impossibility gets every impossible task right and every other one wrong. Getting
both tasks of a pair right shows that it looked.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from core.sql import Statement
from trajectories.reports.statistics import wilson

PAIRS = Statement(__file__, "pairs")


class PairedTally(Struct, frozen=True):
    """The pairs of one family in one arm with both tasks judged; shares from 0 to 1.

    ``possible`` and ``impossible`` are mean shares of correct verdicts on one task of each pair; ``both`` is
    the chance that both are correct in independent tries, with its 95% Wilson interval over the pairs.
    """

    arm: str
    benchmark: str
    family: str
    pairs: int
    possible: float
    impossible: float
    both: float
    low: float
    high: float


def paired_tallies(*, run_id: int, splits: Collection[str] = ()) -> list[PairedTally]:
    """By arm, benchmark and family; empty for runs without pairs."""
    return [_tally(*row) for row in PAIRS.rows(run=run_id, splits=list(splits))]


def _tally(*row: Any) -> PairedTally:
    *_, pairs, _, _, both = row
    values = [*row, *wilson(share=both, n=pairs)]
    return PairedTally(*values)
