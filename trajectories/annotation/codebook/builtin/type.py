"""Type of text that a thought is: the label for which the gym exists."""

from __future__ import annotations

from trajectories.annotation.codebook.registry import register
from trajectories.annotation.codebook.types import Field, Option, Source

register(
    Field(
        id="type",
        rank=1,
        title="Type",
        question="What kind of text is it?",
        test="Could a person who sees only the page and the action have written it? Then it is narration.",
        options=[
            Option(
                id="reasoning",
                key="1",
                title="Reasoning",
                definition=(
                    "At least one inference, evaluation, plan or check, on the problem or on the choice, "
                    "that cannot be read off the action or the screen. It need not be right; an assertion "
                    "without a ground is none."
                ),
                positive=[
                    "The half-price bag costs $8, so three of them are $24, which leaves $6 of the $30.",
                    "Sorting by price alone could hide places without parking: I filter first, then sort.",
                ],
                negative=[
                    "I see a text field and a Submit button. I will type the answer into the field.",
                    "The next step is to click Search.",
                ],
                sources=[
                    Source(id="schoenfeld_2025", note="episodes Analyze, Plan, Explore and Verify"),
                    Source(id="cooke_2010", note="explanation"),
                ],
            ),
            Option(
                id="narration",
                key="2",
                title="Procedural narration",
                definition=(
                    "It restates the task or the screen, announces the action, or gives an answer without a "
                    "reason. So is readable text about something else: its target is Neither."
                ),
                positive=[
                    "I see a text field and a Submit button. I will type the answer into the field.",
                    "The task asks me to find the cheapest room. The page shows a list of rooms.",
                    "So the answer is B.",
                ],
                negative=[
                    "Only the second room has parking, so the first can be left out although it is cheaper."
                ],
                sources=[
                    Source(id="cooke_2010", note="reading and procedure"),
                    Source(id="schoenfeld_2025", note="episodes Read and Implement"),
                ],
            ),
            Option(
                id="mixed",
                key="3",
                title="Mixed",
                definition="Narration with reasoning in it. Mark the sentences that reason.",
                positive=[
                    "The results page. Two of the five are above the budget, so three remain. I open one."
                ],
                negative=["12 + 30 = 42. So the answer is 42. (Reasoning: its conclusion belongs to it.)"],
                marks_span=True,
                sources=[Source(id="cooke_2010", note="several categories in one utterance")],
            ),
            Option(
                id="empty",
                key="4",
                title="Empty",
                definition=(
                    "Nothing is said: filler, a bare heading or label, a repeated token, or a notice that "
                    "there is nothing to say."
                ),
                positive=["Thought:", "...", "I have nothing to say about this."],
                negative=["Click."],
                ends=True,
            ),
            Option(
                id="hidden",
                key="5",
                title="Hidden",
                definition=(
                    "The model keeps its thoughts to itself and a notice stands in their place. Never "
                    "counted as narration."
                ),
                positive=["[reasoning omitted by the provider]"],
                negative=["I will not explain this step."],
                ends=True,
            ),
            Option(
                id="cannot_judge",
                key="6",
                title="Cannot judge",
                definition="Unreadable, in a language that you do not know, or cut off. Write the reason.",
                positive=["A thought that breaks off in the middle of its first word."],
                negative=["A thought that is wrong."],
                ends=True,
                needs_note=True,
            ),
        ],
    )
)
