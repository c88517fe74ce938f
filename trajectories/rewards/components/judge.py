"""The grades of judges (``trajectories/judges``), which compute them: no rule does."""

from __future__ import annotations

from trajectories.rewards.registry import COMPONENTS
from trajectories.rewards.types import Component

JUDGE = "judge"

COMPONENTS.register(
    JUDGE,
    Component(
        id=JUDGE,
        title="Judge",
        description=(
            "`judge/<judge>/<criterion>` is 1 for a criterion that is met, else 0; `judge/<judge>` the mean "
            "of all by weight. Null where the judge gave no grade, or the failure was not the agent's."
        ),
        unit="grade",
        reads="what the judge's rubric lets it see",
        level="episode",
        is_family=True,
        is_awaited=True,
    ),
)
