"""The component for the verdict itself, which is stored only with the episode (``hot_sql``)."""

from __future__ import annotations

from trajectories.rewards.registry import COMPONENTS
from trajectories.rewards.types import Component

OUTCOME = "outcome"

COMPONENTS.register(
    OUTCOME,
    Component(
        id=OUTCOME,
        title="Outcome",
        description="1 for a correct answer, 0 for any other end; no value if the verdict is void.",
        unit="verdict",
        reads="the verdict",
        level="episode",
    ),
)
