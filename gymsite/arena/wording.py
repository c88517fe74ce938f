"""The names of a page's question, field and buttons, by look. None hints at the form of the answer."""

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
        title="Problem", label="Answer", button="Submit", opener="Enter your answer", closer="Back"
    ),
    "exercise": Wording(
        title="Exercise",
        label="Final answer",
        button="Send answer",
        opener="Give your answer",
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
