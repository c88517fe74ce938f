"""Chooses steps of ended episodes and sends them to be checked, a few at a time."""

from __future__ import annotations

import time

from django.conf import settings

from core import queues, redis_client
from core.jobs import queue_length
from core.sweep import Sweep
from trajectories.behaviour.fidelity import jobs, sample
from trajectories.behaviour.fidelity.check import VERSION
from trajectories.record import heartbeats
from trajectories.record.chores.walks import walks

# Checks in progress at a time.
UNDER_WAY = 2
# A step that still waits this long after sending was lost.
LOST_S = 60.0
EPISODES = 20


class FidelitySweep:
    """Sends nothing while the queue holds jobs, or while no worker can render replays."""

    def __init__(self) -> None:
        self._episodes = Sweep(
            queue=queues.REPLAYS,
            walks=walks(
                "replays",
                version=VERSION,
                lowest=0,
                read=sample.episodes_after,
                fresh_s=(sample.SETTLE_S,),
                settled_s=sample.SETTLE_S,
            ),
            send=lambda ids: [
                episode_id for episode_id in ids[:EPISODES] if sample.episode_choose(episode_id)
            ],
        )
        self._sent: dict[sample.Place, float] = {}

    def __call__(self) -> int:
        """Send waiting steps to be checked; return how many were sent."""
        if not self._is_idle():
            return 0
        sample.exhausted_fail()
        room = UNDER_WAY - self._under_way()
        if room <= 0:
            return 0
        waiting = self._waiting(room)
        if not waiting and settings.FIDELITY_STEPS_MAX and self._episodes.advance():
            waiting = self._waiting(room)
        sent = [place for place in waiting if jobs.step_send(place)]
        self._sent |= dict.fromkeys(sent, time.monotonic())
        return len(sent)

    def _is_idle(self) -> bool:
        if queue_length(queues.REPLAYS) != 0:
            return False
        try:
            return jobs.ALIVE in heartbeats.alive_names([jobs.ALIVE])
        except redis_client.Unreachable:
            return False

    def _under_way(self) -> int:
        """Count the sent steps that still wait, and forget the others."""
        lost = time.monotonic() - LOST_S
        waiting = sample.still_waiting([place for place, sent in self._sent.items() if sent > lost])
        self._sent = {place: self._sent[place] for place in waiting}
        return len(waiting)

    def _waiting(self, room: int) -> list[sample.Place]:
        places = sample.steps_waiting(limit=room + len(self._sent))
        return [place for place in places if place not in self._sent][:room]
