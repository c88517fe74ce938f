"""The arena's SQL on episodes. Each request runs one statement; ``gymsite/roles.sql`` limits its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

import msgspec
from django.conf import settings

from core.database.sql import hot_cursor
from gymsite.arena import step_numbers, tool_calls
from gymsite.arena.callers import MAY_ACT, holder
from gymsite.arena.sites.events import COMMON_KINDS, FOLDED, HASTY, events_read
from gymsite.arena.sites.site import Event
from palaestra.protocol.arms import PAGE_ARMS
from tasks_app.questions import ToolCall
from tasks_app.variation import get_tools, has_task_bar, payload_shown
from tasks_app.worlds.evidence import PAGE_SERVED, PAGES_CAPPED

# An episode has pages while it is open, and for a short while after its submission, because the last page
# confirms that and the recorder still has events to send. Closed and expired episodes have no pages.
ALIVE = """
    e.id = %(episode)s AND e.arm = ANY(%(arms)s) AND e.inherited_events IS NOT NULL AND (
        e.status = 'open'
        OR (e.closed_at IS NULL
            AND (e.finished_at IS NULL OR e.finished_at > now() - make_interval(secs => %(grace)s))
            AND EXISTS (SELECT FROM trajectories_submission s WHERE s.episode_id = e.id)))"""

PATH_MAX = 200
NOTHING_NOTED: Mapping[str, str] = MappingProxyType({})

# The number of an episode's last site event; ``alive`` is the row that holds its id.
LAST_EVENT = "coalesce((SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = {alive}.id), 0)"

# Two pages served at the same time take the same number, and the second is not counted, which is harmless.
# Site events are numbered without gaps, so the last number is their count. Past the cap, one marker is
# stored, and further page views renew the episode's lease by the time in its tally.
_SERVED = f"""
    INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data)
    SELECT id, last + 1, step,
        CASE WHEN last < %(pages_max)s THEN '{PAGE_SERVED}' ELSE '{PAGES_CAPPED}' END,
        %(noted)s::jsonb
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
       alive.variation::text, alive.virtual_start, alive.answer_check <> ''"""

# The first answer, while its check is requested, as JSON; ``is_newest`` is false if a program was run since.
_FIRST_ANSWER = """CASE WHEN alive.answer_check = 'requested' THEN (
        SELECT json_build_object('answer', f.answer, 'is_newest', NOT EXISTS (
            SELECT FROM trajectories_toolcall c
            WHERE c.episode_id = alive.id AND c.tool = 'run' AND c.created_at > f.received_at))::text
        FROM trajectories_firstanswer f WHERE f.episode_id = alive.id) END"""

# One statement for the page and the events before it, whose snapshot lacks the event that it stores itself.
_PAGE = f"""
WITH hasty AS MATERIALIZED ({HASTY}),
     alive AS MATERIALIZED (
        SELECT e.id, e.task_id, e.status, e.recording, e.answer_channel, e.presentation, e.variation,
               e.virtual_start, e.answer_check, {step_numbers.REQUESTED} AS step
        FROM hasty, trajectories_episode e WHERE {ALIVE} AND {MAY_ACT}),
     counted AS MATERIALIZED (
        SELECT id, status, step, {LAST_EVENT.format(alive="alive")} AS last FROM alive WHERE %(is_counted)s),
     served AS ({_SERVED}),
     living AS ({_LIVING})
SELECT {_SHOWN},
       coalesce((SELECT seq FROM served), (SELECT last FROM counted), {LAST_EVENT.format(alive="alive")}),
       t.kind, t.payload::text, {tool_calls.LAST_CALL}, CASE WHEN t.kind = 'site' THEN ({FOLDED}) END,
       {_FIRST_ANSWER}
FROM alive JOIN tasks_app_task t ON t.id = alive.task_id"""  # noqa: S608 (the parts are constants of this module)

# While a fork is restored to where its parent was, this shows a page as of an inherited site event and stores
# nothing. Once the fork has an event of its own, there is no way back. The document must be the one served at
# that event. What its scripts fetch is shown as of its last fetch before that event, because one act may
# fetch several pages, one after the other.
_PAGE_AS_OF = f"""
WITH alive AS MATERIALIZED (
        SELECT e.id, e.task_id, e.status, e.recording, e.answer_channel, e.presentation, e.variation,
               e.virtual_start, e.answer_check
        FROM trajectories_episode e WHERE {ALIVE} AND {MAY_ACT} AND e.status = 'open'
            AND e.parent_id IS NOT NULL AND %(as_of)s <= e.inherited_events
            AND e.inherited_events = {LAST_EVENT.format(alive="e")}
            AND (NOT %(is_counted)s OR NOT %(noted)s::jsonb ? 'path' OR EXISTS (
                SELECT FROM trajectories_siteevent v WHERE v.episode_id = e.id AND v.seq = %(as_of)s
                    AND v.kind = '{PAGE_SERVED}' AND v.data @> %(noted)s::jsonb))),
     moment AS MATERIALIZED (
        SELECT coalesce(max(v.seq), %(as_of)s::int) AS seq FROM alive, trajectories_siteevent v
        WHERE v.episode_id = alive.id AND v.seq <= %(as_of)s AND v.kind = '{PAGE_SERVED}'
            AND %(noted)s::jsonb ? 'fetched' AND v.data @> %(noted)s::jsonb)
