"""The steps that an episode has inherited: they are its ancestors', and are copied nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from core.integers import INT_MAX
from core.sql import Statement, sql_read

STEPS = Statement(__file__, "lineage", columns=sql_read(__file__, "step_columns"))
TURNS = Statement(__file__, "lineage", columns=sql_read(__file__, "turn_columns"))
HASHES = Statement(__file__, "lineage", columns="s.index, s.more->>'prompt_sha256'")

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
    """The steps 1 to ``step`` of an episode, its ancestors' included; those that are missing are left out."""
    rows = (PastStep(*row) for row in STEPS.rows(episode=episode_id, until=step))
    # jsonb comes as text.
    return [structs.replace(row, action=row.action and msgspec.json.decode(str(row.action))) for row in rows]


def is_complete(steps: Sequence[PastStep], *, last: int) -> bool:
    """Whether these are the steps 1 to ``last``, all of them."""
    return [step.index for step in steps] == list(range(1, last + 1))


class PastTurn(Struct, frozen=True):
    """What a recorded step adds to a conversation, and the thought in it."""

    index: int
    raw: str
    thought: str
    observation_kind: str
    observation_text: str
    screenshot: str
    action_result: str
    result_message: str | None
    actor: str


def turns_until(episode_id: int, step: int) -> list[PastTurn]:
    """The same steps as ``steps_until``, with what was said and shown in them."""
    return [PastTurn(*row) for row in TURNS.rows(episode=episode_id, until=step)]


def steps_held(episode_id: int) -> list[tuple[int, int]]:
    """All steps of an episode in their order, each as the episode that holds it and its number."""
    return HOLDERS.rows(episode=episode_id, until=INT_MAX)


def prompt_hashes(episode_id: int, step: int) -> dict[int, str | None]:
    """The hash of its prompt that was posted with each of these steps, by index."""
    return dict(HASHES.rows(episode=episode_id, until=step))
