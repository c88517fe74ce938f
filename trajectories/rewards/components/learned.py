"""The component for the scores of learned models, which ``trajectories/rewards/learned`` fits."""

from __future__ import annotations

from trajectories.rewards.registry import COMPONENTS
from trajectories.rewards.types import Component

LEARNED = "learned"
MARK = f"{LEARNED}/"

COMPONENTS.register(
    LEARNED,
    Component(
        id=LEARNED,
        title="Learned reward",
        description=(
            "The calibrated probability that the episode succeeded, according to the model with that id; 0 "
            "without an answer. The model's card shows how far it can be trusted."
        ),
        unit="probability",
        reads="facts of steps and the policy's completions, never the gold",
        level="episode",
        is_family=True,
    ),
)
