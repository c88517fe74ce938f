"""End reasons: every verdict's outcome and every close reason follows from one table."""

from __future__ import annotations

from typing import get_args

import pytest

from palaestra.protocol.end_reasons import CLOSE_REASONS, END_REASONS, HARMLESS_VOIDS, CloseReason
from trajectories.models import Episode, Verdict
from trajectories.record import hot_sql


def test_only_end_reasons_of_a_budget_truncate() -> None:
    truncated = {reason.code for reason in END_REASONS.values() if reason.is_truncated}
    assert truncated == {"step_budget", "token_budget", "context_length", "time_budget"}
    assert {END_REASONS[code].outcome for code in truncated} == {"incorrect"}


def test_every_outcome_is_an_outcome_of_verdicts() -> None:
    outcomes = {reason.outcome for reason in END_REASONS.values()}
    assert outcomes - {None} <= set(Verdict.Outcome.values)


def test_voids_without_fault_are_harmless() -> None:
    assert set(HARMLESS_VOIDS) == {"cancelled", "cut_off", "expired_unused"}


def test_an_agent_that_stops_ends_without_a_submission() -> None:
    assert CLOSE_REASONS["agent_stopped"].code == "no_submission"


def test_reasons_fit_their_columns() -> None:
    for model, field, codes in ((Verdict, "reason", END_REASONS), (Episode, "close_reason", CLOSE_REASONS)):
        assert max(map(len, codes)) <= (model._meta.get_field(field).max_length or 0)


def test_an_end_reason_that_needs_a_verifier_cannot_be_written_without_one() -> None:
    with pytest.raises(ValueError, match="needs a verifier"):
        hot_sql.Ending.unjudged(1, "answer")


def test_every_reason_for_closing_an_episode_belongs_to_one_end_reason() -> None:
    assert get_args(CloseReason) == tuple(CLOSE_REASONS)
    assert sum(reason.close_code is not None for reason in END_REASONS.values()) == len(CLOSE_REASONS)
