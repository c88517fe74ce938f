"""The scripted answer to a question, including the moves that a look requires in addition."""

from __future__ import annotations

from core.episodes.presentation import Look
from gymsite.arena.pop_ups import PopUp, choose_pop_ups
from gymsite.arena.wording import WORDINGS
from tasks_app.questions import SUBMIT, Answer, Move, Payload, QuestionKind


def moves_in_look(
    kind: QuestionKind, payload: Payload, answer: Answer, *, look: Look, has_scripts: bool = True
) -> tuple[Move, ...]:
    """List the question kind's own moves and those that the look adds; the submit button has the look's name.

    Raises ``ValueError`` if the kind's ``moves`` does.
    """
    wording = WORDINGS[look.wording]
    pop_ups = choose_pop_ups(payload, look)
    submit = Move(act="press", role="button", name=wording.button)
    opened = [Move(act="press", role="button", name=wording.opener)] if look.form == "dialog" else []
    answered = [submit if move == SUBMIT else move for move in kind.moves(payload, answer)]
    first, *others = [*opened, *answered]
    before = [_closing(pop_up) for pop_up in pop_ups if pop_up.is_open]
    after = [_closing(pop_up) for pop_up in pop_ups if not pop_up.is_open and has_scripts]
    return (*before, first, *after, *others)


def _closing(pop_up: PopUp) -> Move:
    return Move(act="press", role="button", name=pop_up.buttons[-1])
