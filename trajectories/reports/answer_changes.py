"""Effect of checking on first answers, in runs that have them checked; decision 0098."""

from __future__ import annotations

from dataclasses import dataclass

from core.sql import Statement

TALLIES = Statement(__file__, "answer_changes")


@dataclass(frozen=True)
class AnswerChanges:
    """Judged episodes of an ``arm``; ``single`` ones have no second answer beside their first."""

    arm: str
    wrong_to_right: int
    right_to_wrong: int
    still_right: int
    still_wrong: int
    single: int


def answer_changes(*, run_id: int) -> list[AnswerChanges]:
    """Return the changes of a run by arm, without arms that have no judged episodes."""
    return [AnswerChanges(*row) for row in TALLIES.rows(run=run_id)]
