"""The component for judges' grades, which are given in ``trajectories/judges`` and not computed by a rule."""

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
            "`judge/<judge>/<criterion>` is 1 if the criterion is met, else 0; `judge/<judge>` is the mean "
            "of all criteria by weight. Null without a grade, or if the failure was not the agent's."
        ),
        unit="grade",
        reads="what the judge's rubric lets it see",
        level="episode",
        is_family=True,
        is_awaited=True,
    ),
)
