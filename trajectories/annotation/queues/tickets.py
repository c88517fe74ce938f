"""Tickets: proof that a person was given a slot, which holds even after their reservation has run out.

They are readable, so that they name the slot alone: whether it is a repeat is looked up.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing

from core.errors import GymError
from trajectories.models import AnnotationSlot
from trajectories.models.annotation import View

_SALT = "annotation.ticket"


@dataclass(frozen=True, kw_only=True)
class Ticket:
    annotator: int
    unit: int
    is_repeat: bool
    view: str = View.FULL


def ticket_make(*, annotator_id: int, slot_id: int) -> str:
    return signing.Signer(salt=_SALT).sign(f"{annotator_id}-{slot_id}")


def ticket_read(text: str) -> Ticket:
    """``GymError`` 400 if it was not made here."""
    try:
        annotator, _, slot_id = signing.Signer(salt=_SALT).unsign(text).partition("-")
        # Slots that somebody was given stay, whoever holds them now.
        slot = AnnotationSlot.objects.get(pk=int(slot_id))
    except (signing.BadSignature, ValueError, AnnotationSlot.DoesNotExist):
        message = "This form is damaged. Open your queue again: what you chose is kept there."
        raise GymError("bad_ticket", message, status=400) from None
    return Ticket(annotator=int(annotator), unit=slot.unit_id, is_repeat=slot.is_repeat, view=slot.view)
