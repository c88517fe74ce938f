"""The order in which the two of a pair are shown: random, and the same whenever the unit is shown again."""

from __future__ import annotations

import hashlib

from trajectories.models import AnnotationProject, AnnotationUnit, Annotator


def is_swapped(unit: AnnotationUnit, *, annotator: Annotator, is_repeat: bool) -> bool:
    """Return whether this person sees the second one of the pair first; a repeat is drawn again.

    The order is derived from a ticket's values, so it is known even if the slot has since gone to someone
    else.
    """
    project = annotator.project
    if project.level != AnnotationProject.Level.PAIR:
        return False
    place = f"{project.seed}:order:{unit.pk}:{annotator.pk}:{int(is_repeat)}"
    return hashlib.sha256(place.encode()).digest()[0] % 2 == 1
