"""What waiters and feeds share: signals that wake them, and queries batched for many of them."""

from __future__ import annotations

from trajectories.live.batches import Batch
from trajectories.live.selectors import EpisodeState, LiveReader, VerdictPage
from trajectories.live.signals import Signals


class News:
    """Signals by episode and run, and batched reads of their state."""

    def __init__(self, reader: LiveReader) -> None:
        self.reader = reader
        self.episodes = Signals()
        self.runs = Signals()
        # For pages that count a run's episodes: openings must not wake those who wait for verdicts.
        self.pulses = Signals()
        self.states: Batch[int, EpisodeState] = Batch(reader.episode_states)
        self.pages: Batch[tuple[int, int], VerdictPage] = Batch(reader.verdict_pages)
        self.splits: Batch[int, str] = Batch(reader.episode_splits)
