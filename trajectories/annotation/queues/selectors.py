"""Annotators' slots and projects, and their progress: how many units are done and how many are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Q

from core.database.sql import Statement
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Annotator, Label

EDITABLE = 10
PROJECTS_SHOWN = 50
HOUR_MS = 3_600_000
_PROGRESS = Statement(__file__, "progress")


@dataclass(frozen=True)
class Progress:
    """An annotator's counts of units; ``left`` counts those that they could still be given."""

    annotator: Annotator
    done: int
    skipped: int
    left: int
    active_ms: int = 0
    timed: int = 0  # Units whose labelling time is known.

    @property
    def labelled(self) -> int:
        return self.done - self.skipped

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def per_hour(self) -> float | None:
        return self.timed * HOUR_MS / self.active_ms if self.active_ms else None


def find_annotator(user: User | AnonymousUser, project_id: int) -> Annotator | None:
    """Return the user's annotator in the project, or None."""
    rows = Annotator.objects.select_related("project__codebook")
    return rows.filter(project_id=project_id, user_id=user.pk or 0).first()


def find_slot(annotator: Annotator, **key: int | UUID) -> AnnotationSlot | None:
    """Return a slot if the annotator holds it or it is among the last ten that they finished, else None.

    ``key`` is ``pk`` or ``public_id``.
    """
    rows = AnnotationSlot.objects.select_related("unit").filter(annotator=annotator)
    slot = rows.filter(**key).first()
    if slot is None or slot.done_at is None:
        return slot
    later = rows.filter(done_at__gt=slot.done_at).count()
    return slot if later < EDITABLE else None


def find_label(annotator: Annotator, slot: UUID) -> Label | None:
    """Return the annotator's newest label of a slot's unit, if any."""
    rows = Label.objects.select_related("unit").filter(
        annotator=annotator, unit__slots__public_id=slot, layer=Label.Layer.BLIND, is_repeat=False
    )
    return versions.pick_newest(rows)


def list_recent_slots(annotator: Annotator) -> list[AnnotationSlot]:
    """Return the last ten slots that the annotator finished, newest first."""
    rows = AnnotationSlot.objects.filter(annotator=annotator, done_at__isnull=False)
    return list(rows.select_related("unit").order_by("-done_at", "-pk")[:EDITABLE])


def read_progress(annotators: Sequence[Annotator]) -> list[Progress]:
    """Return the progress of these annotators, in one query."""
    rows = {row[0]: row[1:] for row in _PROGRESS.rows(annotators=[annotator.pk for annotator in annotators])}
    progress = []
    for annotator in annotators:
        done, skipped, counted, free, beyond, active_ms, timed = rows[annotator.pk]
        if annotator.quota is not None:
            free = min(free, max(annotator.quota - counted, 0))
        left = free + beyond
        progress.append(Progress(annotator, done, skipped, left, active_ms=int(active_ms), timed=timed))
    return progress


def list_projects(user: User | AnonymousUser) -> list[Annotator]:
    """Return the user's annotators, one for each project, newest project first."""
    rows = Annotator.objects.select_related("project").filter(user_id=user.pk or 0)
    return list(rows.order_by("-project_id", "pk"))


def projects_page(before: int | None) -> tuple[list[AnnotationProject], int | None]:
    """Return projects with their counts of slots, newest first, and the cursor of the next page."""
    rows = AnnotationProject.objects.order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    numbers = list(rows.values_list("pk", flat=True)[: PROJECTS_SHOWN + 1])
    shown = numbers[:PROJECTS_SHOWN]
    golds = AnnotationUnit.objects.filter(project__in=shown, gold__isnull=False).values_list("pk", flat=True)
    of_sample = Q(slots__is_repeat=False) & ~Q(slots__unit_id__in=golds)
    counted = AnnotationProject.objects.filter(pk__in=shown).annotate(
        slots_all=Count("slots", filter=of_sample),
        slots_done=Count("slots", filter=of_sample & Q(slots__done_at__isnull=False)),
    )
    return list(counted.order_by("-pk")), shown[-1] if len(numbers) > PROJECTS_SHOWN else None
