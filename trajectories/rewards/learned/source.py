"""Reading the inputs of learned rewards."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from core.sql import Statement
from trajectories.behaviour.facts.compute import facts_of
from trajectories.behaviour.facts.source import sources_read
from trajectories.rewards.learned.features import FACTS
from trajectories.rewards.learned.types import Recorded

# The last completions of an episode, and the beginning of each.
STEPS_MAX = 200
TEXT_CHARS = 10_000

READ = Statement(
    __file__, "recorded", is_hot=True, facts=", ".join(f"'{column}', f.{column}" for column in FACTS)
)
_decode = msgspec.json.Decoder(Recorded).decode


def recorded_read(episode_ids: Sequence[int]) -> list[Recorded]:
    """Those of the episodes that have ended, by id. Facts that are not stored yet are computed for it."""
    rows = READ.rows(ids=list(episode_ids), chars=TEXT_CHARS, steps=STEPS_MAX)
    read = [_decode(row[0]) for row in rows]
    missing = [one.episode for one in read if one.facts is None]
    summaries = {one.episode: facts_of(one).summary for one in sources_read(missing)} if missing else {}
    return [
        one
        if one.facts is not None
        else replace(one, facts={column: summaries[one.episode][column] for column in FACTS})
        for one in read
    ]
