"""The steps that an episode has inherited: they belong to its ancestors, and are never copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from core.integers import INT_MAX
from core.sql import Statement, sql_read
from palaestra.protocol.outline import REFERENCE
from trajectories.models import Step

STEPS = Statement(__file__, "lineage", is_hot=True, columns=sql_read(__file__, "step_columns"))
TURNS = Statement(__file__, "lineage", columns=sql_read(__file__, "turn_columns"))
HASHES = Statement(__file__, "lineage", columns="s.index, s.more->>'prompt_sha256'")
PLACES = Statement(__file__, "lineage", columns="s.index, s.url, coalesce(s.more->>'element_ids', '')")
LENGTHS = Statement(__file__, "lineage", columns="length(s.observation_text) + length(s.raw)")
# Without a text, what was shown is a blob or a picture.
ID_SHOWN = Statement(
    __file__, "lineage", columns=f"s.observation_text = '' OR s.observation_text ~ '{REFERENCE}'"
)
AUTHORS = Statement(__file__, "lineage", columns="s.index, s.actor, s.segment")
HOLDERS = Statement(__file__, "lineage", columns="l.id, s.index")


class PastStep(Struct, frozen=True):
    """A recorded step. ``url``, ``kind``, ``sha256`` and ``screenshot`` are of the observation that its model
    had been shown; ``element_ids`` are the keys of the ids given out since the step before."""

    index: int
    action: dict[str, Any] | None
    action_result: str
    result_message: str | None
    url: str
    kind: str
    sha256: str
    screenshot: str
    element_ids: str


def steps_until(episode_id: int, step: int) -> list[PastStep]:
    """Return the steps 1 to ``step`` of an episode, its ancestors' included; missing ones are left out."""
    rows = (PastStep(*row) for row in STEPS.rows(episode=episode_id, since=1, until=step))
    # jsonb comes as text.
    return [structs.replace(row, action=row.action and msgspec.json.decode(str(row.action))) for row in rows]


class PastPlace(Struct, frozen=True):
    """The short fields of a recorded step, the same as in ``PastStep``."""

    index: int
    url: str
    element_ids: str


def places_until(episode_id: int, step: int) -> list[PastPlace]:
    """Return the same steps as ``steps_until``, without reading their observations."""
    return [PastPlace(*row) for row in PLACES.rows(episode=episode_id, since=1, until=step)]


def shows_ids(episode_id: int, step: int) -> bool:
    """Return whether an element may have had an id in the steps 1 to ``step``: many pages have none."""
    return any(is_shown for (is_shown,) in ID_SHOWN.rows(episode=episode_id, since=1, until=step))


def is_complete(steps: Sequence[PastStep | PastPlace], *, last: int) -> bool:
    """Return whether these are exactly the steps 1 to ``last``."""
    return [step.index for step in steps] == list(range(1, last + 1))


class PastTurn(Struct, frozen=True):
    """A recorded step's part in a conversation, and its thought."""

    index: int
    raw: str
    thought: str
    observation_kind: str
    observation_text: str
    screenshot: str
    action_result: str
    result_message: str | None
    actor: str


def turns_until(episode_id: int, step: int, *, since: int = 1) -> list[PastTurn]:
    """Return the steps ``since`` to ``step``, as in ``steps_until``, with their texts and observations.

    They are held in memory: ``conversations.is_too_long`` says whether they should be.
    """
    return [PastTurn(*row) for row in TURNS.rows(episode=episode_id, since=since, until=step)]


def steps_held(episode_id: int, *, until: int = INT_MAX) -> list[tuple[int, int]]:
    """Return the steps of an episode in order, each with the episode that holds it and its number."""
    return HOLDERS.rows(episode=episode_id, since=1, until=until)


def chars_until(episode_id: int, step: int) -> int:
    """Count the characters of observations and completions in the steps 1 to ``step``."""
    return sum(length for (length,) in LENGTHS.rows(episode=episode_id, since=1, until=step))


def authors_until(episode_id: int, step: int) -> dict[int, tuple[str, str]]:
    """The actor of each step by index, and a person's segment, of the same steps as ``steps_until``."""
    return {row[0]: (row[1], row[2]) for row in AUTHORS.rows(episode=episode_id, since=1, until=step)}


def has_person(episode_id: int, step: int) -> bool:
    """Return whether a person did one of the steps 1 to ``step`` of an episode, its ancestors' included."""
    return any(actor == Step.Actor.PERSON for actor, _ in authors_until(episode_id, step).values())


def prompt_hashes(episode_id: int, step: int) -> dict[int, str | None]:
    """Return the prompt hash posted with each of these steps, by index."""
    return dict(HASHES.rows(episode=episode_id, since=1, until=step))
