"""The arena's SQL on answers: one statement, and another one if the answer was not stored."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from core.database.sql import hot_cursor
from gymsite.arena import step_numbers
from gymsite.arena.callers import MAY_ACT, holder
from gymsite.arena.episodes import ALIVE, LAST_EVENT, alive_params
from tasks_app.worlds.evidence import ANSWER_RECORDED
from trajectories.record.hot_sql import submit_statement

# The answer may come from an agent or a person. The one that counts is recorded among the site's events.
_MAY_ANSWER = f"answer_channel = 'page' AND arm = ANY(%(arms)s) AND {MAY_ACT}"
_NOTED = f""", noted AS (
    INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
    SELECT given.id, 1 + {LAST_EVENT.format(alive="given")}, {step_numbers.REQUESTED},
        '{ANSWER_RECORDED}', '{{}}'
    FROM given JOIN trajectories_episode e ON e.id = given.id WHERE given.answer_check <> 'requested'
    ON CONFLICT DO NOTHING)"""  # noqa: S608
_SUBMIT = submit_statement(may_answer=_MAY_ANSWER, noted=_NOTED)

# A first answer that is sent again because the network lost the reply is still the first one.
_STORED = f"""
SELECT e.answer_channel, e.answer_check IN ('due', 'requested'), e.answer_check = '',
       s.answer = %(answer)s::jsonb, %(number)s::int = 1 AND f.answer = %(answer)s::jsonb
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
    """Store the answer, mark the episode and notify the sweeper in one statement; never replace an answer.

    ``to_check``: the answer is stored as the first one, now or earlier, and the second one is awaited.
    ``not_second``: nothing was stored, because after a first answer only one sent with ``number`` 2 counts,
    and only in runs that have answers checked.
    """
    params: dict[str, Any] = {
        **alive_params(episode_id),
        **holder(takeover),
        "step": step,
        "answer": msgspec.json.encode(answer).decode(),
        "number": number,
        "channel": "page",
    }
    if (given := _SUBMIT.row(**params)) is not None:
        return "to_check" if given[0] == "requested" else "stored"
    with hot_cursor() as cursor:
        cursor.execute(_STORED, params)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    channel, is_awaited, is_unchecked, is_same, is_first = row
    if channel != "page":
        return "wrong_channel"
    if is_same is None:
        if is_unchecked and number == 2:
            return "not_second"
        return "gone" if not is_awaited else "to_check" if is_first else "not_second"
    return "same" if is_same or is_first else "other"
