"""DOM recordings of an episode's pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.capture import chunks
from trajectories.capture.chunks import RecordedPage
from trajectories.models import Episode

LOADS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class RecordedLoads:
    """The first recorded page loads of an episode, and how many there are."""

    shown: Sequence[RecordedPage] = ()
    number: int = 0


def recorded_loads(episode: Episode) -> RecordedLoads:
    if episode.recording != Episode.Recording.FULL:
        return RecordedLoads()
    loads = chunks.recorded_pages(episode_id=episode.pk)
    return RecordedLoads(shown=loads[:LOADS_SHOWN], number=len(loads))
