"""The one of a pair that serves the task better."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option

register(
    Field(
        id="better",
        rank=1,
        level="pair",
        title="Better",
        question="Which serves the task better?",
        test="If you could keep only one of the two, which would you keep?",
        options=[
            Option(
                id="first",
                key="1",
                title="The first",
                definition=(
                    "It reaches the goal, or comes closer to it; of two that do, the one with better "
                    "reasons and fewer wasted steps."
                ),
                positive=["The first books the room, the second stops in the list."],
                negative=["The first is longer, and nothing else."],
                mirror="second",
            ),
            Option(
                id="second",
                key="2",
                title="The second",
                definition="The same, of the other.",
                positive=["Both find the room, and only the second checks the dates."],
                negative=["The second is worded better, and does the same."],
                mirror="first",
            ),
            Option(
                id="tie",
                key="3",
                title="Tie",
                definition="Both are as good, and good enough to learn from.",
                positive=["Both type the right answer, in other words."],
                negative=["Both fail in the same way."],
            ),
            Option(
                id="neither",
                key="4",
                title="Neither",
                definition="Both are bad: neither should be learned from.",
                positive=["Both answer with a price that no page shows."],
                negative=["Both get there by a detour."],
            ),
        ],
    )
)
