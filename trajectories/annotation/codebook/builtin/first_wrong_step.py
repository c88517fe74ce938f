"""The step at which a trajectory first goes wrong."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option

register(
    Field(
        id="first_wrong_step",
        rank=3,
        level="trajectory",
        title="First wrong step",
        question="Which step is the first that should have been another?",
        options=[
            Option(
                id="none",
                key="z",
                title="None",
                definition=(
                    "No step leads away from the goal, or those that do are the shortest way to find out."
                ),
                positive=["It opens a room to see whether it has parking, and goes back."],
                negative=["It takes the first room without a look at the others, and is lucky."],
            ),
            Option(
                id="step",
                key="x",
                title="Step",
                definition=(
                    "The first action that a careful person who sees only what the model saw would not "
                    "have taken. It is the step that is open; another number can be typed."
                ),
                positive=["Step 4 sorts by rating where the task asks for the cheapest."],
                negative=["The last step, in which a mistake made earlier becomes visible."],
                is_step=True,
            ),
        ],
    )
)
