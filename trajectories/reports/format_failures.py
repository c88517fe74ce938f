"""Format failures: episodes lost by the form of the output, not by a wrong answer; decision 0076."""

from __future__ import annotations

from dataclasses import dataclass

from core.sql import Statement, sql_read

IS_FAILURE = sql_read(__file__, "is_format_failure")
IS_REPAIRED = sql_read(__file__, "is_repaired", is_failure=IS_FAILURE)
TALLIES = Statement(__file__, "format_tallies", is_failure=IS_FAILURE, is_repaired=IS_REPAIRED)


@dataclass(frozen=True)
class FormatTally:
    """An arm's ``judged`` episodes, and how many of them ``failed`` by their form or were ``repaired``."""

    judged: int
    failed: int
    repaired: int

    @property
    def share(self) -> float:
        return self.failed / self.judged


def format_tallies(*, run_id: int) -> dict[str, FormatTally]:
    """Return the tallies of a run by arm, without arms that have no judged episodes."""
    return {arm: FormatTally(*counts) for arm, *counts in TALLIES.rows(run=run_id)}
