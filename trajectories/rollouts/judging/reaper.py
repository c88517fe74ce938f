"""The end of episodes that ran out of time or lost their lease."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings

from core.work import redis_client
from trajectories.models import WatchMark
from trajectories.record import heartbeats, hot_sql
from trajectories.rollouts.judging import queue_sql
from trajectories.rollouts.judging.services import CLAIMS_MAX
from trajectories.rollouts.live import events

MARKS = 48
"""Number of marks within ``longest_s``. An age may be too low by one part in this many, but never too high.
"""
# If the previous look was more than this many intervals ago, this process or the machine was suspended.
LATE = 3
# If no episode shows life for longer than this, all of them were abandoned.
QUIET_MAX_S = 1800.0
Sign = Hashable
"""Sign of life of an open episode: a value that changes with activity, None if the episode was never used."""
logger = logging.getLogger(__name__)
LOOK_EVERY_MAX_S = 15.0
LOOKS_PER_GRACE = 6
DIVERGED = "fork_diverged"


class Mark(NamedTuple):
    """A point in time: when the clock showed ``watched_s``, episodes up to ``newest`` had been opened."""

    watched_s: float
    newest: int


class WatchTime:
    """A clock that measures how long episodes have been open, for ages of up to ``longest_s``.

    It continues from ``marks`` and does not count the time between the last mark and the start. Each new mark
    is passed to ``note``, along with the time of the oldest mark that is still needed."""

    def __init__(
        self,
        *,
        longest_s: float,
        marks: Iterable[Mark] = (),
        note: Callable[[Mark, float], object] = lambda _mark, _oldest_s: None,
    ) -> None:
        self._longest_s = longest_s
        self._marks = sorted(marks)
        self._note = note
        self._now_s = self._marks[-1].watched_s if self._marks else 0.0

    def go_on(self, passed_s: float, newest: int) -> None:
        """Count the time since the last look. ``newest`` is the highest id of an open episode."""
        self._now_s += passed_s
        last = self._marks[-1] if self._marks else None
        if last is not None and self._now_s - last.watched_s < self._longest_s / MARKS:
            return
        mark = Mark(self._now_s, max(newest, last.newest if last else 0))
        self._marks.append(mark)
        while len(self._marks) > 1 and self._now_s - self._marks[1].watched_s > self._longest_s:
            del self._marks[0]
        self._note(mark, self._marks[0].watched_s)

    def age_s(self, episode: int) -> float:
        """Return the minimum time for which an episode has been open, in seconds."""
        place = bisect_left(self._marks, episode, key=lambda mark: mark.newest)
        return self._now_s - self._marks[place].watched_s if place < len(self._marks) else 0.0


@dataclass
class _Seen:
    life: Sign
    silent_s: float = 0.0


class LeaseWatch:
    """Watch that looks at all open episodes every ``every_s`` seconds, to find those to void.

    It decides only by what these looks have shown. A lease is lost once an episode has shown no sign of life
    for ``lease_s`` and then for ``grace_s`` more. Time is measured between looks, on the caller's monotonic
    clock, so a wall clock that jumps has no effect. All silences count from zero again after a look that came
    late. They also do so after a whole lease in which no episode showed any life, because then nobody could
    reach the lab. Episodes that were never used expire after ``unused_s`` of such time, which ``opened``
    counts across restarts.
    """

    def __init__(
        self, *, every_s: float, lease_s: float, grace_s: float, unused_s: float, opened: WatchTime
    ) -> None:
        self._opened = opened
        self._every_s, self._lease_s, self._lost_s = every_s, lease_s, lease_s + grace_s
        self._unused_s = unused_s
        self._seen: dict[int, _Seen] = {}
        self._looked_at: float | None = None
        self._quiet_s = 0.0

    def look(self, signs: Mapping[int, Sign], *, now: float) -> dict[int, str]:
        """Compare the signs of life of all open episodes with those of the last look.

        Returns the episodes to void now, with the end reason.
        """
        passed_s = self._passed_s(now)
        self._opened.go_on(passed_s, newest=max(signs, default=0))
        if self._has_quiet_ended(signs, passed_s):
            self.restart()
            passed_s = 0.0
        self._seen = {episode: self._seen_next(episode, sign, passed_s) for episode, sign in signs.items()}
        if self._lease_s <= self._quiet_s < self._lease_s + QUIET_MAX_S:
            return {}
        due = {
            episode: reason for episode, seen in self._seen.items() if (reason := self._reason(episode, seen))
        }
        for episode in due:
            del self._seen[episode]
        return due

    def restart(self) -> None:
        """Count all silences from zero again, because signs of life may have been missed for a while."""
        for seen in self._seen.values():
            seen.silent_s = 0.0
        self._quiet_s = 0.0

    def _passed_s(self, now: float) -> float:
        before, self._looked_at = self._looked_at, now
        passed_s = 0.0 if before is None else now - before
        if passed_s <= LATE * self._every_s:
            return passed_s
        self.restart()
        return 0.0

    def _has_quiet_ended(self, signs: Mapping[int, Sign], passed_s: float) -> bool:
        """Count the time without a change. Return whether this is the first change after a whole lease."""
        is_same = self._seen.keys() == signs.keys() and all(
            self._seen[episode].life == sign for episode, sign in signs.items()
        )
        quiet_s, self._quiet_s = self._quiet_s, self._quiet_s + passed_s if is_same else 0.0
        return not is_same and quiet_s >= self._lease_s

    def _seen_next(self, episode: int, sign: Sign, passed_s: float) -> _Seen:
        seen = self._seen.get(episode)
        if seen is None:
            return _Seen(sign)
        seen.silent_s = seen.silent_s + passed_s if seen.life == sign else 0.0
        seen.life = sign
        return seen

    def _reason(self, episode: int, seen: _Seen) -> str | None:
        if seen.silent_s < self._lost_s:
            return None
        if seen.life is not None:
            return "lease_lost"
        return "expired_unused" if self._opened.age_s(episode) > self._unused_s else None


def look_every_s() -> float:
    """Return the seconds between two looks at the leases; a grace period has several looks."""
    return min(LOOK_EVERY_MAX_S, settings.LEASE_GRACE_S / LOOKS_PER_GRACE)


class LeaseReaper:
    """The chore that voids open episodes whose lease is lost, and those unused for too long.

    A heartbeat in Redis keeps an episode alive just as a step does. While Redis is unreachable no episode is
    voided, and afterwards every silence counts from zero.
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
        """Look once, and return how many episodes were voided."""
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
    """End episodes that used up their step budget in a browser without our client."""
    rows = queue_sql.episodes_overspent()
    return _end_all([(run, "step_budget", episode) for run, episode in rows], statuses=["open"])


def given_up_end() -> int:
    """End episodes that a person took over and gave up, and forks that could not be restored.

    Giving up ends an episode as if its agent had given up. A fork cannot be restored if its page differs from
    its parent's."""
    rows = queue_sql.episodes_given_up()
    for run, episode, detail in rows:
        if detail:
            ending = hot_sql.Ending.unjudged(episode, DIVERGED)
            ended = hot_sql.finish_many(
                run_id=run, endings=[ending], close_reason=DIVERGED, close_detail=detail
            )
            events.episodes_ended(run_id=run, ids=ended)
    given_up = [(run, "no_submission", episode) for run, episode, detail in rows if not detail]
    return _end_all(given_up, statuses=["open"]) + len(rows) - len(given_up)


def void_exhausted() -> int:
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
        events.episodes_ended(run_id=run_id, ids=ended)
        count += len(ended)
    if count:
        logger.warning("the reaper ended %d episodes", count)
    return count
