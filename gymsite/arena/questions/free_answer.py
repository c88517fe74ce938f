"""Questions of text and formulas that are answered in one text field."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena import accessible_text, answer_interactions
from tasks_app import prose
from tasks_app.questions import Payload, QuestionKind, Visit, questions


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text`` and its ``format``: ``plain`` or ``latex``.

    The ``layout`` ``preformatted`` keeps all spaces of the text; ``answer_lines`` makes the field a text
    area.
    """
    return {"prose": prose.cut_prose(payload), "has_lines": bool(payload.get("answer_lines"))}


questions.register(
    "free_answer",
    QuestionKind(
        template="arena/prose.html",
        form_template="arena/_answer_form.html",
        render=render,
        text=prose.write_markdown,
        axtree_text=accessible_text.question_text,
        transcript=accessible_text.transcript,
        moves=answer_interactions.moves_typed,
        more_moves=answer_interactions.more_moves,
    ),
)
