"""The score of a learned model, which ``learned`` fits and measures."""

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
            "The probability that the episode succeeded, by the model of that id: calibrated, 0 without an "
            "answer. Its card says how far it can be trusted."
        ),
        unit="probability",
        reads="facts of steps and the policy's completions, never the gold",
        level="episode",
        is_family=True,
    ),
)
