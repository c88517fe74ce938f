"""Origins of episodes. Each episode has exactly one, by which lists, searches and exports filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Q, TextChoices


class Origin(TextChoices):
    """The origin of an episode.

    A ``plain`` episode is played from the start and without help. An episode in which a person ever acted is
    ``taken_over``, even if it is also forked or guided; a guided fork is ``guided``.
    """

    PLAIN = "plain", "Plain"
    FORKED = "forked", "Forked"
    GUIDED = "guided", "Guided"
    TAKEN_OVER = "taken_over", "Taken over"


CONDITIONS: Mapping[Origin, Q] = {
    Origin.PLAIN: Q(is_plain=True),
    Origin.FORKED: Q(is_taken_over=False, guidance__isnull=True, parent__isnull=False),
    Origin.GUIDED: Q(is_taken_over=False, guidance__isnull=False),
    Origin.TAKEN_OVER: Q(is_taken_over=True),
}
# The origin of the episode ``e``, in SQL.
ORIGIN_SQL = """CASE WHEN e.is_taken_over THEN 'taken_over' WHEN e.guidance IS NOT NULL THEN 'guided'
    WHEN e.parent_id IS NOT NULL THEN 'forked' ELSE 'plain' END"""

# The origin of a group with the episodes ``e``, in SQL; a plain group has only plain episodes.
GROUP_ORIGIN_SQL = """CASE WHEN bool_or(e.is_taken_over) THEN 'taken_over'
    WHEN bool_or(e.guidance IS NOT NULL) THEN 'guided' WHEN bool_or(e.parent_id IS NOT NULL) THEN 'forked'
    ELSE 'plain' END"""


def is_of(origins: Iterable[str]) -> Q:
    """Return the condition that an episode has one of these origins; if all are named, it is empty."""
    named = {Origin(origin) for origin in origins}
    condition = Q()
    if named != set(CONDITIONS):
        for origin in sorted(named):
            condition |= CONDITIONS[origin]
    return condition
