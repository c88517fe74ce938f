"""Trajectories that go round in circles."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="loops",
        rank=2,
        level="trajectory",
        title="Looping",
        question="Does it repeat itself to no purpose?",
        options=[
            Option(
                id="none",
                key="q",
                title="None",
                definition="Every repetition has a purpose, such as the next item of a list.",
                positive=["It opens five rooms one after the other, from the same list."],
                negative=["It opens the same room five times."],
                sources=[Source(id="agent_reward_bench_2025", note="repetitiveness")],
            ),
            Option(
                id="actions",
                key="w",
                title="Repeats actions",
                definition="The same action again, three times or more, although nothing changed since.",
                positive=["Four clicks on a button that does nothing."],
                negative=["Four clicks on Next, each with another page of the list."],
                sources=[Source(id="agent_reward_bench_2025", note="repetitiveness: loops of actions")],
            ),
            Option(
                id="pages",
                key="e",
                title="Repeats pages or thoughts",
                definition=(
                    "Back to pages already read, or to a thought already had, with nothing new in between."
                ),
                positive=[
                    "List, room, list, the same room, list.",
                    "“I still need the price” on four pages in a row, each of which shows it.",
                ],
                negative=["Back to the list once, to compare a second room."],
                sources=[Source(id="agent_reward_bench_2025", note="repetitiveness")],
            ),
        ],
    )
)
