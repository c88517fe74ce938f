"""The queries of a run's dashboard: they read only what is new, however many episodes the run has.

A run's verdicts are a stream without gaps (``VerdictCounter``), so counting goes on from where it stopped.
All statements use an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection, transaction

PAGE = 20_000
# Steps are counted in a sample: so many unfinished and so many ended episodes, and the last steps of each.
EPISODES_SAMPLED = 150
STEPS_READ = 60
STEPS_WINDOW_S = 60

# Rejudging replaces an episode's verdict and is not part of the stream.
_POSITION = """
SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0),
    (SELECT count(*) FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NULL),
    extract(epoch FROM now())"""

_VERDICT_GROUPS = """
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

# A sample of the unfinished, and of those that ended lately the ones at the given places of the stream.
_STEP_PACE = """
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


class Position(NamedTuple):
    """``verdicts`` is the last place in the run's stream, ``now`` the database's clock in seconds."""

    verdicts: int
    rejudged: int
    now: float


class VerdictGroup(NamedTuple):
    """Verdicts that share all of these values; ``second`` is when they were written."""

    arm: str
    version: int | None
    task: int
    outcome: str
    reason: str
    is_guided: bool
    second: int
    episodes: int


class Unfinished(NamedTuple):
    """Episodes of one arm without a verdict; ``guided`` are among the others."""

    open: int = 0
    submitted: int = 0
    guided: int = 0


@dataclass(frozen=True, kw_only=True)
class StepPace:
    """Steps of the last minute, scaled up where only ``sampled`` of ``episodes`` were read."""

    steps: float
    sampled: int
    episodes: int

    @property
    def is_estimate(self) -> bool:
        return self.sampled < self.episodes

    @property
    def steps_per_s(self) -> float:
        return self.steps / STEPS_WINDOW_S


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read within is of the moment of the first statement, whatever is written meanwhile.

    Inside a caller's transaction it sees what that transaction sees.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def position_of(run_id: int) -> Position:
    verdicts, rejudged, now = _rows(_POSITION, {"run": run_id})[0]
    return Position(verdicts=int(verdicts), rejudged=int(rejudged), now=float(now))


def verdict_groups(*, run_id: int, after: int, upto: int) -> Iterator[VerdictGroup]:
    """The current verdicts of the episodes whose place in the stream is in (``after``, ``upto``]."""
    for first in range(after, upto, PAGE):
        bounds = {"run": run_id, "after": first, "upto": min(first + PAGE, upto)}
        yield from (VerdictGroup(*row) for row in _rows(_VERDICT_GROUPS, bounds))


def unfinished_by_arm(run_id: int) -> dict[str, Unfinished]:
    return {arm: Unfinished(*counts) for arm, *counts in _rows(_UNFINISHED, {"run": run_id})}


def step_pace(*, run_id: int, unfinished: int, after: int, upto: int) -> StepPace:
    """Verdicts of the last minute have a place in (``after``, ``upto``] of the run's stream."""
    stride = -(-(upto - after) // EPISODES_SAMPLED) or 1
    parameters = {
        "run": run_id,
        "places": list(range(upto, after, -stride)),
        "window": STEPS_WINDOW_S,
        "sampled": EPISODES_SAMPLED,
        "read": STEPS_READ,
    }
    episodes = {False: unfinished, True: upto - after}
    rows = _rows(_STEP_PACE, parameters)
    return StepPace(
        steps=sum(float(steps) * episodes[is_ended] / sampled for is_ended, sampled, steps in rows),
        sampled=sum(sampled for _, sampled, _ in rows),
        episodes=sum(episodes[is_ended] for is_ended, _, _ in rows),
    )


def _rows(statement: str, parameters: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
