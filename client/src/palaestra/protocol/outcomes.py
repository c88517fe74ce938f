"""The outcomes of verdicts and the reward of each: the one place that pairs them.

A reward is what a trainer is handed. Whoever counts how episodes ended goes by their outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Outcome = Literal["correct", "incorrect", "void"]

CORRECT: Final = "correct"
INCORRECT: Final = "incorrect"
VOID: Final = "void"

REWARDS: Mapping[Outcome, float | None] = {CORRECT: 1.0, INCORRECT: 0.0, VOID: None}
"""A void verdict has no reward, which is not a reward of zero."""
JUDGED: tuple[Outcome, ...] = tuple(outcome for outcome, reward in REWARDS.items() if reward is not None)


def outcome_of(*, is_correct: bool) -> Outcome:
    """Return the outcome that a verifier's opinion makes."""
    return CORRECT if is_correct else INCORRECT
