"""Writes verdict, evidence, counter and episode in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from core.reasons import END_REASONS
from trajectories.hot_sql.cursor import hot_cursor

_encode = msgspec.json.Encoder().encode


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict to write. ``reward`` follows from ``outcome``; ``evidence`` may hold parsed golds."""

    episode: int
    outcome: str
    reason: str
    is_truncated: bool = False
    score: float | None = None
    metrics: dict[str, Any] = {}
    verifier: str = ""
    gold_version: int | None = None
    official: dict[str, Any] | None = None
    evidence: dict[str, Any] | None = None

    @classmethod
    def unjudged(cls, episode: int, reason: str, evidence: dict[str, Any] | None = None) -> Ending:
        """An ending without a verifier: the outcome follows from the reason (``core/reasons.py``)."""
        end = END_REASONS[reason]
        if end.outcome is None:
            raise ValueError(f"{reason!r} needs a verifier's verdict")
        return cls(
            episode=episode,
            outcome=end.outcome,
            reason=reason,
            is_truncated=end.is_truncated,
            evidence=evidence,
        )


# The counter's row lock is held until commit, so numbers follow commit order, without gaps in the stream.
_FINISH = """
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(endings)s::json) AS i(
        episode bigint, outcome text, reason text, is_truncated bool, score float8, metrics jsonb,
        verifier text, gold_version int, official jsonb, evidence jsonb)
), target AS MATERIALIZED (
    SELECT e.id FROM trajectories_episode e JOIN input i ON i.episode = e.id
    WHERE e.run_id = %(run)s AND e.status = ANY(%(statuses)s) ORDER BY e.id FOR NO KEY UPDATE OF e
), bump AS (
    UPDATE trajectories_verdictcounter SET count = count + (SELECT count(*) FROM target)
    WHERE run_id = %(run)s AND EXISTS (SELECT 1 FROM target) RETURNING count
), written AS (
    INSERT INTO trajectories_verdict (episode_id, run_id, run_seq, outcome, reward, reason, terminated,
        truncated, score, metrics, verifier, gold_version, official, latency_ms, created_at)
    SELECT i.episode, %(run)s,
        (SELECT count FROM bump) - (SELECT count(*) FROM target) + row_number() OVER (ORDER BY t.id),
        i.outcome, CASE i.outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END, i.reason,
        i.outcome <> 'void' AND NOT i.is_truncated, i.is_truncated, i.score, i.metrics, i.verifier,
        i.gold_version, i.official, extract(epoch FROM clock_timestamp() - s.received_at) * 1000.0,
        clock_timestamp()
    FROM target t JOIN input i ON i.episode = t.id
    LEFT JOIN trajectories_submission s ON s.episode_id = t.id
    RETURNING id, episode_id
), kept AS (
    INSERT INTO trajectories_verdictevidence (verdict_id, data)
    SELECT w.id, i.evidence FROM written w JOIN input i ON i.episode = w.episode_id
    WHERE i.evidence IS NOT NULL
), judged AS (
    UPDATE trajectories_submission s SET judged_at = clock_timestamp()
    FROM written w WHERE s.episode_id = w.episode_id
)
UPDATE trajectories_episode e SET status = 'finished', finished_at = clock_timestamp(), verdict_id = w.id,
    closed_at = CASE WHEN %(is_closing)s THEN clock_timestamp() ELSE e.closed_at END,
    close_reason = CASE WHEN %(is_closing)s THEN %(close_reason)s ELSE e.close_reason END,
    close_detail = CASE WHEN %(is_closing)s THEN %(close_detail)s ELSE e.close_detail END
FROM written w WHERE e.id = w.episode_id RETURNING e.id"""


def finish_many(
    *,
    run_id: int,
    endings: Iterable[Ending],
    statuses: Sequence[str] = ("open",),
    close_reason: str | None = None,
    close_detail: str = "",
) -> list[int]:
    """Give episodes of one run their verdicts, in one statement; returns the ids that ended by this call.

    Only episodes in one of ``statuses`` end; the others already have a verdict or are awaiting theirs.
    With ``close_reason`` they are also closed: no step is accepted afterwards.
    """
    parameters: dict[str, Any] = {
        "run": run_id,
        "endings": _encode(list(endings)).decode(),
        "statuses": list(statuses),
        "is_closing": close_reason is not None,
        "close_reason": close_reason or "",
        "close_detail": close_detail,
    }
    with hot_cursor() as cursor:
        cursor.execute(_FINISH, parameters)
        return [row[0] for row in cursor.fetchall()]
