"""The input for facts: an episode's steps and events, read in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from core.arms import ARMS
from core.outline import ELEMENT_ID, REFERENCE
from trajectories import hot_sql


class SourceStep(Struct, frozen=True, kw_only=True):
    """A step; ``phash`` is its screenshot's perceptual hash, once a worker has computed it.

    With ``shown``, a hash of the observation without element ids, ``observation`` may be only the line of the
    action's target; ``chars`` is then the length of the whole.
    """

    index: int
    thought: str
    action: dict[str, Any] | None
    action_type: str
    action_result: str
    observation: str
    observation_sha256: str
    screenshot: str
    phash: str
    url: str
    started_at: datetime | None
    duration_ms: float | None
    shown: str | None = None
    chars: int | None = None

    @property
    def is_observation_complete(self) -> bool:
        """False when the observation is cut, or missing, as when only screenshots are posted."""
        chars = len(self.observation) if self.chars is None else self.chars
        return 0 < chars < OBSERVATION_CHARS


class SourceEvent(Struct, frozen=True, kw_only=True):
    page: str
    seq: int
    step: int | None
    kind: str
    data: Any
    at: datetime


class Source(Struct, frozen=True, kw_only=True):
    """An episode. ``answer`` is None without a submission; ``answered_in`` is the step in which a page's
    answer was recorded, ``seen_until`` the time of the last step or page event included."""

    episode: int
    arm: str
    recording: str
    channel: str
    answer: Any
    answered_in: int | None
    seen_until: datetime
    steps: list[SourceStep]
    events: list[SourceEvent]

    @property
    def has_page(self) -> bool:
        return ARMS[self.arm].has_page


# The beginning of a long observation is matched and measured. Visible blocks and errors are left out.
OBSERVATION_CHARS = 100_000
EVENT_KINDS = ("click", "input", "key", "submit", "focus", "scroll", "load", "settled", "capped")
# A page can send this many in a minute; no honest episode does.
EVENTS_MAX = 50_000
# For a part of an episode, read for a page and not stored.
PART_EVENTS_MAX = 4_000

_WHOLE = """
SELECT json_build_object('episode', e.id, 'arm', e.arm, 'recording', e.recording,
    'channel', coalesce(u.channel, ''), 'answer', u.answer,
    'seen_until', greatest(e.opened_at,
        (SELECT s.created_at FROM trajectories_step s WHERE s.episode_id = e.id
            ORDER BY s.index DESC LIMIT 1),
        (SELECT g.last_at FROM trajectories_pageeventtally g WHERE g.episode_id = e.id)),
    'answered_in', (SELECT x.step FROM trajectories_siteevent x
        WHERE x.episode_id = e.id AND x.kind = 'answer_recorded' ORDER BY x.seq LIMIT 1),
    'steps', (SELECT coalesce(json_agg(json_build_object('index', s.index, 'thought', s.thought,
        'action', s.action, 'action_type', s.action_type, 'action_result', s.action_result,
        {observation},
        'observation_sha256', s.observation_sha256, 'screenshot', s.screenshot,
        'phash', coalesce(p.phash, ''), 'url', s.url, 'started_at', s.started_at,
        'duration_ms', s.duration_ms) ORDER BY s.index), '[]')
        FROM trajectories_step s LEFT JOIN trajectories_picture p ON p.sha256 = nullif(s.screenshot, '')
        {of_shown}
        WHERE s.episode_id = e.id{of_steps}),
    'events', (SELECT coalesce(json_agg(json_build_object('page', v.page, 'seq', v.seq, 'step', v.step,
        'kind', v.kind, 'data', v.data, 'at', v.received_at) ORDER BY v.received_at, v.page, v.seq), '[]')
        FROM ({events} LIMIT %(events_max)s) v))::text
