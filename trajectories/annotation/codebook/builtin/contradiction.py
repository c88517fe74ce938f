"""Contradictions between a thought and what the model was shown, or what it then did."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="contradiction",
        rank=4,
        title="Contradiction",
        question="Does it contradict the page or the action?",
        options=[
            Option(
                id="observation",
                key="z",
                title="The observation",
                definition="It says of the page or the task what they do not say.",
                positive=["“The first room has parking”, where the page lists none."],
                negative=["A guess that is marked as one."],
                sources=[
                    Source(id="agent_reward_bench_2025", note="grounding mismatch, misleading reasoning")
                ],
            ),
            Option(
                id="action",
                key="x",
                title="The action",
                definition="It announces another action, or names another answer, than the one that follows.",
                positive=["“I will scroll down”, followed by a click.", "“B. 12”, followed by a click on A."],
                negative=["“I want the cheapest room”, followed by a click on Sort."],
            ),
            Option(
                id="none",
                key="c",
                title="None",
                definition="It agrees with what can be seen of both.",
                positive=["“I open the second room”, followed by a click on it."],
                negative=["“I open the second room”, followed by a click on the third."],
            ),
            Option(
                id="not_checkable",
                key="v",
                title="Not checkable",
                definition="Neither page, task nor action says anything about it.",
                positive=["“7 is the largest prime below 10.”"],
                negative=["“There are five rooms”, where the page can be counted."],
            ),
        ],
    )
)
