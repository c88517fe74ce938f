"""Why an episode has no number."""

from __future__ import annotations

import pytest

from palaestra.api.reward_calls import find_reward, unpaid_reason
from palaestra.records import Verdict
from palaestra.records.rewards import Rewards

CORRECT = Verdict(outcome="correct", reward=1.0, reason="answer")
VOID = Verdict(outcome="void", reward=None, reason="model_error")
UNGRADED = Rewards(episode=1, profile="judged", terms={"outcome": 1.0, "judge/strict": None})
NOTHING = Rewards(episode=1, profile="judged", terms={"outcome": None, "judge/strict": None})


@pytest.mark.parametrize(
    ("verdict", "rewards", "reason"),
    [
        (None, None, "no verdict came in time"),
        (VOID, None, "model_error"),
        (VOID, NOTHING, "model_error"),
        (CORRECT, UNGRADED, "not known: judge/strict"),
    ],
)
def test_the_reason_is_the_verdicts_own_or_names_what_is_not_known(
    verdict: Verdict | None, rewards: Rewards | None, reason: str
) -> None:
    assert find_reward(verdict, rewards) is None
    assert unpaid_reason(verdict, rewards) == reason
