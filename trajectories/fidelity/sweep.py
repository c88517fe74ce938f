"""What the sweeper does for fidelity: chooses steps of ended episodes, and sends a few at a time."""

from __future__ import annotations

import time

from django.conf import settings

from core import queues, redis_client
from core.jobs import queue_length
from trajectories import heartbeats
from trajectories.fidelity import jobs, sample

# Under way at a time: a picture that comes meanwhile waits for some seconds.
UNDER_WAY = 2
# A step that was sent so long ago and still waits was lost.
LOST_S = 60.0
EPISODES = 20


class FidelitySweep:
    """Sends nothing while the queue holds anything, or while nobody can draw: whatever else the media workers
    do goes first. Remembers up to when all episodes have been looked at, so that each sweep is short; begins
    at the beginning, so that a new version checks all history."""

    def __init__(self) -> None:
        self._since = sample.BEGINNING
        self._sent: dict[sample.Place, float] = {}

    def __call__(self) -> int:
        """How many steps were sent."""
        if not self._is_idle():
            return 0
        sample.exhausted_fail()
        room = UNDER_WAY - self._under_way()
        if room <= 0:
            return 0
        waiting = self._waiting(room)
        if not waiting and settings.FIDELITY_STEPS_MAX and self._choose():
            waiting = self._waiting(room)
        sent = [place for place in waiting if jobs.step_send(place)]
        self._sent |= dict.fromkeys(sent, time.monotonic())
        return len(sent)

    def _is_idle(self) -> bool:
        if queue_length(queues.MEDIA) != 0:
            return False
        try:
            return jobs.ALIVE in heartbeats.alive_names([jobs.ALIVE])
        except redis_client.Unreachable:
            return False

    def _under_way(self) -> int:
        """How many of those that were sent still wait. The others are forgotten."""
        lost = time.monotonic() - LOST_S
        left = sample.still_waiting([place for place, sent in self._sent.items() if sent > lost])
        self._sent = {place: self._sent[place] for place in left}
        return len(left)

    def _waiting(self, room: int) -> list[sample.Place]:
        found = sample.steps_waiting(limit=room + len(self._sent))
        return [place for place in found if place not in self._sent][:room]

    def _choose(self) -> int:
        """How many steps were chosen."""
        settled = sample.settled_until()
        due = sample.episodes_due(since=self._since, limit=EPISODES)
        self._since = max(self._since, min(due[0].since if due else settled, settled))
        return sum(len(sample.episode_choose(one.episode_id)) for one in due)
