"""What a run's dashboard reads: as little as there is news, however many episodes the run has.

A run's verdicts are a stream without holes (``VerdictCounter``): whoever has counted them up to a place goes
on from there. All statements go by an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection, transaction

PAGE = 20_000
# Steps are counted in so many unfinished and so many ended episodes at most, the last so many of each.
EPISODES_SAMPLED = 150
STEPS_READ = 60
STEPS_WINDOW_S = 60

# Rejudgements move an episode's verdict and stand outside of the stream.
_MARK = """
SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0),
    (SELECT count(*) FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NULL),
    extract(epoch FROM now())"""

_FOLD = """
SELECT e.arm, e.policy_version, e.task_id, v.outcome, v.reason, e.guidance IS NOT NULL,
    floor(extract(epoch FROM s.created_at))::bigint, count(*)
FROM trajectories_verdict s JOIN trajectories_episode e ON e.id = s.episode_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE s.run_id = %(run)s AND s.run_seq > %(after)s AND s.run_seq <= %(upto)s
GROUP BY 1, 2, 3, 4, 5, 6, 7"""

# Bounded by what is unfinished in the installation (``ACTIVE_EPISODES_MAX``), not by the run.
_UNFINISHED = """
SELECT arm, count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'submitted'),
    count(*) FILTER (WHERE guidance IS NOT NULL)
FROM trajectories_episode WHERE run_id = %(run)s AND status <> 'finished' GROUP BY arm"""

# Of the unfinished any, of those that have ended lately the ones at places of the stream that are given.
_STEPPING = """
WITH chosen AS (
    (SELECT id, FALSE AS is_ended FROM trajectories_episode
     WHERE run_id = %(run)s AND status <> 'finished' ORDER BY md5(id::text) LIMIT %(sampled)s)
    UNION ALL
    SELECT episode_id, TRUE FROM trajectories_verdict
    WHERE run_id = %(run)s AND run_seq = ANY(%(places)s::bigint[]))
SELECT is_ended, count(*), sum(n) FROM chosen CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT created_at FROM trajectories_step WHERE episode_id = chosen.id
        ORDER BY index DESC LIMIT %(read)s
    ) newest WHERE created_at > now() - %(window)s * interval '1 s') counted
GROUP BY is_ended"""


class Mark(NamedTuple):
    """``verdicts`` is the last place in the run's stream, ``now`` the database's clock in seconds."""

    verdicts: int
    rejudged: int
    now: float


class Counted(NamedTuple):
    """So many verdicts that have all of this in common; ``second`` is when they were written."""

    arm: str
    version: int | None
    task: int
    outcome: str
    reason: str
    is_guided: bool
    second: int
    number: int


class Unfinished(NamedTuple):
    """Episodes of one arm without a verdict; ``guided`` are those among them."""

    open: int = 0
    submitted: int = 0
    guided: int = 0


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """Steps of the last minute, scaled up where only ``sampled`` of ``episodes`` were looked at."""

    steps: float
    sampled: int
    episodes: int

    @property
    def is_about(self) -> bool:
        return self.sampled < self.episodes


@contextmanager
def one_moment() -> Iterator[None]:
    """All that is read within is of the moment of the first statement, whatever is written meanwhile.

    Within a transaction of the caller it is of that one's moments: what it has written can be read.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def mark_of(run_id: int) -> Mark:
    verdicts, rejudged, now = _rows(_MARK, {"run": run_id})[0]
    return Mark(verdicts=int(verdicts), rejudged=int(rejudged), now=float(now))


def verdicts_counted(*, run_id: int, after: int, upto: int) -> Iterator[Counted]:
    """The current verdicts of the episodes whose place in the stream is in (``after``, ``upto``]."""
    for first in range(after, upto, PAGE):
        bounds = {"run": run_id, "after": first, "upto": min(first + PAGE, upto)}
        yield from (Counted(*row) for row in _rows(_FOLD, bounds))


def unfinished_by_arm(run_id: int) -> dict[str, Unfinished]:
    return {arm: Unfinished(*numbers) for arm, *numbers in _rows(_UNFINISHED, {"run": run_id})}


def stepping(*, run_id: int, unfinished: int, since: int, upto: int) -> Stepping:
    """Verdicts of the last minute have a place in (``since``, ``upto``] of the run's stream."""
    every = -(-(upto - since) // EPISODES_SAMPLED) or 1
    values = {
        "run": run_id,
        "places": list(range(upto, since, -every)),
        "window": STEPS_WINDOW_S,
        "sampled": EPISODES_SAMPLED,
        "read": STEPS_READ,
    }
    numbers = {False: unfinished, True: upto - since}
    rows = _rows(_STEPPING, values)
    return Stepping(
        steps=sum(float(steps) * numbers[is_ended] / sampled for is_ended, sampled, steps in rows),
        sampled=sum(sampled for _, sampled, _ in rows),
        episodes=sum(numbers[is_ended] for is_ended, _, _ in rows),
    )


def _rows(statement: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
