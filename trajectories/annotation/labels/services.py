"""Storage of labels. Labels are append-only: a correction is a new version."""

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
    """The error raised when another version was saved in the meantime; ``current`` is the newest version."""

    def __init__(self, current: Label) -> None:
        super().__init__(
            "label_changed",
            "This unit was labelled in another tab in the meantime. "
            "That label was kept: compare the two, then save again.",
            status=409,
        )
        self.current = current


@dataclass(frozen=True, kw_only=True)
class Saving:
    """An annotator's request to save a label. ``key`` makes it safe to repeat.

    ``version`` is the version that the annotator saw, or 0. For a pair, ``answers`` refer to the unit's own
    order, even if the pair was shown in reverse.
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
    """Store a label and return it. A repeated call returns the label that the first call wrote.

    Raises ``GymError`` 422 for missing or unknown answers, and ``LabelConflict`` if the label has a newer
    version.
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
        # The label was sent twice at the same time, or from two tabs.
        if (written := find_written_label(row)) is not None:
            return written
        newest = find_newest_label(unit=unit, annotator=annotator, is_repeat=is_repeat)
        if newest is None:
            raise
        raise LabelConflict(newest) from None
    return row


def build_label(saving: Saving, *, unit: AnnotationUnit, annotator: Annotator, version: int) -> Label:
    """Build the label to write, without saving it.

    Raises ``GymError`` 422 ``incomplete_label`` if the answers do not satisfy the project's codebook, and
    ``no_such_step`` if they link to a missing step.
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
    """Return the annotator's newest blind label of the unit, if any."""
    rows = Label.objects.filter(unit=unit, annotator=annotator, is_repeat=is_repeat, layer=Label.Layer.BLIND)
    return versions.pick_newest(rows)


def find_newest_labels(*, annotator: Annotator, units: Collection[int]) -> dict[tuple[int, bool], Label]:
    """Return the annotator's newest blind labels of these units, by unit id and whether they are repeats."""
    rows = Label.objects.filter(unit_id__in=units, annotator=annotator, layer=Label.Layer.BLIND)
    return {(row.unit_id, row.is_repeat): row for row in rows.order_by(*versions.ORDER)}


def blind_check(unit: AnnotationUnit, annotator: Annotator) -> None:
    """Refuse to label a unit that the annotator has adjudicated, having seen the others' answers.

    Raises ``GymError`` 409 ``not_blind``.
    """
    settled = Label.objects.filter(unit=unit, annotator=annotator, layer=Label.Layer.ADJUDICATED)
    if settled.exists():
        message = (
            "You have settled this unit, so your label would not be blind. Change the settled label instead."
        )
        raise GymError("not_blind", message, status=409)


def find_written_label(row: Label) -> Label | None:
    """Return the label that an earlier call with this key wrote.

    Raises ``GymError`` 409 if someone else wrote it, and ``LabelConflict`` if its content differs from
    ``row``.
    """
    written = Label.objects.filter(key=row.key).first()
    if written is not None and written.annotator_id != row.annotator_id:
        message = "Someone else already sent this form. Open the unit again."
        raise GymError("key_used", message, status=409)
    # A form to which the browser's Back button returned still has its old key.
    if written is not None and any(getattr(written, name) != getattr(row, name) for name in CONTENT):
        raise LabelConflict(written)
    return written
