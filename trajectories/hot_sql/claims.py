"""Submissions: storing them, and claiming them for judging with everything that judging needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from tasks_app import choices
from trajectories.hot_sql.cursor import hot_cursor

SUBMISSION_CHANNEL = "submission"
TOOL_CALL_CHANNEL = "tool_call"

_encode = msgspec.json.Encoder().encode

_SUBMIT = f"""
WITH ep AS (
    UPDATE trajectories_episode SET status = 'submitted'
    WHERE id = %(episode)s AND status = 'open' RETURNING id
), stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT id, %(answer)s::jsonb, %(channel)s FROM ep RETURNING episode_id
)
SELECT pg_notify('{SUBMISSION_CHANNEL}', episode_id::text) FROM stored"""  # noqa: S608


def submission_write(*, episode_id: int, answer: str | list[str], channel: str) -> bool:
    """Store the answer, mark the episode as submitted and wake the sweeper: all or nothing.

    False when the episode is not open: it was submitted already, or has ended.
    """
    parameters: dict[str, Any] = {
        "episode": episode_id,
        "answer": _encode(answer).decode(),
        "channel": channel,
    }
    with hot_cursor() as cursor:
        cursor.execute(_SUBMIT, parameters)
        return cursor.fetchone() is not None


# What a submission is judged by, in the order of ``Claim``. With permuted choices the labels and their order
# come along; the payloads of other tasks are not read.
CLAIM_COLUMNS = """
    e.run_id, r.kind, s.answer, b.verifier_official, b.verifier_training,
    g.version, g.answer, g.accepted, g.solution, g.extra,
    CASE WHEN e.variation->'order' IS NOT NULL THEN jsonb_build_object(
        'labels', jsonb_path_query_array(t.payload, '$.choices[*].label'), 'order', e.variation->'order')
    END, t.kind"""

# One claim at a time; a claim whose worker died counts as lost after `lost` seconds. It need not be on disk
# before the work begins: a claim lost in a crash is simply made again.
_CLAIM = f"""
WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE trajectories_submission s SET claimed_at = clock_timestamp(), claims = s.claims + 1
FROM hasty, trajectories_episode e
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE s.episode_id = %(episode)s AND e.id = s.episode_id AND s.judged_at IS NULL AND e.status = 'submitted'
    AND s.claims < %(claims_max)s
    AND (s.claimed_at IS NULL OR s.claimed_at < clock_timestamp() - %(lost)s * interval '1 s')
RETURNING {CLAIM_COLUMNS}"""  # noqa: S608 (the parts are constants of this module)


class Claim(NamedTuple):
    """A submission to judge, with its gold under the labels that the episode showed."""

    run_id: int
    run_kind: str
    answer: str | list[str]
    verifier_official: str
    verifier_training: str
    gold_version: int | None
    gold_answer: str | None
    gold_accepted: list[str] | None
    gold_solution: str | None
    gold_extra: dict[str, Any] | None
    moved: dict[str, Any] | None
    task_kind: str


def submission_claim(*, episode_id: int, claims_max: int, lost_s: float) -> Claim | None:
    """Claim a submission; None when it is judged, being judged, or was claimed too often."""
    with hot_cursor() as cursor:
        cursor.execute(_CLAIM, {"episode": episode_id, "claims_max": claims_max, "lost": lost_s})
        row = cursor.fetchone()
    return None if row is None else claim_read(row)


def claim_read(row: Sequence[Any]) -> Claim:
    """The claim in a row of ``CLAIM_COLUMNS``. jsonb comes as text, as Django disables psycopg's loader."""
    claim = Claim(*row)
    claim = claim._replace(
        answer=msgspec.json.decode(str(claim.answer)),
        gold_extra=None if claim.gold_extra is None else msgspec.json.decode(str(claim.gold_extra)),
        moved=None if claim.moved is None else msgspec.json.decode(str(claim.moved)),
    )
    return claim if claim.moved is None else _gold_moved(claim, **claim.moved)


def _gold_moved(claim: Claim, *, labels: list[str], order: list[int]) -> Claim:
    def shown(label: str) -> str:
        return choices.label_move(label, labels=labels, order=order)

    return claim._replace(
        gold_answer=None if claim.gold_answer is None else shown(claim.gold_answer),
        gold_accepted=[shown(label) for label in claim.gold_accepted or ()],
    )