SELECT {_SHOWN}, moment.seq,
       t.kind, t.payload::text, {tool_calls.LAST_CALL_UNTIL},
       CASE WHEN t.kind = 'site' THEN ({FOLDED} AND v.seq <= moment.seq) END, NULL
FROM moment, alive JOIN tasks_app_task t ON t.id = alive.task_id"""  # noqa: S608 (the parts are constants of this module)


class FirstAnswer(msgspec.Struct, frozen=True):
    """A first answer whose check is requested; ``is_newest`` unless a program has been run since."""

    answer: str | list[str]
    is_newest: bool

    @property
    def values(self) -> tuple[str, ...]:
        """The answer as one value per field of the form."""
        return (self.answer,) if isinstance(self.answer, str) else tuple(self.answer)


_first_answer_read = msgspec.json.Decoder(FirstAnswer).decode


@dataclass(frozen=True, kw_only=True)
class PageEpisode:
    """The part of an episode and its task that a page may know. The variation is applied to ``payload``.

    ``site_events`` is the last event's number, and ``site_history`` the events that a mock site folds.
    ``first_answer`` is set while its check is requested. If ``is_past``, a fork is being restored and nothing
    sent to it is stored. ``takeover`` is set on the page of a person who has taken over.
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
    is_checked: bool = False
    first_answer: FirstAnswer | None = None
    is_past: bool = False
    takeover: int | None = None

    @property
    def is_open(self) -> bool:
        return self.status == "open"

    @property
    def drafts(self) -> tuple[str, ...]:
        """Content of the form before anything is typed: the answer to check, or the last program run."""
        if self.first_answer is not None and self.first_answer.is_newest:
            return self.first_answer.values
        return (self.call.input,) if self.call and self.call.tool == "run" else ("",)


def build_note(path: str, query: str, *, is_document: bool) -> dict[str, str]:
    """Build a page event's data: the ``path`` of a document, or the address that a script ``fetched``."""
    name, text = ("path", path) if is_document else ("fetched", f"{path}?{query}")
    return {name: text.replace("\0", "\ufffd")[:PATH_MAX]}


def page_open(
    *,
    episode_id: int,
    step: int | None,
    is_counted: bool,
    noted: Mapping[str, str] = NOTHING_NOTED,
    as_of: int | None = None,
    takeover: int | None = None,
) -> PageEpisode | None:
    """Return the episode of a page, or None if it has no pages, or none any more.

    A counted page renews the lease and is stored as a site event, up to ``PAGES_SERVED_MAX`` per episode;
    ``noted`` (from ``build_note``) is the event's data. ``as_of`` shows a fork's page as of a site event that
    it has inherited, without counting it. While a person has taken over, only their ``takeover`` has pages.
    """
    request = {
        "step": step,
        "is_counted": is_counted,
        "noted": msgspec.json.encode(dict(noted)).decode(),
        "common": COMMON_KINDS,
        "pages_max": settings.PAGES_SERVED_MAX,
    }
    params = {**alive_params(episode_id), **holder(takeover), **tool_calls.params(), **request}
    with hot_cursor() as cursor:
        if as_of is None:
            cursor.execute(_PAGE, params)
        else:
            cursor.execute(_PAGE_AS_OF, {**params, "as_of": as_of})
        row = cursor.fetchone()
    return None if row is None else _page_episode(row, is_past=as_of is not None, takeover=takeover)


def _page_episode(row: Sequence[Any], *, is_past: bool, takeover: int | None) -> PageEpisode:
    variation = None if row[5] is None else msgspec.json.decode(row[5])
    return PageEpisode(
        episode_id=row[0],
        status=row[1],
        recording=row[2],
        answer_channel=row[3],
        presentation=msgspec.json.decode(row[4]),
        virtual_start=row[6],
        is_checked=row[7],
        site_events=row[8],
        kind=row[9],
        payload=payload_shown(msgspec.json.decode(row[10]), variation),
        tools=get_tools(variation),
        has_task_bar=has_task_bar(variation),
        call=tool_calls.call_read(row[11]),
        site_history=events_read(row[12]),
        first_answer=None if row[13] is None else _first_answer_read(row[13]),
        is_past=is_past,
        takeover=takeover,
    )


def alive_params(episode_id: int) -> dict[str, Any]:
    """Return the parameters of the condition ``ALIVE``."""
    return {"episode": episode_id, "arms": list(PAGE_ARMS), "grace": settings.STEP_GRACE_S}
