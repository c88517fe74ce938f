"""Problem-solving behaviours that a thought shows."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="behaviours",
        rank=3,
        title="Behaviours",
        question="Which of these does it show? None is an answer too.",
        is_set=True,
        options=[
            Option(
                id="plan",
                key="a",
                title="Plan",
                definition="Sets subgoals, or works backward from the goal: more than the next action.",
                positive=[
                    "First I need the two prices, then the difference.",
                    "To end with 24 I need 4 and 6, and 6 can come from 8 and 2.",
                ],
                negative=["Next I click Search."],
                links_step=True,
                sources=[
                    Source(id="gandhi_2025", note="subgoal setting and backward chaining"),
                    Source(id="schoenfeld_2025", note="episode Plan"),
                ],
            ),
            Option(
                id="verify",
                key="s",
                title="Verify",
                definition="Checks a result, a claim or a source against something else.",
                positive=[
                    "24 + 6 is 30, as the question says.",
                    "The review and the description disagree on the size.",
                ],
                negative=["The page has loaded."],
                links_step=True,
                sources=[
                    Source(id="gandhi_2025", note="verification"),
                    Source(id="behavior_priming_2025", note="information verification, authority evaluation"),
                    Source(id="schoenfeld_2025", note="episode Verify"),
                ],
            ),
            Option(
                id="revise",
                key="d",
                title="Revise",
                definition="Takes something back, changes the approach, or recovers from an error.",
                positive=["That filter left nothing, so I remove it and search by name."],
                negative=["I go back to the list. (No reason to think that anything was wrong.)"],
                links_step=True,
                sources=[
                    Source(id="gandhi_2025", note="backtracking"),
                    Source(id="behavior_priming_2025", note="adaptive search, error recovery"),
                ],
            ),
        ],
    )
)
