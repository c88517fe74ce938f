"""Walks through history that resume after a restart, and jobs for the ended episodes that they find."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from celery import Task
from django.conf import settings
from django.db import connection

from core.work import jobs, queues
from core.work.sweep import BEGINNING, Place, Seen, Sweep, Walk
from trajectories.models import WalkPlace

K = TypeVar("K", bound=int | str)

# A row can become visible this long after its timestamp.
COMMIT_S = 60
logger = logging.getLogger(__name__)
SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300
# An episode that keeps failing is given up after this many tries, some of which may overlap its first job.
TRIES = 10


def walks(
    name: str,
    *,
    version: int,
    lowest: K,
    read: Callable[[Place[K], float], Sequence[Seen[K]]],
    fresh_s: Sequence[float],
    settled_s: float,
    tries: int | None = None,
) -> list[Walk[K]]:
    """Return walks through the same rows. Each walk visits a row only once.

    There is one walk for each age in ``fresh_s``; it visits rows of that age that are not yet settled. The
    last walk visits rows that are ``settled_s`` old, when no more work can appear in them, and stores its
    place. It finds what the others missed, and a new ``version`` sends it through all history once. ``read``
    gets a place and the age in seconds that rows must have reached; ``lowest`` is a key below all others.
    """

    def walk(age_s: float, place: Place[K], note: Callable[[Place[K]], object] = lambda _: None) -> Walk[K]:
        return Walk(read=lambda after: read(after, age_s), place=place, tries=tries, note=note)

    def note(place: Place[K]) -> None:
        WalkPlace.objects.update_or_create(name=name, defaults={"version": version, "since": place.since})

    known = WalkPlace.objects.filter(name=name, version=version).values_list("since", flat=True).first()
    settled_s += COMMIT_S
    unsettled = Place(_now() - timedelta(seconds=settled_s), lowest)
    fresh = [walk(age_s, unsettled) for age_s in fresh_s]
    return [*fresh, walk(settled_s, Place(known or BEGINNING, lowest), note)]


def _now() -> datetime:
    """Return the time by the database's clock, because that clock timestamps the rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone() or (BEGINNING,)
    return now


def compute_each(episode_ids: Sequence[int], compute: Callable[[list[int]], object], *, what: str) -> None:
    """Compute something for each episode. Failures are logged, and the sweeper retries them."""
    for episode_id in episode_ids:
        try:
            compute([episode_id])
        except Exception:
            logger.exception("episode %s has no %s: computing them failed", episode_id, what)


def episodes_sweep(
    job: Task[Any, Any],
    *,
    name: str,
    version: int,
    read: Callable[[Place[int], float], Sequence[Seen[int]]],
    fresh_s: Sequence[float],
    batch: int,
) -> Sweep[int]:
    """Return a sweep that sends due episodes to the facts queue, ``batch`` episodes per job.

    The other arguments are as in ``walks``.
    """

    def send(episode_ids: Sequence[int]) -> Sequence[int]:
        """Send the episodes in batches, and return those that the queue accepted."""
        for start in range(0, len(episode_ids), batch):
            if not jobs.job_send(job, queues.FACTS, episode_ids=list(episode_ids[start : start + batch])):
                return episode_ids[:start]
        return episode_ids

    settled_s = settings.STEP_GRACE_S
    of_history = walks(
        name, version=version, lowest=0, read=read, fresh_s=fresh_s, settled_s=settled_s, tries=TRIES
    )
    return Sweep(queue=queues.FACTS, walks=of_history, send=send)
