"""Storage of facts: finding the episodes that need them, and writing an episode's facts in one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from django.db import connection
from django.db.models import Model

from core.database.sql import Statement, sql_read
from core.work.sweep import PAGE, Place, Seen
from trajectories.behaviour.facts.behaviour import VERSION
from trajectories.behaviour.facts.compute import facts_of
from trajectories.behaviour.facts.source import Source, sources_read
from trajectories.behaviour.facts.types import CONFIGURATION, Facts
from trajectories.models import EpisodeFacts, StepFacts

# Seconds to wait after an episode's end, because pages send their last events while they are being left, and
# harnesses send their last step after the answer.
SETTLE_S = 5
# After this many seconds, most late events and steps have arrived.
LATE_S = 60

# Columns that are not among the computed values: keys, versions, times and the words for the search.
STEP_KEYS = {"episode_id", "index", "version", "words"}
EPISODE_KEYS = {"episode_id", "version", "seen_until", "computed_at"}

_encode = msgspec.json.Encoder().encode


def _columns(model: type[Model], *, without: set[str]) -> dict[str, str]:
    """Return the names of a table's computed columns with their database types."""
    fields = [field for field in model._meta.concrete_fields if field.attname not in without]
    return {field.attname: str(field.db_type(connection)) for field in fields}


def _parts(prefix: str, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of an SQL statement that inserts or updates the columns from a JSON record ``i``."""
    return {
        f"{prefix}_columns": ", ".join(columns),
        f"{prefix}_types": ", ".join(f"{name} {kind}" for name, kind in columns.items()),
        f"{prefix}_values": ", ".join(f"i.{name}" for name in columns),
        f"{prefix}_updates": ", ".join(f"{name} = excluded.{name}" for name in columns),
    }


WRITE = Statement(
    __file__,
    "write",
    is_hot=True,
    configuration=CONFIGURATION,
    **_parts("step", _columns(StepFacts, without=STEP_KEYS)),
    **_parts("episode", _columns(EpisodeFacts, without=EPISODE_KEYS)),
)
IS_LATE = sql_read(__file__, "is_late")
AFTER = Statement(__file__, "after", is_late=IS_LATE)
ALL = Statement(__file__, "all", is_late=IS_LATE)


def facts_compute(episode_ids: Sequence[int]) -> int:
    """Compute and store the facts of the given episodes, and return their total number of steps.

    Repeating this changes nothing but the time of computation. Episodes are read one at a time, because a
    single one may have ten thousand steps.
    """
    steps = 0
    for episode_id in episode_ids:
        for source in sources_read([episode_id]):
            facts_write(source, facts_of(source))
            steps += len(source.steps)
    return steps


def facts_write(source: Source, facts: Facts) -> None:
    WRITE.run(
        episode=source.episode,
        version=VERSION,
        seen_until=source.seen_until,
        steps=_encode([step.row() for step in facts.steps]).decode(),
        summary=_encode(facts.summary).decode(),
    )


def episodes_after(place: Place[int], age_s: float) -> list[Seen[int]]:
    """Return the next page of episodes that ended at least ``age_s`` seconds ago.

    An episode is due if its facts are missing, outdated or of another version.
    """
    rows = AFTER.rows(since=place.since, key=place.key, age=age_s, version=VERSION, limit=PAGE)
    return [Seen(*row) for row in rows]


def episodes_all(*, after: int, limit: int, run: int | None, again: bool) -> list[int]:
    """Return the ids of ended episodes, of one run or of all runs.

    Only episodes that are due are returned, unless ``again`` is set.
    """
    return [row[0] for row in ALL.rows(after=after, limit=limit, run=run, again=again, version=VERSION)]
