"""What the sweeper does for summaries: sends the ended episodes whose facts are not what they should be."""

from __future__ import annotations

from collections import Counter

from core import queues
from core.jobs import queue_length
from trajectories.facts import jobs, store

BATCH = 500
# An episode whose facts do not come of so many tries, some of them while the first is under way, is left
# alone until the next start.
TRIES = 10


class SummarySweep:
    """Remembers up to when all have their facts, so that each sweep is short. It begins at the beginning:
    a new version of the facts is computed for all history.

    Nothing is sent while the queue holds anything: what it holds is as likely among those that are due.
    """

    def __init__(self) -> None:
        self._since = store.BEGINNING
        self._tries: Counter[int] = Counter()

    def __call__(self) -> int:
        """How many were sent."""
        if queue_length(queues.MEDIA) != 0:
            return 0
        settled = store.settled_until()
        due = store.episodes_due(since=self._since, limit=BATCH, without=self._given_up())
        first = due[0].since if due else settled
        self._since = max(self._since, min(first, settled))
        sent = [one.episode_id for one in due][: jobs.episodes_ask([one.episode_id for one in due])]
        # Only what comes back again and again is remembered.
        self._tries = Counter({one: self._tries[one] + 1 for one in {*sent, *self._given_up()}})
        return len(sent)

    def _given_up(self) -> list[int]:
        return [one for one, tries in self._tries.items() if tries >= TRIES]
