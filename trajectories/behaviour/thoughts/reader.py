"""The reader that goes through an episode's thoughts in order and classifies each sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.behaviour.thoughts.rules import Action, Sentence, class_of
from trajectories.behaviour.thoughts.sentences import sentence_spans
from trajectories.behaviour.thoughts.words import Known

# If a thought or a sentence is longer, only its beginning is read.
THOUGHT_CHARS = 100_000
SENTENCE_CHARS = 1_000


@dataclass(frozen=True, kw_only=True)
class Classed:
    """The class (``kind``) of a sentence, which goes from ``begin`` to ``end`` in its thought."""

    begin: int
    end: int
    kind: str


class Reader:
    """A classifier for the sentences of one episode's thoughts; ``question`` is the text of its task."""

    def __init__(self, *, question: str) -> None:
        self._known = Known()
        self._known.add(question)

    def see(self, text: str) -> None:
        """Add a text that the model was shown, such as a page or the result of an action."""
        self._known.add(text)

    def read(self, thought: str, *, action: Mapping[str, Any] | None, target: str = "") -> list[Classed]:
        """Classify a thought's sentences; ``target`` describes the element of the action that followed."""
        of_action = _action(action or {}, target)
        classed = []
        for begin, end in sentence_spans(thought[:THOUGHT_CHARS]):
            text = thought[begin : min(end, begin + SENTENCE_CHARS)]
            kind = class_of(Sentence(text=text, known=self._known, action=of_action))
            classed.append(Classed(begin=begin, end=end, kind=kind))
            self._known.add(text)
        return classed


def _action(action: Mapping[str, Any], target: str) -> Action:
    values = [str(value) for key, value in action.items() if key != "target" and value]
    return Action(words=" ".join((*values, target)), typed=_typed(action))


def _typed(action: Mapping[str, Any]) -> str:
    """Return the text that an action enters or selects, in one field or in several."""
    fields = action.get("fields")
    parts = [action, *(fields if isinstance(fields, list) else ())]
    entered = [part.get(key) for part in parts if isinstance(part, Mapping) for key in ("text", "value")]
    return "\n".join(str(one) for one in entered if one)
