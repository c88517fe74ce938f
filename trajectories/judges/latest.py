"""The grades of a judge that count: the latest of each episode."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from trajectories.models import Judge, RewardComponents, RewardSource


class Grades(NamedTuple):
    """An episode's components by their names, and its task, None if that was deleted."""

    task: int | None
    values: Mapping[str, float | None]


def grades_latest(
    judge: Judge, *, episodes: Collection[int] | None = None, runs: Sequence[int] = ()
) -> dict[int, Grades]:
    """Grades by episode: of these episodes, of these runs, or of all that the judge has graded."""
    rows = RewardComponents.objects.filter(
        source__kind=RewardSource.Kind.JUDGE, source__name=judge.name, source__version=judge.sha256
    )
    if episodes is not None:
        rows = rows.filter(episode_id__in=episodes)
    if runs:
        rows = rows.filter(episode__run__in=runs)
    # Ascending, so that a later one takes the place of an earlier one.
    ordered = rows.order_by("computed_at").values_list("episode_id", "episode__task_id", "values")
    return {episode: Grades(task, values) for episode, task, values in ordered}
