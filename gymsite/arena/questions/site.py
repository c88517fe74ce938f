"""A task on a mock site: its pages are a whole site (``gymsite/arena/sites``)."""

from __future__ import annotations

from collections.abc import Mapping

from core.episodes.presentation import Look
from gymsite.arena.sites import pop_ups
from tasks_app.questions import Answer, Move, Payload, QuestionKind, Visit, questions
from tasks_app.worlds import text_view
from verifiers import denotations

SUBMIT_BUTTON = "Submit answer"
OPENING_BAR = 1


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text``, ``fields`` and ``forms``, and of its world ``site``,
    ``world``, ``edition``, ``first_day`` and ``changes``; a task that is answered by reading has the
    ``scope`` of its text too.
    """
    return {"fields": payload["fields"], "submit_button": SUBMIT_BUTTON}


def text(payload: Payload, /) -> str:
    """Return the wording; prompts put the site's own text before it (``tasks_app/worlds/text_view.py``)."""
    return str(payload["text"])


def has_text(payload: Payload, /) -> bool:
    """Return whether the task can do without pages, as only those answered by reading can."""
    return text_view.SCOPE in payload


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    values = denotations.split_cell(answer) if isinstance(answer, str) else answer
    typed = (
        Move(act="type", role="textbox", name=label, text=value)
        for label, value in zip(payload["fields"], values, strict=False)
    )
    return (*typed, Move(act="press", role="button", name=SUBMIT_BUTTON))


def more_moves(payload: Payload, look: Look, /) -> int:
    """Count opening the task bar, which is folded after the first page, closing each pop-up, and opening the
    dialog of each form.

    Loading more of a list, or scrolling to its end, is one move, as turning its page is.
    """
    dialogs = payload["forms"] if look.form == "dialog" else 0
    return OPENING_BAR + len(pop_ups.schedule(look)) + int(dialogs)


questions.register(
    "site",
    QuestionKind(
        template="arena/site.html",
        render=render,
        text=text,
        axtree_text=text,
        moves=moves,
        answer_form="values",
        instruction="values",
        has_text=has_text,
        pages="site",
        more_moves=more_moves,
    ),
)
