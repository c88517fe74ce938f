"""The arena's SQL on episodes; ``gymsite/roles.sql`` says what its role may read and write.

Each function is one statement (``submission_store`` two, when the answer is refused).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec
from django.conf import settings

from core.arms import PAGE_ARMS
from gymsite.arena import step_numbers, tool_calls
from gymsite.arena.sites.events import COMMON_KINDS, FOLDED, HASTY, events_read
from gymsite.arena.sites.site import Event
from tasks_app.questions import ToolCall
from tasks_app.variation import has_task_bar, payload_shown, tools_of
from tasks_app.worlds.evidence import ANSWER_RECORDED, PAGE_SERVED, PAGES_CAPPED
from trajectories.hot_sql import SUBMISSION_CHANNEL, hot_cursor

# An episode has pages while it is open and for a short while after its submission: the last page confirms it,
# and the recorder still has events to send. Closed and expired episodes have none.
ALIVE = """
    e.id = %(episode)s AND e.arm = ANY(%(arms)s) AND e.inherited_events IS NOT NULL AND (
        e.status = 'open'
        OR (e.closed_at IS NULL
            AND (e.finished_at IS NULL OR e.finished_at > now() - make_interval(secs => %(grace)s))
            AND EXISTS (SELECT FROM trajectories_submission s WHERE s.episode_id = e.id)))"""

PATH_MAX = 200

# The number of an episode's last site event; ``alive`` is the row that holds its id.
_LAST = "coalesce((SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = {alive}.id), 0)"

# Two pages served at the same time take the same number; the second is not counted, which is harmless.
# Site events are numbered without gaps, so the last number is how many there are. Past the cap one marker is
# stored, and page views keep the episode's lease by the time in its tally.
_SERVED = f"""
    INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
    SELECT id, last + 1, step,
        CASE WHEN last < %(pages_max)s THEN '{PAGE_SERVED}' ELSE '{PAGES_CAPPED}' END,
        jsonb_strip_nulls(jsonb_build_object('path', %(path)s::text))
    FROM counted WHERE last < %(pages_max)s OR NOT EXISTS (
        SELECT FROM trajectories_siteevent v WHERE v.episode_id = counted.id AND v.kind = '{PAGES_CAPPED}'
            AND v.kind <> '{PAGE_SERVED}' AND v.seq > %(pages_max)s)
    ON CONFLICT DO NOTHING RETURNING seq"""  # noqa: S608 (the parts are constants)
_LIVING = """
    INSERT INTO trajectories_pageeventtally AS t (episode_id, events, bytes, capped, last_at)
    SELECT id, 0, 0, false, now() FROM counted WHERE status = 'open' AND last >= %(pages_max)s
    ON CONFLICT (episode_id) DO UPDATE SET last_at = excluded.last_at
    WHERE t.last_at < excluded.last_at - interval '1 second'"""

_SHOWN = """alive.id, alive.status, alive.recording, alive.answer_channel, alive.presentation::text,
       alive.variation::text, alive.virtual_start"""

# One statement for the page and the events before it; it does not see the event that it stores itself.
_PAGE = f"""
WITH hasty AS MATERIALIZED ({HASTY}),
     alive AS MATERIALIZED (
        SELECT e.id, e.task_id, e.status, e.recording, e.answer_channel, e.presentation, e.variation,
               e.virtual_start, {step_numbers.REQUESTED} AS step
        FROM hasty, trajectories_episode e WHERE {ALIVE}),
     counted AS MATERIALIZED (
        SELECT id, status, step, {_LAST.format(alive="alive")} AS last FROM alive WHERE %(is_counted)s),
     served AS ({_SERVED}),
     living AS ({_LIVING})
SELECT {_SHOWN},
       coalesce((SELECT seq FROM served), (SELECT last FROM counted), {_LAST.format(alive="alive")}),
       t.kind, t.payload::text, {tool_calls.LAST_CALL}, CASE WHEN t.kind = 'site' THEN ({FOLDED}) END
FROM alive JOIN tasks_app_task t ON t.id = alive.task_id"""  # noqa: S608 (the parts are constants of this module)

# A fork is brought to where its parent stood: a page as it was at one of the inherited site events, and
# nothing is stored. Once the fork has an event of its own it goes on, and there is no way back. The document
# must be the one that was served then; what it fetches belongs to it.
_PAGE_AS_OF = f"""
WITH alive AS MATERIALIZED (
        SELECT e.id, e.task_id, e.status, e.recording, e.answer_channel, e.presentation, e.variation,
               e.virtual_start
        FROM trajectories_episode e WHERE {ALIVE} AND e.status = 'open' AND e.parent_id IS NOT NULL
            AND %(as_of)s <= e.inherited_events
            AND e.inherited_events = {_LAST.format(alive="e")}
            AND (NOT %(is_counted)s OR %(path)s::text IS NULL OR EXISTS (
                SELECT FROM trajectories_siteevent v WHERE v.episode_id = e.id AND v.seq = %(as_of)s
                    AND v.kind = '{PAGE_SERVED}' AND v.data->>'path' = %(path)s)))
