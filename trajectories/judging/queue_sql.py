"""The sweeper's queries: submissions that are due again, and episodes whose lease has expired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from verifiers import registry

BATCH = 5_000

_DUE = """
SELECT episode_id FROM trajectories_submission
WHERE judged_at IS NULL AND claims < %(claims_max)s
    AND (claimed_at IS NULL OR claimed_at < clock_timestamp() - %(lost)s * interval '1 s')
    AND coalesce(sent_at, received_at) < clock_timestamp() - interval '1 s'
        * (%(after)s::float8[])[least(sends + 1, cardinality(%(after)s::float8[]))]
ORDER BY received_at, episode_id LIMIT %(batch)s"""

_SENT = """
UPDATE trajectories_submission SET sent_at = clock_timestamp(), sends = sends + 1
WHERE episode_id = ANY(%s)"""

_EXHAUSTED = """
SELECT e.run_id, s.episode_id
FROM trajectories_submission s JOIN trajectories_episode e ON e.id = s.episode_id
WHERE s.judged_at IS NULL AND e.status = 'submitted' AND s.claims >= %(claims_max)s
    AND s.claimed_at < clock_timestamp() - %(lost)s * interval '1 s'
ORDER BY s.episode_id LIMIT %(batch)s"""

# An episode's last sign of life is its last step, page event or site event; without one it is unused.
_SILENT = """
SELECT run_id, id, is_used, seconds FROM (
    SELECT e.run_id, e.id, life.last_at IS NOT NULL AS is_used,
        extract(epoch FROM clock_timestamp() - coalesce(life.last_at, e.opened_at))::float8 AS seconds
    FROM trajectories_episode e CROSS JOIN LATERAL (
        SELECT greatest(
            (SELECT s.created_at FROM trajectories_step s
                WHERE s.episode_id = e.id ORDER BY s.index DESC LIMIT 1),
            (SELECT p.last_at FROM trajectories_pageeventtally p WHERE p.episode_id = e.id),
            (SELECT v.created_at FROM trajectories_siteevent v
                WHERE v.episode_id = e.id ORDER BY v.seq DESC LIMIT 1)
        ) AS last_at) AS life
    WHERE e.status = 'open') AS open
WHERE seconds > %(lease)s ORDER BY id"""


_MAYBE_SANDBOXED = """
SELECT e.id, b.verifier_official, b.verifier_training, g.extra->>'dataset'
FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE e.id = ANY(%(episodes)s)
    AND (b.verifier_official = ANY(%(verifiers)s) OR b.verifier_training = ANY(%(verifiers)s))"""


class Silent(NamedTuple):
    """An open episode without activity for longer than a lease; an unused one is timed from its opening."""

    run_id: int
    episode_id: int
    is_used: bool
    seconds: float


def submissions_due(*, claims_max: int, lost_s: float, after_s: Sequence[float]) -> list[int]:
    """Episodes whose submission is due to be sent again.

    ``after_s`` lists the delays: the first before the first resend, and so on.
    """
    parameters: dict[str, Any] = {
        "claims_max": claims_max,
        "lost": lost_s,
        "after": list(after_s),
        "batch": BATCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(_DUE, parameters)
        return [row[0] for row in cursor.fetchall()]


def episodes_sandboxed(episode_ids: Sequence[int]) -> set[int]:
    """Those with a verifier that needs the sandbox. The whole job, with both verifiers, then runs there."""
    with connection.cursor() as cursor:
        cursor.execute(_MAYBE_SANDBOXED, {"episodes": list(episode_ids), "verifiers": registry.sandboxed()})
        return {
            episode_id
            for episode_id, *verifiers, dataset in cursor.fetchall()
            if any(registry.is_sandboxed(verifier_id, dataset=dataset) for verifier_id in verifiers)
        }


def submissions_mark_sent(episode_ids: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SENT, [list(episode_ids)])


def submissions_exhausted(*, claims_max: int, lost_s: float) -> list[tuple[int, int]]:
    """``(run, episode)`` of submissions that have lost every claim they were allowed."""
    with connection.cursor() as cursor:
        cursor.execute(_EXHAUSTED, {"claims_max": claims_max, "lost": lost_s, "batch": BATCH})
        return list(cursor.fetchall())


def episodes_silent(*, lease_s: float) -> list[Silent]:
    with connection.cursor() as cursor:
        cursor.execute(_SILENT, {"lease": lease_s})
        return [Silent(*row) for row in cursor.fetchall()]
