"""The arena's SQL on answers: one statement, and one more when the answer is not stored."""

from __future__ import annotations

from typing import Literal

import msgspec

from gymsite.arena import step_numbers
from gymsite.arena.callers import MAY_ACT, holder
from gymsite.arena.episodes import ALIVE, LAST_EVENT, alive_params
from tasks_app.worlds.evidence import ANSWER_RECORDED
from trajectories.hot_sql import SUBMISSION_CHANNEL, hot_cursor

# As `trajectories/hot_sql/sql/submit.sql`, for answers given on a page, which notes the one that counts.
_SUBMIT = f"""
WITH given AS (
        UPDATE trajectories_episode e SET
            status = CASE WHEN answer_check = 'due' THEN status ELSE 'submitted' END,
            answer_check = CASE answer_check
                WHEN 'due' THEN 'requested' WHEN 'requested' THEN 'given' ELSE '' END
        WHERE id = %(episode)s AND status = 'open' AND answer_channel = 'page' AND arm = ANY(%(arms)s)
            AND inherited_events IS NOT NULL AND {MAY_ACT}
            AND answer_check = ANY(
                CASE WHEN %(number)s::int = 1 THEN ARRAY['', 'due'] ELSE ARRAY['', 'requested'] END)
        RETURNING id, answer_check, {step_numbers.REQUESTED} AS step),
     first_stored AS (
        INSERT INTO trajectories_firstanswer (episode_id, answer, channel, site_events)
        SELECT id, %(answer)s::jsonb, 'page', {LAST_EVENT.format(alive="given")}
        FROM given WHERE answer_check = 'requested'),
     stored AS (
        INSERT INTO trajectories_submission (episode_id, answer, channel)
        SELECT id, %(answer)s::jsonb, 'page' FROM given WHERE answer_check <> 'requested'
        RETURNING episode_id),
     noted AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT id, 1 + {LAST_EVENT.format(alive="given")}, step, '{ANSWER_RECORDED}', '{{}}'::jsonb
        FROM given WHERE answer_check <> 'requested'
        ON CONFLICT DO NOTHING)
SELECT answer_check, (SELECT pg_notify('{SUBMISSION_CHANNEL}', '') FROM stored) FROM given"""  # noqa: S608

# A first answer that is sent again, by a network that lost the reply, is still the first one.
_STORED = f"""
SELECT e.answer_channel, e.answer_check IN ('due', 'requested'), s.answer = %(answer)s::jsonb,
       %(number)s::int = 1 AND f.answer = %(answer)s::jsonb
FROM trajectories_episode e
LEFT JOIN trajectories_submission s ON s.episode_id = e.id
LEFT JOIN trajectories_firstanswer f ON f.episode_id = e.id
WHERE {ALIVE}"""  # noqa: S608

Stored = Literal["stored", "same", "other", "to_check", "not_second", "wrong_channel", "gone"]


def submission_store(
    *,
    episode_id: int,
    answer: str | list[str],
    step: int | None,
    number: Literal[1, 2] = 1,
    takeover: int | None = None,
) -> Stored:
    """Store the answer, mark the episode and notify the sweeper in one statement; a stored answer stays.

    ``to_check``: it is the first one, by this call or an earlier one, and the second is yet to come.
    ``not_second``: nothing was stored, for the second one says that it is (``number``), and follows a first.
    """
    params = {
        **alive_params(episode_id),
        **holder(takeover),
        "step": step,
        "answer": msgspec.json.encode(answer).decode(),
        "number": number,
    }
    with hot_cursor() as cursor:
        cursor.execute(_SUBMIT, params)
        if (given := cursor.fetchone()) is not None:
            return "to_check" if given[0] == "requested" else "stored"
        cursor.execute(_STORED, params)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    channel, is_awaited, is_same, is_first = row
    if channel != "page":
        return "wrong_channel"
    if is_same is None:
        return "gone" if not is_awaited else "to_check" if is_first else "not_second"
    return "same" if is_same or is_first else "other"
