"""End reasons: every verdict's outcome and every close reason follows from one table."""

from __future__ import annotations

import pytest

from core.reasons import CLOSE_REASONS, END_REASONS, HARMLESS_VOIDS
from trajectories import hot_sql
from trajectories.models import Episode, Verdict


def test_only_the_agents_own_endings_are_judged_and_only_they_are_truncated() -> None:
    for reason in END_REASONS.values():
        assert (reason.outcome == "void") == (reason.fault != "agent")
        assert not reason.is_truncated or reason.outcome == "incorrect"


def test_voids_that_are_nobodys_fault_are_harmless() -> None:
    assert set(HARMLESS_VOIDS) == {"cancelled", "expired_unused"}


def test_an_agent_that_stops_ends_without_a_submission() -> None:
    assert CLOSE_REASONS["agent_stopped"].code == "no_submission"


def test_reasons_fit_their_columns() -> None:
    for model, field, codes in (
        (Verdict, "reason", END_REASONS),
        (Episode, "close_reason", CLOSE_REASONS),
    ):
        assert max(map(len, codes)) <= (model._meta.get_field(field).max_length or 0)


def test_an_ending_that_needs_a_verifier_cannot_be_written_without_one() -> None:
    with pytest.raises(ValueError, match="needs a verifier"):
        hot_sql.Ending.unjudged(1, "answer")