FROM trajectories_episode e LEFT JOIN trajectories_submission u ON u.episode_id = e.id
WHERE e.id = ANY(%(ids)s)"""

_READ = _WHOLE.format(
    observation="'observation', left(s.observation_text, %(observation_chars)s)",
    of_shown="",
    of_steps="",
    events="""SELECT * FROM trajectories_pageevent g
            WHERE g.episode_id = e.id AND g.kind = ANY(%(kinds)s)
            ORDER BY g.received_at, g.page, g.seq""",
)

# An observation may have a megabyte, and a part 200 of them: only those whose words are measured leave the
# database whole. For the others, the hash shows whether the page changed (``behaviour.place_of``), and the
# line of the target what the action named (``elements.target_of``).
_SHOWN = rf"""CROSS JOIN LATERAL (SELECT left(s.observation_text, %(observation_chars)s) AS o,
            substring(s.action->>'target' FROM '^{ELEMENT_ID}$') AS e OFFSET 0) a
        CROSS JOIN LATERAL (SELECT CASE WHEN a.o <> ''
                THEN coalesce(md5(nullif(regexp_replace(a.o, '{REFERENCE}', '', 'g'), '')), '')
                END AS hash,
            coalesce(split_part(substr(a.o, nullif(strpos(a.o, '[' || a.e || ']'), 0)), E'\n', 1), '')
                AS line) b"""  # noqa: S608 - constants of ours

# Whether pages report events, and with step numbers, holds for the whole episode: one event shows it. When
# there are more events than the limit, the requested steps keep their first ones; earlier ones go.
_EVENTS_OF_PART = """SELECT * FROM (SELECT g.*,
            row_number() OVER (PARTITION BY g.step ORDER BY g.received_at, g.page, g.seq) AS place,
            g.kind = 'capped' OR (g.page, g.seq) = t.told AS is_telling,
            coalesce(g.step BETWEEN %(first)s AND %(last)s, g.received_at >= t.asked) AS is_asked
            FROM (SELECT
                (SELECT min(s.started_at) FROM trajectories_step s
                    WHERE s.episode_id = e.id AND s.index BETWEEN %(read_first)s AND %(read_last)s) AS begun,
                (SELECT min(s.started_at) FROM trajectories_step s
                    WHERE s.episode_id = e.id AND s.index BETWEEN %(first)s AND %(last)s) AS asked,
                (SELECT min(s.started_at) FROM trajectories_step s
                    WHERE s.episode_id = e.id AND s.index > %(read_last)s) AS ended,
                (SELECT (h.page, h.seq) FROM trajectories_pageevent h
                    WHERE h.episode_id = e.id AND h.kind = ANY(%(kinds)s)
                    ORDER BY h.step IS NULL LIMIT 1) AS told) t
            JOIN trajectories_pageevent g ON g.episode_id = e.id AND g.kind = ANY(%(kinds)s)
            WHERE g.step BETWEEN %(read_first)s AND %(read_last)s OR g.kind = 'capped'
                OR g.step IS NULL AND g.received_at >= t.begun
                    AND g.received_at < coalesce(t.ended, 'infinity')
                OR (g.page, g.seq) = t.told) c
            ORDER BY c.is_telling DESC, c.is_asked DESC NULLS LAST, c.place"""

_READ_PART = _WHOLE.format(
    observation="""'shown', b.hash, 'chars', length(a.o), 'observation',
            CASE WHEN %(is_whole)s AND s.index BETWEEN %(first)s AND %(last)s THEN a.o ELSE b.line END""",
    of_shown=_SHOWN,
    of_steps=" AND s.index BETWEEN %(read_first)s AND %(read_last)s",
    events=_EVENTS_OF_PART,
)

_decode = msgspec.json.Decoder(Source).decode


def sources_read(episode_ids: Sequence[int]) -> list[Source]:
    """The sources of those of the episodes that exist, in no particular order."""
    parameters: dict[str, Any] = {
        "ids": list(episode_ids),
        "observation_chars": OBSERVATION_CHARS,
        "kinds": list(EVENT_KINDS),
        "events_max": EVENTS_MAX,
    }
    with hot_sql.hot_cursor() as cursor:
        cursor.execute(_READ, parameters)
        return [_decode(row[0]) for row in cursor.fetchall()]


def source_part(*, episode_id: int, first: int, last: int, reach: int, is_whole: bool) -> Source | None:
    """The steps from ``first`` to ``last`` of an episode, with ``reach`` steps before them, one after, and
    their events; None without the episode. Facts computed from it hold for this part.

    How much a thought restates is right only with ``is_whole``, and only for the requested steps: the others
    lack most of their observation.
    """
    parameters: dict[str, Any] = {
        "ids": [episode_id],
        "observation_chars": OBSERVATION_CHARS,
        "kinds": list(EVENT_KINDS),
        "events_max": PART_EVENTS_MAX,
        "first": first,
        "last": last,
        "read_first": max(1, first - reach),
        "read_last": last + 1,
        "is_whole": is_whole,
    }
    with hot_sql.hot_cursor() as cursor:
        cursor.execute(_READ_PART, parameters)
        row = cursor.fetchone()
    return _decode(row[0]) if row else None
