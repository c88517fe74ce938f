"""Settling of disagreements: the adjudicated label goes to its own layer; the blind labels stay unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models, transaction

from core.errors import GymError
from trajectories.annotation.adjudication.selectors import (
    find_disagreement,
    find_settlement,
    list_units_for_others,
)
from trajectories.annotation.labels.answers import NOTE_CHARS
from trajectories.annotation.labels.services import LabelConflict, Saving, build_label, find_written_label
from trajectories.models import AnnotationUnit, Annotator, CodebookNote, Label

OWN_LABEL = "You labelled this unit yourself, so another adjudicator of the project must settle it."


class Reason(models.TextChoices):
    """The reason why people's answers differed."""

    DEFINITION = "definition_unclear", "Definition unclear"
    SLIP = "slip", "Slip"
    MISREAD = "page_misread", "Page misread"
    AMBIGUOUS = "truly_ambiguous", "Truly ambiguous"
    OTHER = "other", "Other"


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """An adjudicator's request to save a label.

    ``codebook_note`` proposes a change to the codebook: to ``field``, or to the whole if ``field`` is empty.
    """

    saving: Saving
    reason: str
    codebook_note: str = ""
    field: str = ""


@transaction.atomic
def unit_settle(settlement: Settlement, *, unit: AnnotationUnit, annotator: Annotator) -> Label:
    """Store an adjudicated label and return it. A repeated call returns the label that the first call wrote.

    Versions are numbered by unit, so changing another adjudicator's label adds the next version. Raises
    ``GymError`` 422 if an answer or the reason is missing, 409 if another adjudicator must settle the unit,
    and ``LabelConflict`` if it was settled again in the meantime.
    """
    if unit.pk in list_units_for_others(unit.project, annotator):
        raise GymError("own_label", OWN_LABEL, status=409)
    # Lock the unit, so that two adjudicators cannot settle it at the same time.
    AnnotationUnit.objects.select_for_update().get(pk=unit.pk)
    saving = settlement.saving
    newest = find_settlement(unit)
    row = build_label(saving, unit=unit, annotator=annotator, version=newest.version + 1 if newest else 1)
    row.layer, row.reason = Label.Layer.ADJUDICATED, _reason(settlement, unit)
    if (written := find_written_label(row)) is not None:
        return written
    if newest is not None and newest.version != saving.version:
        raise LabelConflict(newest)
    row.save(force_insert=True)
    _note_add(settlement, unit=unit, annotator=annotator)
    return row


def _reason(settlement: Settlement, unit: AnnotationUnit) -> str:
    if settlement.reason in Reason.values:
        return settlement.reason
    if find_disagreement(unit) is not None:
        raise GymError("no_reason", "Why the answers differed: no answer yet.", status=422)
    return ""


def _note_add(settlement: Settlement, *, unit: AnnotationUnit, annotator: Annotator) -> None:
    if text := settlement.codebook_note.strip()[:NOTE_CHARS]:
        CodebookNote.objects.create(
            project_id=unit.project_id,
            codebook_id=unit.project.codebook_id,
            unit=unit,
            field=settlement.field,
            text=text,
            author_id=annotator.user_id,
        )
