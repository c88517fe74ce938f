"""Tickets: proof that a person was given a slot, valid even after their reservation has run out.

Annotators can read a ticket, so it names only the slot; whether that is a hidden repeat is looked up.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

from django.core import signing

from core.errors import GymError
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Annotator
from trajectories.models.annotation import View

_SALT = "annotation.ticket"


@dataclass(frozen=True, kw_only=True)
class Ticket:
    annotator: int
    unit: int
    is_repeat: bool
    slot: UUID
    view: str = View.FULL


def ticket_make(*, annotator_id: int, slot: UUID) -> str:
    """Return an annotator's ticket for the slot with this public id."""
    return signing.Signer(salt=_SALT).sign(f"{annotator_id}-{slot.hex}")


def ticket_read(text: str) -> Ticket:
    """Read a ticket. Raises ``GymError`` 400 ``bad_ticket`` if this installation did not issue it."""
    try:
        annotator, _, name = signing.Signer(salt=_SALT).unsign(text).partition("-")
        # A slot that was once given to somebody is never deleted, whoever holds it now.
        slot = AnnotationSlot.objects.get(public_id=UUID(name))
    except (signing.BadSignature, ValueError, AnnotationSlot.DoesNotExist):
        message = "This form is damaged. Open your queue again: what you chose is kept there."
        raise GymError("bad_ticket", message, status=400) from None
    return build_ticket(slot, annotator_id=int(annotator))


def build_ticket(slot: AnnotationSlot, *, annotator_id: int) -> Ticket:
    return Ticket(
        annotator=annotator_id,
        unit=slot.unit_id,
        is_repeat=slot.is_repeat,
        slot=slot.public_id,
        view=slot.view,
    )


def is_swapped(unit: AnnotationUnit, *, annotator: Annotator, is_repeat: bool) -> bool:
    """Return whether this person sees the second member of a pair first.

    The order is random, but stays the same whenever the unit is shown again, except as a repeat, for which it
    is drawn again. It is derived from a ticket's values, so it is known even if the slot has since gone to
    someone else.
    """
    project = annotator.project
    if project.level != AnnotationProject.Level.PAIR:
        return False
    place = f"{project.seed}:order:{unit.pk}:{annotator.pk}:{int(is_repeat)}"
    return hashlib.sha256(place.encode()).digest()[0] % 2 == 1