SELECT {_SHOWN}, %(as_of)s::int,
       t.kind, t.payload::text, {tool_calls.LAST_CALL_UNTIL},
       CASE WHEN t.kind = 'site' THEN ({FOLDED} AND v.seq <= %(as_of)s) END
FROM alive JOIN tasks_app_task t ON t.id = alive.task_id"""  # noqa: S608 (the parts are constants of this module)

_SUBMIT = f"""
WITH taken AS (
        UPDATE trajectories_episode e SET status = 'submitted'
        WHERE id = %(episode)s AND status = 'open' AND answer_channel = 'page' AND arm = ANY(%(arms)s)
            AND inherited_events IS NOT NULL
        RETURNING id, {step_numbers.REQUESTED} AS step),
     stored AS (
        INSERT INTO trajectories_submission (episode_id, answer, channel)
        SELECT id, %(answer)s::jsonb, 'page' FROM taken RETURNING episode_id),
     noted AS (
        INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
        SELECT id, 1 + {_LAST.format(alive="taken")}, step, '{ANSWER_RECORDED}', '{{}}'::jsonb FROM taken
        ON CONFLICT DO NOTHING)
SELECT pg_notify('{SUBMISSION_CHANNEL}', '') FROM stored"""  # noqa: S608

_STORED = f"""
SELECT e.answer_channel, s.answer = %(answer)s::jsonb
FROM trajectories_episode e LEFT JOIN trajectories_submission s ON s.episode_id = e.id
WHERE {ALIVE}"""  # noqa: S608

Stored = Literal["stored", "same", "other", "wrong_channel", "gone"]


@dataclass(frozen=True, kw_only=True)
class PageEpisode:
    """What a page may know of its episode and task; ``payload`` has the episode's variation applied.

    ``site_events`` is the number of the last one; ``site_history`` holds those that a mock site folds.
    ``is_past``: a fork is being restored, and nothing that it is sent is stored.
    """

    episode_id: int
    status: str
    recording: str
    answer_channel: str
    presentation: Mapping[str, object]
    virtual_start: datetime
    site_events: int
    kind: str
    payload: Mapping[str, Any]
    tools: frozenset[str] = frozenset()
    has_task_bar: bool = True
    call: ToolCall | None = None
    site_history: tuple[Event, ...] = ()
    is_past: bool = False

    @property
    def is_open(self) -> bool:
        return self.status == "open"


def page_open(
    *, episode_id: int, step: int | None, is_counted: bool, path: str | None = None, as_of: int | None = None
) -> PageEpisode | None:
    """The episode of a page, or None when it has no pages (any more).

    A counted page renews the lease, and is a site event until the episode has ``PAGES_SERVED_MAX`` of them;
    it notes the ``path`` below the episode's first page, None where a script fetched it. ``as_of``: the page
    of a fork as it was at one of the site events that it has inherited; it is not counted.
    """
    request = {
        "step": step,
        "is_counted": is_counted,
        "path": None if path is None else path.replace("\0", "\ufffd")[:PATH_MAX],
        "common": COMMON_KINDS,
        "pages_max": settings.PAGES_SERVED_MAX,
    }
    params = {**alive_params(episode_id), **tool_calls.params(), **request}
    with hot_cursor() as cursor:
        if as_of is None:
            cursor.execute(_PAGE, params)
        else:
            cursor.execute(_PAGE_AS_OF, {**params, "as_of": as_of})
        row = cursor.fetchone()
    return None if row is None else _page_episode(row, is_past=as_of is not None)


def _page_episode(row: Sequence[Any], *, is_past: bool) -> PageEpisode:
    variation = None if row[5] is None else msgspec.json.decode(row[5])
    return PageEpisode(
        episode_id=row[0],
        status=row[1],
        recording=row[2],
        answer_channel=row[3],
        presentation=msgspec.json.decode(row[4]),
        virtual_start=row[6],
        site_events=row[7],
        kind=row[8],
        payload=payload_shown(msgspec.json.decode(row[9]), variation),
        tools=tools_of(variation),
        has_task_bar=has_task_bar(variation),
        call=tool_calls.call_read(row[10]),
        site_history=events_read(row[11]),
        is_past=is_past,
    )


def submission_store(*, episode_id: int, answer: str | list[str], step: int | None) -> Stored:
    """Store the answer, mark the episode and notify the sweeper in one statement; the first answer stays."""
    params = {**alive_params(episode_id), "step": step, "answer": msgspec.json.encode(answer).decode()}
    with hot_cursor() as cursor:
        cursor.execute(_SUBMIT, params)
        if cursor.fetchone() is not None:
            return "stored"
        cursor.execute(_STORED, params)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    channel, is_same = row
    if is_same is None:
        return "wrong_channel" if channel != "page" else "gone"
    return "same" if is_same else "other"


def alive_params(episode_id: int) -> dict[str, Any]:
    """The parameters of ``ALIVE``."""
    return {"episode": episode_id, "arms": list(PAGE_ARMS), "grace": settings.STEP_GRACE_S}
