"""The outcomes of verdicts and the reward for each, defined only here.

Trainers are given rewards. Code that counts how episodes ended uses outcomes instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Outcome = Literal["correct", "incorrect", "void"]

CORRECT: Final = "correct"
INCORRECT: Final = "incorrect"
VOID: Final = "void"

REWARDS: Mapping[Outcome, float | None] = {CORRECT: 1.0, INCORRECT: 0.0, VOID: None}
"""A void verdict has no reward, which is different from a reward of zero."""
JUDGED: tuple[Outcome, ...] = tuple(outcome for outcome, reward in REWARDS.items() if reward is not None)


def outcome_of(*, is_correct: bool) -> Outcome:
    """Return the outcome for a verifier's decision."""
    return CORRECT if is_correct else INCORRECT
