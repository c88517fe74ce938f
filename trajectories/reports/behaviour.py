"""The behaviour of a policy: means of heuristic measures over a run's episodes, by arm."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from core.database.sql import Statement
from core.statistics import clustered_mean
from palaestra.protocol.arms import PAGE_ARMS
from trajectories.actions.checks import MISMATCHES, PUBLISHED_COLUMNS
from trajectories.behaviour.facts import measures

# SQL for whether an episode's action checks count. They do if its pages reported something that was compared
# with at least one action other than an answer, because answers may reach the gym without a page.
_IS_KNOWN = """e.arm = ANY(%(arms_with_page)s) AND g.episode_id IS NOT NULL
    AND a.confirmed + a.no_effect + a.different_effect + a.unexplained
        > coalesce((a.action_types->>'answer')::int, 0)"""


def _known(column: str) -> str:
    """Return the SQL of a column that is null for episodes whose action checks are unknown."""
    return f"CASE WHEN {_IS_KNOWN} THEN {column} END"


# The SQL of each measure, by its name in the API.
MEASURES = {
    "steps": "a.steps",
    **{m.total_column: f"a.{m.total_column}" for m in measures.MEASURES if m.is_reported},
    **{PUBLISHED_COLUMNS[name]: _known(f"a.{name}") for name in (*MISMATCHES, "unexplained_events")},
}
_SUMS = ", ".join(f"count({column}), coalesce(sum({column}), 0)::float8" for column in MEASURES.values())

BY_TASK = Statement(__file__, "behaviour", sums=_SUMS)


class MeasureMean(Struct, frozen=True, kw_only=True):
    """The mean of a measure over episodes, with its 95% interval clustered by task."""

    name: Annotated[str, Meta(description="A measure of `behaviour` in a trajectory, or of `said_done`.")]
    mean: float
    low: Annotated[float | None, Meta(description="Null if there is only one task.")]
    high: float | None
    episodes: Annotated[int, Meta(description="The number of episodes that have this measure.")]
    tasks: int


class ArmBehaviour(Struct, frozen=True):
    arm: str
    measures: list[MeasureMean]


class RunBehaviour(Struct, frozen=True, kw_only=True):
    results: list[ArmBehaviour]
    computed: Annotated[
        int, Meta(description="The number of ended episodes whose measures have been computed.")
    ]
    ended: int


def run_behaviour(*, run_id: int, splits: Collection[str] = (), latest: int | None = None) -> RunBehaviour:
    """Average the measures over all episodes whose verdict is not void, or over the ``latest`` of these.

    Measures that no episode has are left out.
    """
    rows = BY_TASK.rows(run=run_id, latest=latest, splits=list(splits), arms_with_page=list(PAGE_ARMS))
    by_arm: dict[str, list[tuple[float, ...]]] = {}
    for arm, _, ended, computed, *sums in rows:
        by_arm.setdefault(arm, []).append((ended, computed, *sums))
    return RunBehaviour(
        results=[ArmBehaviour(arm, _measures(tasks)) for arm, tasks in by_arm.items()],
        ended=sum(row[2] for row in rows),
        computed=sum(row[3] for row in rows),
    )


def _measures(tasks: Sequence[tuple[float, ...]]) -> list[MeasureMean]:
    means = []
    for index, name in enumerate(MEASURES):
        mean = clustered_mean([(int(task[2 + 2 * index]), task[3 + 2 * index]) for task in tasks])
        if mean:
            means.append(MeasureMean(name=name, **vars(mean)))
    return means
