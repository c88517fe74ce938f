"""A task on a mock site: its page is a whole site, drawn by ``gymsite/arena/sites``."""

from __future__ import annotations

from collections.abc import Mapping

from tasks_app.questions import Answer, Move, Payload, QuestionKind, Visit, questions
from verifiers import denotations

SUBMIT_BUTTON = "Submit answer"


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """The payload has ``text``, ``fields``, and ``site, world, edition, first_day, changes`` of its world."""
    return {"fields": payload["fields"], "submit_button": SUBMIT_BUTTON}


def text(payload: Payload, /) -> str:
    """The wording alone: the site itself is not told in words."""
    return str(payload["text"])


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    values = denotations.items_of(answer) if isinstance(answer, str) else answer
    typed = (
        Move(act="type", role="textbox", name=label, text=value)
        for label, value in zip(payload["fields"], values, strict=False)
    )
    return (*typed, Move(act="press", role="button", name=SUBMIT_BUTTON))


questions.register(
    "site",
    QuestionKind(
        template="arena/site.html",
        render=render,
        text=text,
        said=text,
        moves=moves,
        answer_form="values",
        instruction="values",
        is_page_only=True,
    ),
)
