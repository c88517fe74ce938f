"""What tells whether a page of an episode has news: asked for by every reader's page every few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from trajectories.models import Episode, EpisodeFacts, Step


@dataclass(frozen=True, kw_only=True)
class Mark:
    """``last`` is the highest step number, 0 without steps; ``number`` how many there are, which alone grows
    when a gap is filled. ``measured_at`` is when a worker computed what is kept of all of them."""

    last: int
    number: int
    measured_at: datetime | None


def episode_mark(episode: Episode) -> Mark:
    found = Step.objects.filter(episode_id=episode.pk).aggregate(last=Max("index"), number=Count("index"))
    measured_at = _measured_at(episode.pk) if episode.finished_at else None
    return Mark(last=found["last"] or 0, number=found["number"], measured_at=measured_at)


def _measured_at(episode_id: int) -> datetime | None:
    return EpisodeFacts.objects.filter(pk=episode_id).values_list("computed_at", flat=True).first()
