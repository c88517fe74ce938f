"""Writing the labels of machines. Append-only, one per unit: fields may be missing, but none may be wrong."""

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

    Without ``answers`` the reply was unusable, and ``note`` holds its text.
    """

    unit: AnnotationUnit
    answers: Answers | None
    note: str = ""


def check_given_answers(
    answers: Answers, *, codebook: Codebook, unit: AnnotationUnit, view: str = View.FULL
) -> list[str]:
    """Return errors in the given answers; missing fields are not errors."""
    fields = [field for field in codebook.fields if field.id in answers.values]
    unknown = set(answers.values) - {field.id for field in codebook.fields}
    narrowed = msgspec.structs.replace(codebook, fields=fields)
    if not (fields or unknown):
        return ["No answer."]
    return check_answers(answers, codebook=narrowed, unit=unit, view=view)


def annotator_get(project: AnnotationProject, *, kind: str, name: str, settings: dict[str, Any]) -> Annotator:
    """Return the machine as an annotator of the project; the name includes its version."""
    annotator, _ = Annotator.objects.get_or_create(
        project=project, name=name[:NAME_CHARS], defaults={"kind": kind, "settings": settings}
    )
    return annotator


def labels_add(labels: Sequence[MachineLabel], *, annotator: Annotator, codebook: Codebook) -> None:
    """Store labels; units that have one keep it. Raises ``ValueError`` for a wrong one."""
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
        # The same for the same unit, so that two that work at once write one label.
        key=uuid.uuid5(NAMESPACE, f"{annotator.pk}:{one.unit.pk}"),
    )
