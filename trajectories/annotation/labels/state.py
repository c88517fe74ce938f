"""State of a project's blind labels, as a value to cache by: what follows from them changes only with it."""

from __future__ import annotations

from collections.abc import Hashable

from django.db.models import Count, Max

from trajectories.models import AnnotationProject, Label


def blind_state(project: AnnotationProject) -> Hashable:
    """Labels are only added; a unit may become one for training."""
    rows = Label.objects.filter(annotator__project=project, layer=Label.Layer.BLIND)
    # The number too: of two labels that are stored at once, the later number may be seen first.
    labels = rows.aggregate(newest=Max("pk"), all=Count("pk"))
    golds = tuple(project.units.filter(gold__isnull=False).order_by("pk").values_list("pk", flat=True))
    return labels["newest"], labels["all"], golds, project.codebook_id
