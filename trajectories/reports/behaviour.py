"""How a policy behaved: means of computed measures over a run's episodes, by arm. Heuristics, not labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.arms import PAGE_ARMS
from core.sql import Statement
from trajectories.actions.checks import MISMATCHES, PUBLISHED_COLUMNS
from trajectories.facts import measures
from trajectories.reports.statistics import clustered_mean

# What a page saw is known where pages reported something that was compared with at least one action. Answers
# do not count: they may reach the gym without a page.
_IS_KNOWN = """e.arm = ANY(%(arms_with_page)s) AND g.episode_id IS NOT NULL
    AND a.confirmed + a.no_effect + a.different_effect + a.unexplained
        > coalesce((a.action_types->>'answer')::int, 0)"""


def _known(column: str) -> str:
    """Null, and so in no mean, for episodes where it is unknown what a page saw."""
    return f"CASE WHEN {_IS_KNOWN} THEN {column} END"


# SQL of each measure by its name.
MEASURES = {
    "steps": "a.steps",
    **{m.total_column: f"a.{m.total_column}" for m in measures.MEASURES if m.is_reported},
    **{kind: _known(f"a.{kind}") for kind in MISMATCHES},
    "unexplained_events": _known("a.unexplained_events"),
}
_SUMS = ", ".join(f"count({column}), coalesce(sum({column}), 0)::float8" for column in MEASURES.values())

BY_TASK = Statement(__file__, "behaviour", sums=_SUMS)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A mean over episodes, with its 95% interval clustered by task; none for a single task."""

    name: str
    mean: float
    low: float | None
    high: float | None
    episodes: int
    tasks: int

    @property
    def published_name(self) -> str:
        """Its name in the REST API."""
        return PUBLISHED_COLUMNS.get(self.name, self.name)


@dataclass(frozen=True, kw_only=True)
class ArmMeasures:
    arm: str
    measures: Sequence[Measure]


@dataclass(frozen=True, kw_only=True)
class RunBehaviour:
    """By arm; ``computed`` of the ``ended`` episodes that count have their measures."""

    results: Sequence[ArmMeasures]
    computed: int
    ended: int


def run_behaviour(*, run_id: int, splits: Collection[str] = ()) -> RunBehaviour:
    """Over episodes with a verdict that is not void; measures that no episode has are left out."""
    rows = BY_TASK.rows(run=run_id, splits=list(splits), arms_with_page=list(PAGE_ARMS))
    by_arm: dict[str, list[tuple[float, ...]]] = {}
    for arm, _, ended, computed, *sums in rows:
        by_arm.setdefault(arm, []).append((ended, computed, *sums))
    return RunBehaviour(
        results=[ArmMeasures(arm=arm, measures=_measures(tasks)) for arm, tasks in by_arm.items()],
        ended=sum(row[2] for row in rows),
        computed=sum(row[3] for row in rows),
    )


def _measures(tasks: Sequence[tuple[float, ...]]) -> list[Measure]:
    means = []
    for place, name in enumerate(MEASURES):
        mean = clustered_mean([(int(task[2 + 2 * place]), task[3 + 2 * place]) for task in tasks])
        if mean:
            means.append(Measure(name=name, **vars(mean)))
    return means
