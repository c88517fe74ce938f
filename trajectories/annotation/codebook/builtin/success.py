"""Success of a trajectory at its task, as the annotator sees it."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="success",
        rank=1,
        level="trajectory",
        title="Success",
        question="Did it do what the task asks?",
        test=(
            "Would the person who set the task be content with the result, and with nothing else that was "
            "changed?"
        ),
        options=[
            Option(
                id="succeeded",
                key="1",
                title="Succeeded",
                definition="The task is done as asked, and the answer, where one is due, is the right one.",
                positive=["The cheapest room with parking is booked for the dates that were given."],
                negative=["The right room is booked, for the wrong dates."],
                sources=[Source(id="agent_reward_bench_2025", note="success")],
            ),
            Option(
                id="failed",
                key="2",
                title="Failed",
                definition="It is not done, or what was done is not what was asked.",
                positive=[
                    "It gives the price of another room than the cheapest.",
                    "It stops in the list of results without an answer.",
                ],
                negative=["The right answer by a long way round."],
                sources=[Source(id="agent_reward_bench_2025", note="success")],
            ),
            Option(
                id="partly",
                key="3",
                title="Partly",
                definition=(
                    "A part that can stand alone is done as asked, or all of it with something else "
                    "changed that nobody asked for."
                ),
                positive=[
                    "One of the two items is in the basket.",
                    "The room is booked, and another booking was cancelled on the way.",
                ],
                negative=["It was on the right page when the steps ran out."],
                sources=[Source(id="agent_reward_bench_2025", note="side effects")],
            ),
            Option(
                id="cannot_judge",
                key="4",
                title="Cannot judge",
                definition=(
                    "What is recorded does not show it, or you cannot tell the right answer. Write the "
                    "reason."
                ),
                positive=["The last page has no screenshot and no outline."],
                negative=["The answer looks odd, and the pages show that it is wrong."],
                needs_note=True,
            ),
        ],
    )
)
