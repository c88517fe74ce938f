"""The job that computes the components of ended episodes, and the sweep that sends it."""

from __future__ import annotations

from celery import shared_task

from core.work.sweep import Sweep
from trajectories.behaviour.facts.store import LATE_S, SETTLE_S
from trajectories.record.chores.walks import HARD_LIMIT_S, SOFT_LIMIT_S, compute_each, episodes_sweep
from trajectories.rewards import registry, store

BATCH = 50
# Rewards wait this much longer than facts, so that the facts are usually there.
FACTS_S = 10


@shared_task(
    name="rewards.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
)
def episodes(*, episode_ids: list[int]) -> None:
    compute_each(episode_ids, store.components_compute, what="reward components")


def rewards_sweep() -> Sweep[int]:
    return episodes_sweep(
        episodes,
        name="rewards",
        version=int(registry.revision()[:7], 16),
        read=store.episodes_after,
        fresh_s=(SETTLE_S + FACTS_S, LATE_S + FACTS_S),
        batch=BATCH,
    )
