"""Page events from the recorder: batches of small JSON objects, capped per episode, each stored once.

All of them are mere claims, since any script in a page can post here. Kinds that the server stores itself are
refused.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from django.conf import settings

from core.database.integers import INT_MAX
from core.database.sql import hot_cursor
from core.errors import GymError
from core.text import json as json_text
from gymsite.arena import step_numbers
from gymsite.arena.episodes import ALIVE, alive_params
from trajectories.actions.elements import FIELDS
from trajectories.actions.types import CAPPED, PAGE_KINDS

BATCH_MAX_BYTES = 256 * 1024
EVENTS_PER_BATCH_MAX = 500
DAY_MS = 86_400_000.0

Number = Annotated[int, msgspec.Meta(ge=0, le=INT_MAX)]
Step = Annotated[int, msgspec.Meta(ge=1, le=INT_MAX)]


class Event(msgspec.Struct, forbid_unknown_fields=True):
    """A page event; ``step`` is set if the harness announced a step after the page was loaded."""

    seq: Annotated[int, msgspec.Meta(ge=1, le=INT_MAX)]
    kind: Annotated[str, msgspec.Meta(pattern="^[a-z_]{1,32}$")]
    at_ms: Annotated[float, msgspec.Meta(ge=0, le=DAY_MS)]
    data: dict[str, Any] = {}
    step: Step | None = None


class Batch(msgspec.Struct, forbid_unknown_fields=True):
    """Events of one page load: ``page`` is its nonce, ``step`` the step in which the page was served."""

    page: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{8,32}$")]
    events: Annotated[list[Event], msgspec.Meta(max_length=EVENTS_PER_BATCH_MAX)]
    step: Step | None = None


_decoder = msgspec.json.Decoder(Batch)

# The most specific step counts: the event's own, else the request's, else the page's.
STEPS = ("batch.step", "%(requested)s::int", "%(served)s::int")

# A user's acts outside a harness's steps count towards the step budget
# (`judging/sql/episodes_overspent.sql`). They are gestures, each of which may cause several events, and
# changed fields. A click into a field counts as part of the typing that follows, and a box's change as part
# of the click that caused it.
GESTURE_MS = 250
TOGGLES = ["checkbox", "radio", "switch"]
_FOREIGN = "step IS NULL AND data->'trusted' IS DISTINCT FROM 'false'::jsonb"
_ROLE = "coalesce(data->>'role', '')"
_GESTURE = f"""CASE WHEN {_FOREIGN} AND (kind = 'key' OR kind = 'click' AND {_ROLE} <> ALL(%(fields)s))
            THEN div(at_ms::numeric, {GESTURE_MS}) END"""
_FIELD = f"""CASE WHEN {_FOREIGN} AND kind = 'input' AND {_ROLE} <> ALL(%(toggles)s)
            THEN %(page)s || left(coalesce(data->>'element', ''), 100) END"""

# The tally's row is locked first, so that concurrent batches are counted one after the other. Past a cap,
# only a single marker is stored, because its key is always the same.
_STORE = f"""
WITH alive AS (
        SELECT e.id, e.recording, e.max_steps, e.person_steps FROM trajectories_episode e WHERE {ALIVE}),
     batch AS (
        SELECT x.*, octet_length(x.data::text) AS size
        FROM json_to_recordset(%(events)s::json)
            AS x(seq int, step int, kind text, at_ms float8, data jsonb)),
     fresh AS (
        SELECT e.id, batch.seq, batch.kind, batch.at_ms, batch.data, batch.size,
            {step_numbers.bounded(*STEPS)} AS step
        FROM alive e, batch
        WHERE e.recording <> 'off' AND NOT EXISTS (
            SELECT FROM trajectories_pageevent p
            WHERE p.episode_id = e.id AND p.page = %(page)s AND p.seq = batch.seq)),
     sent AS (
        SELECT id, count(*) AS events, sum(size) AS bytes, count(DISTINCT {_GESTURE}) AS gestures,
            array_remove(array_agg(DISTINCT {_FIELD}), NULL) AS fields FROM fresh GROUP BY id),
     tally AS (
        INSERT INTO trajectories_pageeventtally AS t
            (episode_id, events, bytes, capped, last_at, gestures, fields, last_fields)
        SELECT id, events, bytes, events > %(events_max)s OR bytes > %(bytes_max)s, now(),
            gestures, cardinality(fields), fields FROM sent
        ON CONFLICT (episode_id) DO UPDATE SET
            gestures = t.gestures + excluded.gestures,
            fields = t.fields + (
                SELECT count(*) FROM unnest(excluded.last_fields) AS one WHERE one <> ALL(t.last_fields)),
            last_fields = CASE cardinality(excluded.last_fields) WHEN 0 THEN t.last_fields
                ELSE excluded.last_fields END,
            events = t.events + CASE WHEN t.capped THEN 0 ELSE excluded.events END,
            bytes = t.bytes + CASE WHEN t.capped THEN 0 ELSE excluded.bytes END,
            capped = t.capped OR t.events + excluded.events > %(events_max)s
                OR t.bytes + excluded.bytes > %(bytes_max)s,
            last_at = excluded.last_at
        RETURNING episode_id, capped),
     stored AS (
        INSERT INTO trajectories_pageevent (episode_id, page, seq, step, kind, at_ms, data)
        SELECT fresh.id, %(page)s, fresh.seq, fresh.step, fresh.kind, fresh.at_ms, fresh.data
        FROM fresh JOIN tally ON tally.episode_id = fresh.id AND NOT tally.capped
        UNION ALL
        SELECT episode_id, '', 0, NULL, '{CAPPED}', 0, '{{}}'::jsonb FROM tally WHERE capped
        ON CONFLICT DO NOTHING)
SELECT count(*) FROM alive"""  # noqa: S608 (the parts are constants)


def batch_read(body: bytes) -> Batch:
    """Decode a batch. Raises ``GymError`` ``bad_events`` (400) or ``too_many_events`` (413)."""
    if len(body) > BATCH_MAX_BYTES:
        message = f"A batch of page events has at most {BATCH_MAX_BYTES} bytes; send several."
        raise GymError("too_many_events", message, status=413)
    try:
        batch = _decoder.decode(body)
    # Nesting deeper than any recorder writes exceeds the decoder's recursion limit.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise GymError("bad_events", f"This is not a batch of page events: {error}") from error
    if foreign := {event.kind for event in batch.events}.difference(PAGE_KINDS):
        raise GymError("bad_events", f"Pages do not report events of this kind: {min(foreign)}")
    if json_text.has_nul(msgspec.json.encode(batch.events)):
        raise GymError("bad_events", "Page events cannot hold NUL characters.")
    return batch


def batch_store(*, episode_id: int, batch: Batch, step: int | None) -> bool:
    """Store the new events in one statement; return False if the episode has no pages.

    ``step`` is the request's ``X-Gym-Step`` header; an event's own step takes precedence.
    """
    params = alive_params(episode_id) | {
        "page": batch.page,
        "requested": step,
        "served": batch.step,
        "events": msgspec.json.encode(batch.events).decode(),
        "fields": [*FIELDS, "searchbox"],
        "toggles": TOGGLES,
        "events_max": settings.PAGE_EVENTS_MAX,
        "bytes_max": settings.PAGE_EVENT_BYTES_MAX,
    }
    with hot_cursor() as cursor:
        cursor.execute(_STORE, params)
        row = cursor.fetchone()
    return row is not None and row[0] == 1
