"""Assignment of units to annotators, one unit at a time, and storage of their labels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.database.integers import INT_MAX
from core.database.sql import Statement
from core.errors import GymError
from trajectories.annotation.labels import services as labels
from trajectories.annotation.labels.services import Saving
from trajectories.annotation.queues.tickets import Ticket
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Annotator, Label

# A repeat comes this many units after the first time, or at the end of the queue.
REPEAT_AFTER = 20
_TAKE = Statement(__file__, "slot_take")
_GOLD = Statement(__file__, "gold_take")
_RESUME = Statement(__file__, "slot_resume")


@transaction.atomic
def slot_next(annotator_id: int, *, beside: Sequence[UUID] = ()) -> int | None:
    """Reserve the annotator's first unfinished unit or, if there is none, the next one; return the slot's id.

    Gold units come before all others. ``beside`` has the public ids of slots that are already open on the
    annotator's page. Returns None at the end of the annotator's queue or quota.
    """
    # Lock the annotator, so that two tabs of the same person take turns.
    annotator = (
        Annotator.objects.select_for_update(of=("self",)).select_related("project").get(pk=annotator_id)
    )
    project = annotator.project
    if (resumed := _resume(annotator, beside, repeats_until=annotator.position)) is not None:
        return resumed
    gold = _GOLD.row(
        project=project.pk, annotator=annotator.pk, view=project.views[0], minutes=project.reservation_minutes
    )
    if gold is not None:
        return int(gold[0])
    if not _is_within_quota(annotator):
        return _resume(annotator, beside, repeats_until=INT_MAX)
    for position in (annotator.position, 0):
        row = _TAKE.row(
            project=project.pk,
            annotator=annotator.pk,
            position=position,
            minutes=project.reservation_minutes,
            beside=list(beside),
        )
        if row is not None:
            Annotator.objects.filter(pk=annotator.pk).update(position=row[1])
            return int(row[0])
    return _resume(annotator, beside, repeats_until=INT_MAX)


@transaction.atomic
def label_save(saving: Saving, *, ticket: Ticket, unit: AnnotationUnit, annotator: Annotator) -> Label:
    """Store a label and finish its slot, even if the reservation has run out.

    Raises the errors of ``labels.services.label_add``, and ``GymError`` 409 for a second label of a gold
    unit.
    """
    labels.blind_check(unit, annotator)
    is_new = not Label.objects.filter(key=saving.key).exists()
    if is_new and unit.gold is not None:
        _training_check(unit, annotator)
    label = labels.label_add(
        replace(saving, view=ticket.view), unit=unit, annotator=annotator, is_repeat=ticket.is_repeat
    )
    rows = AnnotationSlot.objects.filter(annotator=annotator, unit=unit, is_repeat=ticket.is_repeat)
    slot = rows.select_for_update().first()
    if slot is None:
        # Someone else holds the unit by now. They keep their slot, and this label gets an additional one.
        AnnotationSlot.objects.create(
            project_id=unit.project_id,
            unit=unit,
            position=unit.position,
            is_repeat=ticket.is_repeat,
            view=ticket.view,
            annotator=annotator,
            done_at=timezone.now(),
        )
    elif slot.done_at is None:
        AnnotationSlot.objects.filter(pk=slot.pk).update(done_at=timezone.now())
        if unit.gold is None:
            _followers_make(slot, label, project=unit.project)
    elif is_new and unit.gold is None and not slot.is_repeat:
        _skip_change(slot, label)
    return label


def _training_check(unit: AnnotationUnit, annotator: Annotator) -> None:
    """Raise ``GymError`` 409 if the annotator has already labelled the gold unit.

    A new label would not be blind, because the annotator knows the right answer, but it would count as blind
    if the unit later became an ordinary unit.
    """
    newest = labels.find_newest_label(unit=unit, annotator=annotator)
    if newest is not None and newest.state == Label.State.DONE:
        message = "This unit is for training, so your label of it stays as you first saved it."
        raise GymError("training_done", message, status=409)


def _skip_change(slot: AnnotationSlot, label: Label) -> None:
    """Add a slot for someone else if the unit is now skipped, or remove it if it was labelled after all."""
    before = Label.objects.filter(
        unit=label.unit_id, annotator=label.annotator_id, layer=label.layer, is_repeat=False
    ).get(version=label.version - 1)
    if before.state == label.state:
        return
    free = AnnotationSlot.objects.filter(
        unit_id=slot.unit_id, view=slot.view, annotator=None, is_repeat=False
    )
    if label.state == Label.State.SKIPPED:
        free.create(project_id=slot.project_id, unit_id=slot.unit_id, view=slot.view, position=slot.position)
    elif (spare := free.select_for_update(skip_locked=True).first()) is not None:
        spare.delete()


def _followers_make(slot: AnnotationSlot, label: Label, *, project: AnnotationProject) -> None:
    """Add a slot for someone else if the unit was skipped, or a repeat for some of the labelled units."""
    place = {"project_id": slot.project_id, "unit_id": slot.unit_id, "view": slot.view}
    if label.state == Label.State.SKIPPED:
        if not slot.is_repeat:
            AnnotationSlot.objects.create(position=slot.position, **place)
    elif not slot.is_repeat and _is_repeated(slot.unit_id, project):
        AnnotationSlot.objects.create(
            position=min(slot.position + REPEAT_AFTER, INT_MAX),
            is_repeat=True,
            annotator_id=slot.annotator_id,
            **place,
        )


def _is_repeated(unit_id: int, project: AnnotationProject) -> bool:
    digest = hashlib.sha256(f"{project.seed}:repeat:{unit_id}".encode()).digest()
    return int.from_bytes(digest[:4]) < project.repeat_share * 2**32


def _resume(annotator: Annotator, beside: Sequence[UUID], *, repeats_until: int) -> int | None:
    row = _RESUME.row(
        annotator=annotator.pk,
        beside=list(beside),
        minutes=annotator.project.reservation_minutes,
        repeats_until=repeats_until,
    )
    return int(row[0]) if row else None


def _is_within_quota(annotator: Annotator) -> bool:
    if annotator.quota is None:
        return True
    rows = AnnotationSlot.objects.filter(annotator=annotator, is_repeat=False, unit__gold__isnull=True)
    return rows.count() < annotator.quota
