"""Facts that a report's episodes still lack: right after an evaluation its last episodes have none."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator

from trajectories.behaviour.facts import store

AT_ONCE = 100
# A report is computed within a worker's time: what is left then is counted in its tables.
SECONDS = 90.0

logger = logging.getLogger(__name__)


def facts_complete(runs: Iterable[int], *, seconds: float = SECONDS) -> None:
    """Compute missing facts of these runs' ended episodes, within ``seconds``."""
    until = time.monotonic() + seconds
    for episode in _lacking(runs):
        if time.monotonic() > until:
            return
        try:
            store.facts_compute([episode])
        except Exception:
            # One failure must stop neither the others nor the report, which counts it.
            logger.exception("episode %s has no facts: computing them failed", episode)


def _lacking(runs: Iterable[int]) -> Iterator[int]:
    for run in runs:
        after = 0
        while ids := store.episodes_all(after=after, limit=AT_ONCE, run=run, again=False):
            yield from ids
            after = ids[-1]
