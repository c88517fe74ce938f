"""The input from which facts are computed: an episode's steps and events, read with one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from core.database.sql import Statement, sql_read
from palaestra.protocol.arms import ARMS
from palaestra.protocol.outline import ELEMENT_ID, REFERENCE
from trajectories.actions.types import CAPPED, ReportedEvent
from trajectories.behaviour.facts.behaviour import Turn


class Source(Struct, frozen=True, kw_only=True):
    """An episode with its steps and events.

    ``answer`` is None without a submission, and ``answered_in`` is the step in which a page's answer was
    recorded. ``seen_until`` is the time of the last step or page event included. ``served`` has the page
    views and tool calls that the server itself recorded. ``payload`` is the payload of the episode's task.
    """

    episode: int
    arm: str
    recording: str
    channel: str
    answer: Any
    answered_in: int | None
    seen_until: datetime
    steps: list[Turn]
    events: list[ReportedEvent]
    payload: dict[str, Any] = {}
    served: list[ReportedEvent] = []

    @property
    def has_page(self) -> bool:
        return ARMS[self.arm].has_page

    @property
    def question(self) -> str:
        """All texts of the task, from which the page or the prompt is made, in no particular order."""
        return "\n".join(_texts(self.payload))


# If an observation is longer, only its beginning is matched and measured. Visible blocks and errors are left
# out.
OBSERVATION_CHARS = 100_000
EVENT_KINDS = ("click", "input", "key", "submit", "focus", "scroll", "load", "settled", CAPPED)
# A page could send this many events within a minute, but no honest episode has so many.
EVENTS_MAX = 50_000
# A lower limit for a part of an episode, which is read for a page in the lab and not stored.
PART_EVENTS_MAX = 4_000

READ = Statement(
    __file__,
    "source",
    is_hot=True,
    observation="left(s.observation_text, %(observation_chars)s)",
    hash="NULL",
    shown="",
    steps="",
    served="",
    events=sql_read(__file__, "events"),
)
READ_PART = Statement(
    __file__,
    "source",
    is_hot=True,
    observation="CASE WHEN %(is_whole)s AND s.index BETWEEN %(first)s AND %(last)s THEN a.o ELSE b.line END",
    hash="b.hash",
    shown=sql_read(__file__, "shown", element_id=ELEMENT_ID, reference=REFERENCE),
    steps=" AND s.index BETWEEN %(read_first)s AND %(read_last)s",
    served=" AND coalesce(w.step BETWEEN %(read_first)s AND %(read_last)s, true)",
    events=sql_read(__file__, "events_of_part"),
)

_decode = msgspec.json.Decoder(Source).decode


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _texts(part)


def sources_read(episode_ids: Sequence[int]) -> list[Source]:
    """Return the sources of those given episodes that exist, in no particular order."""
    rows = READ.rows(
        ids=list(episode_ids),
        observation_chars=OBSERVATION_CHARS,
        kinds=list(EVENT_KINDS),
        events_max=EVENTS_MAX,
    )
    return [_decode(row[0]) for row in rows]


def source_part(*, episode_id: int, first: int, last: int, reach: int, is_whole: bool) -> Source | None:
    """Return an episode's steps from ``first`` to ``last`` with their events, or None if it is unknown.

    ``reach`` steps before them and one step after them are included. Facts computed from this source are
    valid for this part of the episode. With ``is_whole``, the observations of the requested steps are read in
    full, which their restated shares need. All other steps have only the line of the action's target.
    """
    row = READ_PART.row(
        ids=[episode_id],
        observation_chars=OBSERVATION_CHARS,
        kinds=list(EVENT_KINDS),
        events_max=PART_EVENTS_MAX,
        first=first,
        last=last,
        read_first=max(1, first - reach),
        read_last=last + 1,
        is_whole=is_whole,
    )
    return _decode(row[0]) if row else None
