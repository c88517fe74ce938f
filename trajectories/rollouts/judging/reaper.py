"""Ends episodes that nobody else ends: expired leases, episodes never used, step budgets that no harness
counts, submissions that crash every worker.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from django.conf import settings

from core import redis_client
from trajectories.models import WatchMark
from trajectories.record import heartbeats, hot_sql
from trajectories.rollouts.judging import queue_sql
from trajectories.rollouts.judging.lease_watch import LeaseWatch, Mark, Sign, WatchTime
from trajectories.rollouts.judging.services import CLAIMS_MAX
from trajectories.rollouts.live import notices

logger = logging.getLogger(__name__)

LOOK_EVERY_MAX_S = 15.0
LOOKS_PER_GRACE = 6
DIVERGED = "fork_diverged"


def look_every_s() -> float:
    """Seconds between two looks at the leases: several in a grace period."""
    return min(LOOK_EVERY_MAX_S, settings.LEASE_GRACE_S / LOOKS_PER_GRACE)


class LeaseReaper:
    """The chore that voids open episodes whose lease is lost, and those unused for too long.

    A heartbeat in Redis keeps an episode alive just as a step does. While Redis is unreachable nothing is
    reaped, and afterwards every silence counts from zero.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._watch = LeaseWatch(
            every_s=look_every_s(),
            lease_s=settings.LEASE_S,
            grace_s=settings.LEASE_GRACE_S,
            unused_s=settings.UNUSED_EPISODE_S,
            opened=WatchTime(
                longest_s=settings.UNUSED_EPISODE_S,
                marks=[Mark(*row) for row in WatchMark.objects.values_list("watched_s", "newest")],
                note=_mark_note,
            ),
        )

    def __call__(self) -> int:
        """Look once; returns how many were voided."""
        episodes = {episode.episode_id: episode for episode in queue_sql.episodes_open()}
        try:
            beats = heartbeats.last_beats(list(episodes))
        except redis_client.Unreachable:
            logger.warning("Redis is unreachable: no leases are reaped")
            self._watch.restart()
            return 0
        signs = {number: _sign(episode, beats.get(number)) for number, episode in episodes.items()}
        due = self._watch.look(signs, now=self._clock())
        lost = ((episodes[number].run_id, reason, number) for number, reason in due.items())
        return _end_all(lost, statuses=["open"])


def _sign(episode: queue_sql.OpenEpisode, beat: str | None) -> Sign:
    life = (episode.last_step, episode.reported_at, episode.last_site_event, beat)
    return life if any(part is not None for part in life) else None


def _mark_note(mark: Mark, oldest_s: float) -> None:
    WatchMark.objects.update_or_create(watched_s=mark.watched_s, defaults={"newest": mark.newest})
    WatchMark.objects.filter(watched_s__lt=oldest_s).delete()


def overspent_end() -> int:
    """End episodes that a browser without our client plays for longer than their step budget."""
    rows = queue_sql.episodes_overspent()
    return _end_all([(run, "step_budget", episode) for run, episode in rows], statuses=["open"])


def given_up_end() -> int:
    """End episodes that a person has taken over and given up, as an agent's giving up does, and forks whose
    pages could not be brought to where their parents' were."""
    rows = queue_sql.episodes_given_up()
    for run, episode, detail in rows:
        if detail:
            ending = hot_sql.Ending.unjudged(episode, DIVERGED)
            ended = hot_sql.finish_many(
                run_id=run, endings=[ending], close_reason=DIVERGED, close_detail=detail
            )
            notices.episodes_ended(run_id=run, ids=ended)
    given_up = [(run, "no_submission", episode) for run, episode, detail in rows if not detail]
    return _end_all(given_up, statuses=["open"]) + len(rows) - len(given_up)


def exhausted_void() -> int:
    """Void submissions that have used up their claims without a verdict."""
    rows = queue_sql.submissions_exhausted(claims_max=CLAIMS_MAX, lost_s=settings.CLAIM_LOST_S)
    return _end_all([(run, "verifier_error", episode) for run, episode in rows], statuses=["submitted"])


def _end_all(due: Iterable[tuple[int, str, int]], *, statuses: list[str]) -> int:
    by_run: dict[int, list[hot_sql.Ending]] = defaultdict(list)
    for run_id, reason, episode_id in due:
        by_run[run_id].append(hot_sql.Ending.unjudged(episode_id, reason))
    count = 0
    for run_id, endings in sorted(by_run.items()):
        ended = hot_sql.finish_many(run_id=run_id, endings=endings, statuses=statuses)
        notices.episodes_ended(run_id=run_id, ids=ended)
        count += len(ended)
    if count:
        logger.warning("%d episodes ended by the reaper", count)
    return count
