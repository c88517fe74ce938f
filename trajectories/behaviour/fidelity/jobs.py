"""The Celery job that checks the fidelity of one step, and the sweep that queues it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings

from core.work import jobs, queues, redis_client
from core.work.jobs import queue_length
from core.work.sweep import Sweep
from trajectories.behaviour.fidelity import check as checking
from trajectories.behaviour.fidelity import rendering, sample
from trajectories.behaviour.fidelity.check import VERSION
from trajectories.behaviour.fidelity.sample import Place
from trajectories.record import heartbeats
from trajectories.record.chores.walks import walks

logger = logging.getLogger(__name__)

# The mark in Redis from which the sweeper knows that a worker can render replays.
ALIVE = "replays"
# These limits exceed ``WALL_S``, because the job also reads the recording and compares the pictures.
SOFT_LIMIT_S = 40
HARD_LIMIT_S = 50
AGAIN_S = 60.0
# The most checks in progress at a time.
UNDER_WAY = 2
# A step that is still waiting this long after its job was sent counts as lost.
LOST_S = 60.0
EPISODES = 20


@shared_task(name="fidelity.check", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def check(*, episode_id: int, step: int) -> None:
    try:
        checking.step_check(episode_id=episode_id, index=step)
    except SoftTimeLimitExceeded:
        checking.step_give_up(episode_id=episode_id, index=step)
    except Exception:
        # The sweeper sends the step again, and gives up after ``TRIES`` tries.
        logger.exception("the replay of step %s of episode %s could not be checked", step, episode_id)


def step_send(place: Place) -> bool:
    """Queue a step's check; return False if the queue is unreachable, so that the sweeper sends it again."""
    return jobs.job_send(check, queues.REPLAYS, **place._asdict())


@worker_ready.connect
def _begin(sender: Any, **_kwargs: Any) -> None:
    if jobs.serves(sender, queues.REPLAYS):
        Thread(target=say_able, name="replays", daemon=True).start()


def say_able(*, wait: Callable[[float], object] = time.sleep) -> None:
    """Mark this worker as able to render replays once it has rendered a page.

    Until then, log the reason why it cannot, and try again every ``AGAIN_S`` seconds.
    """
    logged = None
    while problem := rendering.drawing_problem():
        if problem != logged:
            logger.warning("replays cannot be rendered here, and are not checked: %s", problem[1])
        logged = problem
        wait(AGAIN_S)
    heartbeats.alive_keep(ALIVE)


class FidelitySweep:
    """The sweep that queues waiting steps for their fidelity check.

    It queues nothing while the queue still holds jobs, or while no worker can render replays.
    """

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
        """Queue waiting steps for their check and return how many were queued."""
        if not self._is_idle():
            return 0
        sample.fail_exhausted()
        room = UNDER_WAY - self._under_way()
        if room <= 0:
            return 0
        waiting = self._waiting(room)
        if not waiting and settings.FIDELITY_STEPS_MAX and self._episodes.advance():
            waiting = self._waiting(room)
        sent = [place for place in waiting if step_send(place)]
        self._sent |= dict.fromkeys(sent, time.monotonic())
        return len(sent)

    def _is_idle(self) -> bool:
        if queue_length(queues.REPLAYS) != 0:
            return False
        try:
            return ALIVE in heartbeats.alive_names([ALIVE])
        except redis_client.Unreachable:
            return False

    def _under_way(self) -> int:
        """Count the queued steps that are still waiting, and forget the others."""
        lost = time.monotonic() - LOST_S
        waiting = sample.still_waiting([place for place, sent in self._sent.items() if sent > lost])
        self._sent = {place: self._sent[place] for place in waiting}
        return len(waiting)

    def _waiting(self, room: int) -> list[sample.Place]:
        places = sample.steps_waiting(limit=room + len(self._sent))
        return [place for place in places if place not in self._sent][:room]
