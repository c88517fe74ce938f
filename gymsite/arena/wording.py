"""What a page calls its question, field and button. The words differ; none hints at a form of answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    title: str
    label: str
    button: str


WORDINGS = {
    "question": Wording(title="Question", label="Your answer", button="Submit answer"),
    "problem": Wording(title="Problem", label="Answer", button="Submit"),
    "exercise": Wording(title="Exercise", label="Final answer", button="Send answer"),
    "prompt": Wording(title="Read, then answer", label="Write your answer", button="Hand in"),
}
