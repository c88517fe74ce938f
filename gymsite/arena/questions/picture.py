"""Questions about pictures that are answered in one short text field."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena import accessible_text, answer_interactions
from gymsite.arena.questions import _zoom
from tasks_app import prose
from tasks_app.questions import Payload, QuestionKind, Visit, questions


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``pictures``, and ``text`` in which ``<image k>`` is picture k."""
    zoom = _zoom.read_zoom(visit)
    return {"prose": prose.cut_prose(payload, scale=zoom.times), "zoom": zoom, "has_lines": False}


questions.register(
    "picture",
    QuestionKind(
        template="arena/prose.html",
        form_template="arena/_answer_form.html",
        render=render,
        text=prose.write_markdown,
        axtree_text=accessible_text.question_text,
        transcript=accessible_text.transcript,
        moves=answer_interactions.moves_typed,
        more_moves=answer_interactions.more_moves,
        tools=frozenset({_zoom.TOOL}),
    ),
)
