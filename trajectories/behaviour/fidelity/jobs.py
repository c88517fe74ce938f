"""Celery job: the fidelity check of one step."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from celery import shared_task
from celery.signals import worker_ready

from core import jobs, queues
from trajectories.behaviour.fidelity import check as checking
from trajectories.behaviour.fidelity import rendering
from trajectories.behaviour.fidelity.sample import Place
from trajectories.record import heartbeats

logger = logging.getLogger(__name__)

# The mark in Redis that tells the sweeper that a worker can render replays.
ALIVE = "replays"
# Longer than rendering may take, with reading the recording before and comparing after it.
SOFT_LIMIT_S = 40
HARD_LIMIT_S = 50
AGAIN_S = 60.0


@shared_task(name="fidelity.check", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def check(*, episode_id: int, step: int) -> None:
    try:
        checking.step_check(episode_id=episode_id, index=step)
    except SoftTimeLimitExceeded:
        checking.step_give_up(episode_id=episode_id, index=step)
    except Exception:
        # The sweeper sends it again, and gives up after some tries.
        logger.exception("the replay of step %s of episode %s could not be checked", step, episode_id)


def step_send(place: Place) -> bool:
    """Queue a step's check; False without a queue: the sweeper sends it again."""
    return jobs.job_send(check, queues.REPLAYS, **place._asdict())


@worker_ready.connect
def _begin(sender: Any, **_kwargs: Any) -> None:
    if jobs.serves(sender, queues.REPLAYS):
        Thread(target=say_able, name="replays", daemon=True).start()


def say_able(*, wait: Callable[[float], object] = time.sleep) -> None:
    """Mark this worker as able to render replays once it has rendered a page; log why not until then."""
    logged = None
    while problem := rendering.drawing_problem():
        if problem != logged:
            logger.warning("replays cannot be rendered here, and are not checked: %s", problem[1])
        logged = problem
        wait(AGAIN_S)
    heartbeats.alive_keep(ALIVE)
