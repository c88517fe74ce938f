"""Moves needed to answer a question in a given look, for scripted clients and step budgets."""

from __future__ import annotations

from core.episodes.presentation import Look
from gymsite.arena.pop_ups import SCHEDULES
from tasks_app.questions import SUBMIT, Answer, Move, Payload


def moves_typed(_payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    """List the moves that answer in a form with one text field."""
    return (Move(act="type", role="textbox", text=str(answer)), SUBMIT)


def more_moves(_payload: Payload, look: Look, /) -> int:
    """Count the extra moves of a look: one to open the dialog, and one to close each pop-up."""
    return int(look.form == "dialog") + len(SCHEDULES[look.pop_ups])
