"""Writing labels. Append-only: a correction is a new version."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from uuid import UUID

from django.db import IntegrityError, transaction

from core.errors import GymError
from trajectories.annotation.codebook.types import load_codebook
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.answers import (
    NOTE_CHARS,
    Answers,
    check_answers,
    check_links,
    prune_answers,
)
from trajectories.models import AnnotationUnit, Annotator, Label
from trajectories.models.annotation import View

CONTENT = ("unit_id", "layer", "is_repeat", "state", "values", "spans", "links", "note", "is_unsure")


class LabelConflict(GymError):
    """Another version was saved in the meantime: ``current`` is the newest."""

    def __init__(self, current: Label) -> None:
        super().__init__(
            "label_changed",
            "This unit was labelled in another tab meanwhile. That label was kept: compare, and save again.",
            status=409,
        )
        self.current = current


@dataclass(frozen=True, kw_only=True)
class Saving:
    """One saving call. ``key`` makes it safe to repeat; ``version`` is what the annotator saw, or 0.

    ``answers`` are about the pair as the unit names it, also if it was shown in the other order.
    """

    key: UUID
    version: int
    state: str = Label.State.DONE
    answers: Answers
    active_ms: int | None = None
    is_swapped: bool = False
    view: str = View.FULL


def label_add(
    saving: Saving, *, unit: AnnotationUnit, annotator: Annotator, is_repeat: bool = False
) -> Label:
    """Store a label and return it. A repeated call gets what its first time wrote.

    Raises ``GymError`` 422 for missing or unknown answers, ``LabelConflict`` if the unit
    has a newer version.
    """
    newest = find_newest_label(unit=unit, annotator=annotator, is_repeat=is_repeat)
    row = build_label(saving, unit=unit, annotator=annotator, version=newest.version + 1 if newest else 1)
    row.is_repeat = is_repeat
    if (written := find_written_label(row)) is not None:
        return written
    if newest is not None and newest.version != saving.version:
        raise LabelConflict(newest)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        # Sent twice at the same time, or from two tabs.
        if (written := find_written_label(row)) is not None:
            return written
        newest = find_newest_label(unit=unit, annotator=annotator, is_repeat=is_repeat)
        if newest is None:
            raise
        raise LabelConflict(newest) from None
    return row


def build_label(saving: Saving, *, unit: AnnotationUnit, annotator: Annotator, version: int) -> Label:
    """Build the row to write.

    Raises ``GymError`` 422 ``incomplete_label`` or ``no_such_step`` if the codebook of the unit's project
    refuses it.
    """
    answers = Answers(values={}, note=saving.answers.note.strip()[:NOTE_CHARS])
    if saving.state == Label.State.DONE:
        codebook = load_codebook(unit.project.codebook)
        if errors := check_answers(saving.answers, codebook=codebook, unit=unit, view=saving.view):
            raise GymError("incomplete_label", " ".join(errors), status=422)
        answers = prune_answers(saving.answers, codebook=codebook)
        if errors := check_links(answers, codebook=codebook, unit=unit):
            raise GymError("no_such_step", " ".join(errors), status=422)
    return Label(
        unit=unit,
        annotator=annotator,
        codebook_id=unit.project.codebook_id,
        is_swapped=saving.is_swapped,
        view=saving.view,
        version=version,
        state=saving.state,
        active_ms=saving.active_ms,
        key=saving.key,
        **asdict(answers),
    )


def find_newest_label(*, unit: AnnotationUnit, annotator: Annotator, is_repeat: bool = False) -> Label | None:
    """Return the annotator's current label of the unit."""
    rows = Label.objects.filter(unit=unit, annotator=annotator, is_repeat=is_repeat, layer=Label.Layer.BLIND)
    return versions.pick_newest(rows)


def find_newest_labels(*, annotator: Annotator, units: Collection[int]) -> dict[tuple[int, bool], Label]:
    """Return the annotator's current labels of these units, by unit and whether it is a repeat."""
    rows = Label.objects.filter(unit_id__in=units, annotator=annotator, layer=Label.Layer.BLIND)
    return {(row.unit_id, row.is_repeat): row for row in rows.order_by(*versions.ORDER)}


def blind_check(unit: AnnotationUnit, annotator: Annotator) -> None:
    """Raise ``GymError`` 409 ``not_blind`` if the annotator has settled the unit, having seen what others
    answered.
    """
    settled = Label.objects.filter(unit=unit, annotator=annotator, layer=Label.Layer.ADJUDICATED)
    if settled.exists():
        message = (
            "You have settled this unit, so a label of yours would not be blind. Change the settled one."
        )
        raise GymError("not_blind", message, status=409)


def find_written_label(row: Label) -> Label | None:
    """Return the label that an earlier call with this key wrote.

    Raises ``GymError`` 409 if someone else made it, and ``LabelConflict`` if its content differs.
    """
    written = Label.objects.filter(key=row.key).first()
    if written is not None and written.annotator_id != row.annotator_id:
        message = "This form was sent before, by someone else. Open the unit again."
        raise GymError("key_used", message, status=409)
    # A form that the browser's Back button brought back has its old key.
    if written is not None and any(getattr(written, name) != getattr(row, name) for name in CONTENT):
        raise LabelConflict(written)
    return written
