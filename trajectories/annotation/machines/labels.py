"""Storage of machines' labels: append-only, one per unit. Fields may be missing, but none may be wrong."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.labels.answers import NOTE_CHARS, Answers, check_answers, prune_answers
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label, View

NAMESPACE = uuid.UUID("5d1b2b0e-9a0f-4c0b-8b1c-6c3f0f6f1a17")
NAME_CHARS = 200


@dataclass(frozen=True, kw_only=True)
class MachineLabel:
    """A machine's label of a unit.

    If ``answers`` is None, the machine gave no usable answer; for a judge model, ``note`` then holds its
    reply.
    """

    unit: AnnotationUnit
    answers: Answers | None
    note: str = ""


def check_given_answers(
    answers: Answers, *, codebook: Codebook, unit: AnnotationUnit, view: str = View.FULL
) -> list[str]:
    """Return the errors in the given answers; a missing field is not an error."""
    fields = [field for field in codebook.fields if field.id in answers.values]
    unknown = set(answers.values) - {field.id for field in codebook.fields}
    narrowed = msgspec.structs.replace(codebook, fields=fields)
    if not (fields or unknown):
        return ["No answer."]
    return check_answers(answers, codebook=narrowed, unit=unit, view=view)


def annotator_get(project: AnnotationProject, *, kind: str, name: str, settings: dict[str, Any]) -> Annotator:
    """Return the project's annotator for a machine, creating it if needed; its name includes the version."""
    annotator, _ = Annotator.objects.get_or_create(
        project=project, name=name[:NAME_CHARS], defaults={"kind": kind, "settings": settings}
    )
    return annotator


def labels_add(labels: Sequence[MachineLabel], *, annotator: Annotator, codebook: Codebook) -> None:
    """Store labels of units that the annotator has not labelled. Raises ``ValueError`` for a wrong label."""
    rows = [_row(label, annotator=annotator, codebook=codebook) for label in labels]
    Label.objects.bulk_create(rows, ignore_conflicts=True)


def _row(one: MachineLabel, *, annotator: Annotator, codebook: Codebook) -> Label:
    answers = one.answers or Answers(values={})
    if one.answers is not None:
        if errors := check_given_answers(one.answers, codebook=codebook, unit=one.unit):
            raise ValueError(f"unit {one.unit.pk}: {' '.join(errors)}")
        answers = prune_answers(one.answers, codebook=codebook)
    return Label(
        unit=one.unit,
        annotator=annotator,
        codebook_id=annotator.project.codebook_id,
        version=1,
        state=Label.State.SKIPPED if one.answers is None else Label.State.DONE,
        values=dict(answers.values),
        spans=answers.spans,
        note=(one.note or answers.note).replace("\0", "")[:NOTE_CHARS],
        # The key is the same for the same unit, so that two concurrent workers write only one label.
        key=uuid.uuid5(NAMESPACE, f"{annotator.pk}:{one.unit.pk}"),
    )
