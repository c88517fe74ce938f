"""The order of label versions, the same for people's, machines' and adjudicated labels.

The highest version is the newest. Imports may bring several adjudicated labels with the same version; then
the label that was stored last is the newest. Times are not used, since imported labels have those of another
installation. SQL that orders labels itself follows the same rule (``adjudication/sql/disagreements.sql``).
"""

from __future__ import annotations

from collections.abc import Hashable

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from trajectories.models import AnnotationProject, Label

# Oldest first, for readers that let a later label replace an earlier one.
ORDER = ("version", "pk")


def pick_newest(labels: QuerySet[Label]) -> Label | None:
    """Return the newest of one unit's labels, or None if there are none."""
    return labels.order_by(*(f"-{name}" for name in ORDER)).first()


def filter_newest(labels: QuerySet[Label]) -> QuerySet[Label]:
    """Drop labels that have a newer version: by the same annotator or, if adjudicated, by anyone."""
    same = {name: OuterRef(name) for name in ("unit_id", "layer", "is_repeat")}
    own = Q(annotator_id=OuterRef("annotator_id")) | Q(layer=Label.Layer.ADJUDICATED)
    later = Q(version__gt=OuterRef("version")) | Q(version=OuterRef("version"), pk__gt=OuterRef("pk"))
    return labels.filter(~Exists(Label.objects.filter(own, later, **same)))


def filter_newest_done() -> QuerySet[Label]:
    """Return the newest labels that have answers, without repeats and labels of gold units."""
    labels = Label.objects.filter(state=Label.State.DONE, is_repeat=False, unit__gold__isnull=True)
    return filter_newest(labels)


def filter_sample(project: AnnotationProject, *, is_repeat: bool = False) -> QuerySet[Label]:
    """Return a project's labels made with its codebook, oldest first, without those of gold units.

    Repeats are left out or, with ``is_repeat``, are the only ones.
    """
    return Label.objects.filter(
        unit__project=project, unit__gold__isnull=True, is_repeat=is_repeat, codebook_id=project.codebook_id
    ).order_by(*ORDER)


def read_blind_state(project: AnnotationProject) -> Hashable:
    """Return a cache key for whatever is computed from the project's blind labels.

    It changes whenever a label is added or a unit becomes, or ceases to be, a gold unit.
    """
    rows = Label.objects.filter(annotator__project=project, layer=Label.Layer.BLIND)
    # Count labels too, because of two concurrently stored labels the one with the higher id may appear first.
    labels = rows.aggregate(newest=Max("pk"), all=Count("pk"))
    golds = tuple(project.units.filter(gold__isnull=False).order_by("pk").values_list("pk", flat=True))
    return labels["newest"], labels["all"], golds, project.codebook_id
