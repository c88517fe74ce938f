"""Tickets: proof that a person was given a unit, which holds even after their reservation has run out."""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing

from core.errors import GymError
from trajectories.models.annotation import View

_SALT = "annotation.ticket"


@dataclass(frozen=True, kw_only=True)
class Ticket:
    annotator: int
    unit: int
    is_repeat: bool
    view: str = View.FULL


def ticket_make(ticket: Ticket) -> str:
    content = [ticket.annotator, ticket.unit, int(ticket.is_repeat), str(ticket.view)]
    return signing.Signer(salt=_SALT).sign_object(content)


def ticket_read(text: str) -> Ticket:
    """``GymError`` 400 if it was not made here."""
    try:
        annotator, unit, is_repeat, view = signing.Signer(salt=_SALT).unsign_object(text)
    except (signing.BadSignature, ValueError, TypeError):
        message = "This form is damaged. Open your queue again: what you chose is kept there."
        raise GymError("bad_ticket", message, status=400) from None
    return Ticket(annotator=annotator, unit=unit, is_repeat=bool(is_repeat), view=view)
