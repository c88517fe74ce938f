"""The job that computes the facts of ended episodes, and the sweep that queues it."""

from __future__ import annotations

from celery import shared_task

from core.work.sweep import Sweep
from trajectories.behaviour.facts import store
from trajectories.behaviour.facts.behaviour import VERSION
from trajectories.record.chores.walks import HARD_LIMIT_S, SOFT_LIMIT_S, compute_each, episodes_sweep

BATCH = 20


@shared_task(name="facts.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def episodes(*, episode_ids: list[int]) -> None:
    compute_each(episode_ids, store.facts_compute, what="facts")


def facts_sweep() -> Sweep[int]:
    return episodes_sweep(
        episodes,
        name="facts",
        version=VERSION,
        read=store.episodes_after,
        fresh_s=(store.SETTLE_S, store.LATE_S),
        batch=BATCH,
    )
