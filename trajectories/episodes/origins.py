"""How episodes came about: each is of one origin, by which lists, searches and exports filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Q, TextChoices


class Origin(TextChoices):
    """``plain``: played from its start and without help. A guided fork counts as guided."""

    PLAIN = "plain", "Plain"
    FORKED = "forked", "Forked"
    GUIDED = "guided", "Guided"


CONDITIONS: Mapping[Origin, Q] = {
    Origin.PLAIN: Q(is_plain=True),
    Origin.FORKED: Q(guidance__isnull=True, parent__isnull=False),
    Origin.GUIDED: Q(guidance__isnull=False),
}


def is_of(origins: Iterable[str]) -> Q:
    """The condition that an episode is of one of these; all of them ask nothing."""
    named = {Origin(origin) for origin in origins}
    condition = Q()
    if named != set(CONDITIONS):
        for origin in sorted(named):
            condition |= CONDITIONS[origin]
    return condition
