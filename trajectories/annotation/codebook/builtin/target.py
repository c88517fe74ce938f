"""Subject of a thought: the problem to solve, or the page to operate."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="target",
        rank=2,
        title="Target",
        question="What is it about?",
        options=[
            Option(
                id="problem",
                key="q",
                title="The problem",
                definition="Quantities, conditions and facts that the task is about.",
                positive=["Three of the five rooms are within the budget."],
                negative=["The list has a second page."],
                sources=[Source(id="schoenfeld_2025", note="talk about the mathematics")],
            ),
            Option(
                id="interface",
                key="w",
                title="The interface",
                definition="Pages, elements and how to operate them.",
                positive=["The list has a second page, so I need to press Next."],
                negative=["The second room costs $80."],
                sources=[Source(id="cooke_2010", note="talk about the interface")],
            ),
            Option(
                id="both",
                key="e",
                title="Both",
                definition="Problem and interface, each in more than a passing word.",
                positive=[
                    "The budget is $90, so I set the price slider to 90 and leave the other filters alone."
                ],
                negative=["I type 42. (The number alone does not make the problem its subject.)"],
            ),
            Option(
                id="neither",
                key="r",
                title="Neither",
                definition="About something else, such as the model itself or its instructions.",
                positive=["As an assistant I have to answer in JSON."],
                negative=["I have to answer in metres."],
            ),
        ],
    )
)
