"""How much of each sample's pages is recorded."""

from __future__ import annotations

from core.draws import Draws
from trajectories.episodes.opening_body import Opening
from trajectories.models import Episode, Run
from trajectories.models.run import RECORDING_FULL_SHARE

Recording = Episode.Recording


def extent_of(opening: Opening, run: Run, seed: int, sample_index: int) -> Recording:
    """What the call says; if it says ``full`` or nothing, the run's share is drawn by seed."""
    share = run.recording_full_share
    if opening.recording in (None, Recording.FULL) and share is not None:
        is_full = Draws(RECORDING_FULL_SHARE, seed, sample_index).chance(share)
        return Recording.FULL if is_full else Recording.EVENTS
    return opening.recording or Recording.EVENTS
