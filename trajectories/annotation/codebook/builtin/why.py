"""Reason why one of a pair is better."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="why",
        rank=2,
        level="pair",
        title="Why",
        question="What makes the difference? Any number of reasons.",
        is_set=True,
        options=[
            Option(
                id="reasons",
                key="q",
                title="Reasons better",
                definition="What it says leads to what it does, and could not be read off the page.",
                positive=["It works out the total before it picks a room."],
                negative=["It describes the page at greater length."],
            ),
            Option(
                id="acts",
                key="w",
                title="Acts better",
                definition="Its actions fit the page and the task better, whatever it says.",
                positive=["It sets the filter, the other one scrolls."],
                negative=["It clicks the same button with another thought."],
            ),
            Option(
                id="goal",
                key="e",
                title="Reaches the goal",
                definition="It does what the task asks, and the other does not.",
                positive=["Its answer is right, that of the other is wrong."],
                negative=["Both are right, and it is faster."],
                sources=[Source(id="agent_reward_bench_2025", note="success")],
            ),
            Option(
                id="fewer_steps",
                key="r",
                title="Fewer wasted steps",
                definition="It gets as far with less repetition and fewer detours.",
                positive=["Six steps in place of fourteen."],
                negative=["It gives up early."],
                sources=[Source(id="agent_reward_bench_2025", note="optimality, repetitiveness")],
            ),
            Option(
                id="true_to_page",
                key="t",
                title="True to the page",
                definition=(
                    "It states facts that the page shows; the other claims what the page does not show."
                ),
                positive=["It quotes the price that is there, the other one makes one up."],
                negative=["It says less of the page."],
            ),
            Option(
                id="other",
                key="y",
                title="Another reason",
                definition="None of these. A note that says which helps.",
                positive=["It undoes what the other leaves changed."],
                negative=["It acts better."],
            ),
        ],
    )
)
