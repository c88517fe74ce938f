"""Sends ended episodes whose facts are missing or outdated to the media queue."""

from __future__ import annotations

from django.conf import settings

from core.sweep import Sweep
from trajectories.facts import jobs, store

BATCH = 500
# An episode that keeps failing is left alone until the next start; its first job may outlast several tries.
TRIES = 10


def facts_sweep() -> Sweep[int]:
    return Sweep(
        due=lambda since, given_up: store.episodes_due(since=since, limit=BATCH, without=given_up),
        send=lambda episode_ids: episode_ids[: jobs.episodes_send(episode_ids)],
        settle_s=settings.STEP_GRACE_S,
        tries=TRIES,
    )
