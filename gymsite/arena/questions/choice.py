"""Multiple-choice questions; their text, passage and choices may contain pictures."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena import accessible_text, answer_interactions
from gymsite.arena.questions import _zoom
from tasks_app import prose
from tasks_app.questions import SUBMIT, Answer, Move, Payload, QuestionKind, Visit, questions


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text``, and ``choices`` (``label``, ``text``) in order shown."""
    zoom = _zoom.read_zoom(visit)
    return {"prose": prose.cut_prose(payload, scale=zoom.times), "zoom": zoom}


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    """Press the choice by its position. Raises ``ValueError`` if no choice has the answer's label."""
    labels = [choice["label"] for choice in payload["choices"]]
    return (Move(act="choose", role="radio", place=labels.index(str(answer))), SUBMIT)


questions.register(
    "choice",
    QuestionKind(
        template="arena/prose.html",
        form_template="arena/_choice_form.html",
        render=render,
        text=prose.write_markdown,
        axtree_text=accessible_text.question_text,
        transcript=accessible_text.transcript,
        moves=moves,
        more_moves=answer_interactions.more_moves,
        instruction="choice",
        tools=frozenset({_zoom.TOOL}),
    ),
)
