"""The order of label versions, the same for people, machines and what was settled.

The highest version is the newest; of equal ones, the label stored last, since imports may bring several
settled answers of one version. Times do not decide: imported labels have those of another installation. SQL
that orders labels itself follows the same rule (``adjudication/sql/disagreements.sql``).
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from trajectories.models import Label

# Oldest first, for readers that let a later label replace an earlier one.
ORDER = ("version", "pk")


def newest_of(labels: QuerySet[Label]) -> Label | None:
    """Return the newest of one unit's labels."""
    return labels.order_by(*(f"-{name}" for name in ORDER)).first()


def newest_only(labels: QuerySet[Label]) -> QuerySet[Label]:
    """Drop labels that have a newer version, by the same annotator, or of a settled answer by anyone."""
    same = {name: OuterRef(name) for name in ("unit_id", "layer", "is_repeat")}
    own = Q(annotator_id=OuterRef("annotator_id")) | Q(layer=Label.Layer.ADJUDICATED)
    later = Q(version__gt=OuterRef("version")) | Q(version=OuterRef("version"), pk__gt=OuterRef("pk"))
    return labels.filter(~Exists(Label.objects.filter(own, later, **same)))
