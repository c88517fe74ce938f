"""Interactions that a look adds to answering a question, for scripted clients and step budgets."""

from __future__ import annotations

from core.presentation import Look
from gymsite.arena.pop_ups import SCHEDULES, PopUp, choose_pop_ups
from gymsite.arena.wording import WORDINGS
from tasks_app.questions import SUBMIT, Answer, Move, Payload, QuestionKind


def moves_typed(_payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    """List the moves of a form with one text field."""
    return (Move(act="type", role="textbox", text=str(answer)), SUBMIT)


def more_moves(_payload: Payload, look: Look, /) -> int:
    """Count one to open the dialog, and one per pop-up to close it."""
    return int(look.form == "dialog") + len(SCHEDULES[look.pop_ups])


def moves_in_look(
    kind: QuestionKind, payload: Payload, answer: Answer, *, look: Look, has_scripts: bool = True
) -> tuple[Move, ...]:
    """List the kind's own moves with those that the look adds; the submit button has the look's name.

    Raises ``ValueError`` as the kind's ``moves`` does.
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
