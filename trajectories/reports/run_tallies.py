"""Tallies of one run's judged episodes: format failures, answers changed by checking, and paired tasks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from core.database.sql import Statement, sql_read
from core.statistics import wilson
from trajectories.models.sums import Scope

# SQL for whether an episode was lost by the form of its output and not by a wrong answer; see decision 0076.
IS_FAILURE = sql_read(__file__, "is_format_failure")
IS_REPAIRED = sql_read(__file__, "is_repaired", is_failure=IS_FAILURE)
_FORMATS = Statement(__file__, "format_tallies", is_failure=IS_FAILURE, is_repaired=IS_REPAIRED)
_CHANGES = Statement(__file__, "answer_changes")
_PAIRS = Statement(__file__, "pairs")


@dataclass(frozen=True)
class FormatTally:
    """The number of an arm's ``judged`` episodes, and of those that ``failed`` or were ``repaired``."""

    judged: int
    failed: int
    repaired: int

    @property
    def share(self) -> float:
        return self.failed / self.judged


def format_tallies(*, run_id: int) -> dict[str, FormatTally]:
    """Return a run's format tallies by arm, leaving out arms without judged episodes."""
    return {arm: FormatTally(*counts) for arm, *counts in _FORMATS.rows(run=run_id)}


@dataclass(frozen=True)
class AnswerChanges:
    """The effect of checking on first answers (decision 0098), as counts of an ``arm``'s judged episodes.

    ``single`` counts episodes without a second answer.
    """

    arm: str
    wrong_to_right: int
    right_to_wrong: int
    still_right: int
    still_wrong: int
    single: int


def answer_changes(*, run_id: int) -> list[AnswerChanges]:
    """Return a run's answer changes by arm, leaving out arms without judged episodes."""
    return [AnswerChanges(*row) for row in _CHANGES.rows(run=run_id)]


# An impossible task is paired with the same text about a world in which it is possible. An agent that always
# claims impossibility gets every impossible task right and every other one wrong, so only getting both tasks
# of a pair right shows that it looked.
class PairedTally(Struct, frozen=True):
    """The results on paired tasks of one family in one arm, over pairs with both tasks judged.

    Shares are from 0 to 1.
    """

    arm: str
    benchmark: str
    family: str
    pairs: int
    possible: Annotated[float, Meta(description="Share of right answers to the possible task.")]
    impossible: Annotated[float, Meta(description="Share of right answers to the impossible task.")]
    both: Annotated[float, Meta(description="Share of pairs with both tasks right, in independent attempts.")]
    low: Annotated[float, Meta(description="95% Wilson interval of `both`, over pairs.")]
    high: float


def paired_tallies(*, run_id: int, splits: Collection[str] = ()) -> list[PairedTally]:
    """Return a run's paired tallies by arm, benchmark and family; empty for runs without pairs."""
    rows = _PAIRS.rows(run=run_id, scope=Scope.ARM, splits=list(splits))
    # The last four columns are the number of pairs, the shares of the two tasks, and the share of both.
    return [PairedTally(*[*row, *wilson(share=row[-1], n=row[-4])]) for row in rows]
