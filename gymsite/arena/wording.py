"""What a page calls its question, field and buttons. The words differ; none hints at a form of answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    """``opener`` opens the dialog that holds the form, and names it; ``closer`` closes it."""

    title: str
    label: str
    button: str
    opener: str
    closer: str


WORDINGS = {
    "question": Wording(
        title="Question", label="Your answer", button="Submit answer", opener="Answer", closer="Close"
    ),
    "problem": Wording(
        title="Problem", label="Answer", button="Submit", opener="Go to the answer", closer="Back"
    ),
    "exercise": Wording(
        title="Exercise",
        label="Final answer",
        button="Send answer",
        opener="Give an answer",
        closer="Not yet",
    ),
    "prompt": Wording(
        title="Read, then answer",
        label="Write your answer",
        button="Hand in",
        opener="Answer now",
        closer="Close",
    ),
}
