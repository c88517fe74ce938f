"""Ends abandoned episodes: expired leases, episodes never used, submissions that crash every worker."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable

from django.conf import settings

from core import redis_client
from trajectories import heartbeats, hot_sql
from trajectories.judging import queue_sql
from trajectories.judging.services import CLAIMS_MAX
from trajectories.live import notices

logger = logging.getLogger(__name__)


def leases_reap() -> int:
    """Void open episodes whose lease has expired, and those unused for too long; returns how many.

    A heartbeat in Redis keeps an episode alive just as a step does. Nothing is reaped while Redis is
    unreachable, or when it restarted less than a lease ago and may have lost heartbeats.
    """
    silent = queue_sql.episodes_silent(lease_s=settings.LEASE_S)
    if not silent:
        return 0
    try:
        if redis_uptime_s() < settings.LEASE_S:
            return 0
        beats = heartbeats.last_beats([episode.episode_id for episode in silent])
    except redis_client.Unreachable:
        logger.warning("Redis is unreachable: no leases are reaped")
        return 0
    due = [
        (episode.run_id, reason, episode.episode_id)
        for episode in silent
        if (reason := _reason(episode, beats))
    ]
    return _void_all(due, statuses=["open"])


def _reason(episode: queue_sql.Silent, beats: dict[int, float]) -> str | None:
    beat = beats.get(episode.episode_id)
    if beat is not None and beat < settings.LEASE_S:
        return None
    if episode.is_used or beat is not None:
        return "lease_lost"
    return "expired_unused" if episode.seconds > settings.UNUSED_EPISODE_S else None


def exhausted_void() -> int:
    """Void submissions that have used up their claims without a verdict."""
    rows = queue_sql.submissions_exhausted(claims_max=CLAIMS_MAX, lost_s=settings.CLAIM_LOST_S)
    return _void_all([(run, "verifier_error", episode) for run, episode in rows], statuses=["submitted"])


def redis_uptime_s() -> float:
    return float(redis_client.client().info("server")["uptime_in_seconds"])


def _void_all(due: Iterable[tuple[int, str, int]], *, statuses: list[str]) -> int:
    by_run: dict[int, list[hot_sql.Ending]] = defaultdict(list)
    for run_id, reason, episode_id in due:
        by_run[run_id].append(hot_sql.Ending.unjudged(episode_id, reason))
    count = 0
    for run_id, endings in sorted(by_run.items()):
        ended = hot_sql.finish_many(run_id=run_id, endings=endings, statuses=statuses)
        notices.episodes_ended(run_id=run_id, ids=ended)
        count += len(ended)
    if count:
        logger.warning("%d episodes voided by the reaper", count)
    return count
