"""Queries about a training run: its versions' figures, its groups, and the trainer's posted metrics."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from core.database.sql import Statement
from palaestra.protocol.end_reasons import HARMLESS_VOIDS
from trajectories.models import Run
from trajectories.models.sums import Scope, TaskSum, VersionSum
from trajectories.reports.training.component_sums import Stages, is_whole, stage_sums, stages_of
from trajectories.reports.training.figures import SUMS_PER_MEASURE, Figure, figures_of

_JUDGED, _CORRECT, _VOID = (
    f"count(*) FILTER (WHERE v.outcome {those})" for those in ("<> 'void'", "= 'correct'", "= 'void'")
)
# The SQL of each measure of a group: the number of episodes or steps that count, and the sum over them.
GROUP_SQL = {
    "reward": (_JUDGED, _CORRECT),
    "void": ("count(v.id)", _VOID),
    "invalid_actions": ("sum(a.steps)", "sum(a.invalid_actions)"),
    **{
        name: (f"count(a.{name})", f"sum(a.{name})")
        for name in (
            "thought_words",
            "restates",
            "numbers",
            "formulas",
            "checks",
            "loops",
            "backtracks",
            "steps",
        )
    },
}
_OF_GROUP = ", ".join(
    f"coalesce({count}, 0)::float8 AS n_{name}, coalesce({total}, 0)::float8 AS s_{name}"
    for name, (count, total) in GROUP_SQL.items()
)
_OF_TASK = ", ".join(f"sum(n_{name}) AS n_{name}, sum(s_{name}) AS s_{name}" for name in GROUP_SQL)
_OF_VERSION = ", ".join(
    f"count(*) FILTER (WHERE n_{name} > 0), sum(n_{name}), sum(s_{name}), sum(n_{name} * n_{name}), "
    f"sum(n_{name} * s_{name}), sum(s_{name} * s_{name})"
    for name in GROUP_SQL
)
# The number of leading values of a version, which are the number of ended episodes and the sums of the
# measures. The sums of components follow.
OWN_SUMS = 1 + len(GROUP_SQL) * SUMS_PER_MEASURE
METRICS_MAX = 24

_SUMS = Statement(__file__, "version_sums", of_group=_OF_GROUP, of_task=_OF_TASK, of_version=_OF_VERSION)
_KEEP = Statement(__file__, "version_sums_keep")
_GROUPS = Statement(__file__, "group_counts")
_POSTED = Statement(__file__, "posted")


@dataclass(frozen=True, kw_only=True)
class VersionFigures:
    """The figures of one arm and policy version.

    ``figures`` are by measure, without measures that no episode has. ``components`` are the stored sums,
    which ``stages`` decodes.
    """

    version: int
    ended: int
    figures: Mapping[str, Figure]
    components: Sequence[float]

    @cached_property
    def stages(self) -> Stages:
        """The figures of components, which are decoded on demand because only one arm is shown."""
        return stages_of(self.components)


class GroupCounts(NamedTuple):
    """Counts of the groups of one policy version, or of one epoch.

    ``repeated`` counts groups of tasks that had a group before, and ``comparable`` those with at least two
    judged samples.
    """

    version: int | None
    epoch: int | None
    groups: int
    tasks: int
    repeated: int
    comparable: int
    all_right: int
    all_wrong: int


def version_figures(run_id: int, *, splits: Collection[str] = ()) -> Mapping[str, Sequence[VersionFigures]]:
    """Return the figures of a run by arm, with versions ascending.

    Only versions that changed since the last call are summed again.
    """
    rows = list(VersionSum.objects.filter(run_id=run_id))
    sums = {
        (row.policy_version, row.arm): row.sums
        for row in rows
        if row.sums is not None
        and row.summed_changes == row.changes
        and is_whole(row.sums[OWN_SUMS:])
        and not splits
    }
    if changed := {row.policy_version for row in rows if (row.policy_version, row.arm) not in sums}:
        sums |= _summed(run_id, changed, splits)
    by_arm: dict[str, list[VersionFigures]] = {}
    for (version, arm), known in sorted(sums.items()):
        made = VersionFigures(
            version=version,
            ended=int(known[0]),
            figures=figures_of(GROUP_SQL, known[1:OWN_SUMS]),
            components=known[OWN_SUMS:],
        )
        by_arm.setdefault(arm, []).append(made)
    return by_arm


def _summed(
    run_id: int, versions: Collection[int], splits: Collection[str]
) -> dict[tuple[int, str], list[float]]:
    """Return the sums by version and arm, and store them for later unless they cover only some splits."""
    rows = _SUMS.rows(
        run=run_id, versions=sorted(versions), nobodys=list(HARMLESS_VOIDS), splits=sorted(splits)
    )
    # These sums are read after the number of changes, so whatever arrives in between is summed again next
    # time.
    stages = stage_sums(run_id, versions, splits)
    whole = {(version, arm): [*sums, *stages.get((version, arm), [0])] for _, arm, version, _, sums in rows}
    if not splits:
        made = [
            {"id": pk, "changes": changes, "sums": whole[version, arm]}
            for pk, arm, version, changes, _ in rows
        ]
        _KEEP.run(rows=json.dumps(made))
    return whole


def group_counts(
    run_id: int, *, arm: str, splits: Collection[str] = ()
) -> tuple[dict[int, GroupCounts], list[GroupCounts]]:
    """Return the counts of groups by policy version, and those of each epoch in order."""
    rows = [GroupCounts(*row) for row in _GROUPS.rows(run=run_id, arm=arm, splits=sorted(splits))]
    by_version = {row.version: row for row in rows if row.version is not None}
    return by_version, [row for row in rows if row.epoch is not None]


def posted_metrics(run_id: int) -> Mapping[str, Mapping[int, float]]:
    """Return the trainer's own metrics by name and policy version.

    Of many names, only the first ``METRICS_MAX`` in alphabetical order are returned.
    """
    by_name: dict[str, dict[int, float]] = {}
    for version, name, value in _POSTED.rows(run=run_id):
        if name in by_name or len(by_name) < METRICS_MAX:
            by_name.setdefault(name, {})[version] = value
    return by_name


def trained_on(run: Run, *, splits: Collection[str] = ()) -> list[str]:
    """Return the names of the benchmarks whose tasks occur in the run's judged episodes."""
    tasks = TaskSum.objects.filter(run=run, scope=Scope.RUN, judged__gt=0)
    if splits:
        tasks = tasks.filter(task__split__in=splits)
    names = tasks.order_by("task__benchmark_id").values_list("task__benchmark_id", flat=True)
    return list(names.distinct())
