"""Writes verdict, evidence, counter and episode in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from core.outcomes import reward_sql
from core.sql import Statement, hot_cursor, sql_read
from palaestra.protocol.end_reasons import END_REASONS
from palaestra.protocol.outcomes import INCORRECT, Outcome
from trajectories.record.hot_sql.claims import SUBMISSION_CHANNEL
from trajectories.record.hot_sql.sums import SUMS

_encode = msgspec.json.Encoder().encode


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict to write. ``reward`` follows from ``outcome``; ``evidence`` may hold parsed golds."""

    episode: int
    outcome: Outcome
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
        """An ending without a verifier: the outcome follows from the reason."""
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


FINISH = Statement(__file__, "finish", is_hot=True, sums=SUMS, reward=reward_sql("i.outcome"))
FIRST_ANSWERS_COUNT = Statement(__file__, "first_answers_count", is_hot=True, channel=SUBMISSION_CHANNEL)


def finish_many(
    *,
    run_id: int,
    endings: Iterable[Ending],
    statuses: Sequence[str] = ("open",),
    close_reason: str | None = None,
    close_detail: str = "",
) -> list[int]:
    """Give episodes of one run their verdicts, in one statement; returns the ids that ended by this call.

    Only episodes in one of ``statuses`` end; the others already have a verdict or are awaiting theirs. One
    that its policy ends after a first answer, before the second, is submitted with that one instead.
    With ``close_reason`` they are also closed: no step is accepted afterwards.
    """
    endings = list(endings)
    rows = FINISH.rows(
        run=run_id,
        endings=_encode(endings).decode(),
        statuses=list(statuses),
        is_closing=close_reason is not None,
        close_reason=close_reason or "",
        close_detail=close_detail,
    )
    ended = [row[0] for row in rows]
    left = {ending.episode for ending in endings if ending.outcome == INCORRECT}.difference(ended)
    if left and "open" in statuses:
        # A statement of its own: it must see a first answer that came while the other waited for its episode.
        FIRST_ANSWERS_COUNT.run(run=run_id, episodes=sorted(left))
    return ended


VERDICT_JSON = sql_read(__file__, "verdict_json")
UNFINISHED = sql_read(__file__, "unfinished")
EPISODE_STATES = sql_read(__file__, "episode_states", verdict_json=VERDICT_JSON)
VERDICTS_AFTER = sql_read(__file__, "verdicts_after", verdict_json=VERDICT_JSON)


def episode_states(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """API records of episodes, by id."""
    with hot_cursor() as cursor:
        cursor.execute(EPISODE_STATES, [list(ids)])
        return {row[0]: msgspec.json.decode(row[2]) for row in cursor.fetchall()}
