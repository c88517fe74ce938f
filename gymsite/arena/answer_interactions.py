"""Interactions that a look adds to answering a question, for scripted clients and step budgets."""

from __future__ import annotations

from core.episodes.presentation import Look
from gymsite.arena.pop_ups import SCHEDULES
from tasks_app.questions import SUBMIT, Answer, Move, Payload


def moves_typed(_payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    """List the moves of a form with one text field."""
    return (Move(act="type", role="textbox", text=str(answer)), SUBMIT)


def more_moves(_payload: Payload, look: Look, /) -> int:
    """Count one to open the dialog, and one per pop-up to close it."""
    return int(look.form == "dialog") + len(SCHEDULES[look.pop_ups])
