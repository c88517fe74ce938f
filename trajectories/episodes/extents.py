"""How much of each sample's pages is recorded."""

from __future__ import annotations

from typing import Any

from core.draws import Draws
from trajectories.episodes.opening_body import Opening
from trajectories.models import Episode, Run

# The setting of a run by which only a sample of its episodes is recorded in full.
FULL_SHARE = "recording_full_share"


def is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def extent_of(opening: Opening, run: Run, seed: int, sample_index: int) -> str:
    """What the call says; where it says ``full`` or nothing, the run's share is drawn by seed."""
    asked, share = opening.recording, run.settings.get(FULL_SHARE)
    if asked in (None, Episode.Recording.FULL) and is_share(share):
        is_full = Draws(FULL_SHARE, seed, sample_index).chance(share)
        return Episode.Recording.FULL.value if is_full else Episode.Recording.EVENTS.value
    return asked or Episode.Recording.EVENTS.value
