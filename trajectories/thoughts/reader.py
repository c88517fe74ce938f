"""Reads the thoughts of an episode in order and says what each of their sentences does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.thoughts.rules import Sentence, class_of
from trajectories.thoughts.sentences import sentence_spans
from trajectories.thoughts.words import Known

# Only the beginning of a longer text is read.
THOUGHT_CHARS = 100_000
SENTENCE_CHARS = 1_000


@dataclass(frozen=True, kw_only=True)
class Classed:
    """The class of the sentence from ``begin`` to ``end`` of a thought."""

    begin: int
    end: int
    kind: str


class Reader:
    """Of one episode: ``question`` is its task's text."""

    def __init__(self, *, question: str) -> None:
        self._known = Known()
        self._known.add(question)

    def see(self, text: str) -> None:
        """What the model was shown: a page, or the result of an action."""
        self._known.add(text)

    def read(self, thought: str, *, action: Mapping[str, Any] | None, target: str = "") -> list[Classed]:
        """The sentences of a thought; ``target`` describes the element of the action that followed."""
        values = [str(value) for key, value in (action or {}).items() if key != "target" and value]
        words = " ".join((*values, target))
        classed = []
        for begin, end in sentence_spans(thought[:THOUGHT_CHARS]):
            text = thought[begin : min(end, begin + SENTENCE_CHARS)]
            kind = class_of(Sentence(text=text, known=self._known, action=words))
            classed.append(Classed(begin=begin, end=end, kind=kind))
            self._known.add(text)
        return classed
