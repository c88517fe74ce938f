"""Tasks on a mock site, whose pages make up a whole site (``gymsite/arena/sites``)."""

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
    """Build the context. The payload has ``text``, ``fields`` and ``forms``.

    It identifies its world by ``site``, ``world``, ``edition``, ``first_day`` and ``changes``. A task that
    can be answered by reading also has the ``scope`` of the site's text.
    """
    return {"fields": payload["fields"], "submit_button": SUBMIT_BUTTON}


def text(payload: Payload, /) -> str:
    """Return the task's wording; prompts put the site's text first (``tasks_app/worlds/text_view.py``)."""
    return str(payload["text"])


def has_text(payload: Payload, /) -> bool:
    """Return whether the task can be given as text, without pages; only tasks of reading can."""
    return text_view.SCOPE in payload


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    values = denotations.split_cell(answer) if isinstance(answer, str) else answer
    typed = (
        Move(act="type", role="textbox", name=label, text=value)
        for label, value in zip(payload["fields"], values, strict=False)
    )
    return (*typed, Move(act="press", role="button", name=SUBMIT_BUTTON))


def more_moves(payload: Payload, look: Look, /) -> int:
    """Count the extra moves of a look: opening the task bar, closing each pop-up, opening each form's dialog.

    The task bar is folded after the first page. Loading more of a list, or scrolling to its end, takes one
    move, just like turning its page.
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
