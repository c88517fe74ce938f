"""The reward of an outcome, as SQL."""

from __future__ import annotations

from palaestra.protocol.outcomes import JUDGED, REWARDS


def reward_sql(column: str) -> str:
    """Build an SQL expression for the reward of the outcome in a column; null if there is no verdict."""
    cases = " ".join(f"WHEN '{outcome}' THEN {REWARDS[outcome]}" for outcome in JUDGED)
    return f"CASE {column} {cases} END"
