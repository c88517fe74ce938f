"""What annotators have done and have left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Q

from core.sql import Statement
from trajectories.models import AnnotationProject, AnnotationSlot, Annotator

EDITABLE = 10
_PROGRESS = Statement(__file__, "progress")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Units of one annotator: ``left`` are those that they could still be given."""

    annotator: Annotator
    done: int
    skipped: int
    left: int

    @property
    def labelled(self) -> int:
        return self.done - self.skipped

    @property
    def total(self) -> int:
        return self.done + self.left


def annotator_of(user: User | AnonymousUser, project_id: int) -> Annotator | None:
    """The user as an annotator of the project; None if they are none of its annotators."""
    rows = Annotator.objects.select_related("project__codebook")
    return rows.filter(project_id=project_id, user_id=user.pk or 0).first()


def slot_of(annotator: Annotator, slot_id: int) -> AnnotationSlot | None:
    """A slot that the annotator holds, or one of the last ten that they finished."""
    rows = AnnotationSlot.objects.select_related("unit").filter(annotator=annotator)
    slot = rows.filter(pk=slot_id).first()
    if slot is None or slot.done_at is None:
        return slot
    later = rows.filter(done_at__gt=slot.done_at).count()
    return slot if later < EDITABLE else None


def slots_recent(annotator: Annotator) -> list[AnnotationSlot]:
    """The last ten that they finished, newest first."""
    rows = AnnotationSlot.objects.filter(annotator=annotator, done_at__isnull=False)
    return list(rows.select_related("unit").order_by("-done_at", "-pk")[:EDITABLE])


def progress_of(annotators: Sequence[Annotator]) -> list[Progress]:
    """How far these annotators are, in one query."""
    rows = {row[0]: row[1:] for row in _PROGRESS.rows(annotators=[one.pk for one in annotators])}
    return [
        Progress(
            annotator=one,
            done=rows[one.pk][0],
            skipped=rows[one.pk][1],
            left=_within_quota(one, done=rows[one.pk][0], left=rows[one.pk][2]),
        )
        for one in annotators
    ]


def _within_quota(annotator: Annotator, *, done: int, left: int) -> int:
    return left if annotator.quota is None else min(left, max(annotator.quota - done, 0))


def projects_of(user: User | AnonymousUser) -> list[Annotator]:
    """The projects in which the user labels, newest first."""
    rows = Annotator.objects.select_related("project").filter(user_id=user.pk or 0)
    return list(rows.order_by("-project_id", "pk"))


def projects_all() -> list[AnnotationProject]:
    """All projects with their counts of units and annotators, newest first."""
    rows = AnnotationProject.objects.annotate(
        slots_all=Count("slots", filter=Q(slots__is_repeat=False), distinct=True),
        slots_done=Count(
            "slots", filter=Q(slots__is_repeat=False, slots__done_at__isnull=False), distinct=True
        ),
    )
    return list(rows.order_by("-pk"))
