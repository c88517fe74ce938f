"""The episodes that an export's filters show, and the units that its rows are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from msgspec.structs import replace

from core.splits import TRAINING_SQL
from trajectories.exports.parameters import Parameters
from trajectories.exports.types import Kind, Unit
from trajectories.models import Episode, Verdict

UNITS_AT_ONCE = 20
IDS_FETCHED = 2_000
COLUMNS: Mapping[Unit, str] = {"episode": "pk", "group": "group_id", "task": "task_id"}


def episodes_of(parameters: Parameters, *, kind: Kind, splits: list[str]) -> QuerySet[Episode]:
    """The episodes that an export takes; ``splits`` are those that its key is limited to.

    Guided episodes stay out, as in reports.
    """
    outcomes = parameters.outcomes or list(kind.outcomes)
    filters: dict[str, Any] = {
        "finished_at__lte": parameters.as_of,
        "guidance__isnull": True,
        "run__in": parameters.runs,
        "task__benchmark__in": parameters.benchmarks,
        "task__split__in": parameters.splits,
        "arm__in": parameters.arms,
        "verdict__outcome__in": outcomes if set(outcomes) < set(Verdict.Outcome.values) else [],
        "policy_version__gte": parameters.policy_version_min,
        "policy_version__lte": parameters.policy_version_max,
        "opened_at__gte": parameters.opened_from,
        "opened_at__lt": parameters.opened_before,
    }
    given = {name: value for name, value in filters.items() if value is not None and value != []}
    episodes = Episode.objects.filter(**given, status=Episode.Status.FINISHED)
    if splits:
        episodes = episodes.filter(task__split__in=splits)
    if not parameters.locked:
        episodes = episodes.filter(task__split__regex=TRAINING_SQL)
    return episodes


def locked_count(parameters: Parameters, *, kind: Kind, splits: list[str]) -> int:
    """How many episodes stay out since their split is locked."""
    if parameters.locked:
        return 0
    unlocked = episodes_of(replace(parameters, locked=True), kind=kind, splits=splits)
    return unlocked.exclude(task__split__regex=TRAINING_SQL).count()


def unit_count(episodes: QuerySet[Episode], *, unit: Unit) -> int:
    units: int = episodes.order_by().values(COLUMNS[unit]).distinct().count()
    return units


def unit_batches(episodes: QuerySet[Episode], *, unit: Unit, after: int) -> Iterator[tuple[int, ...]]:
    """The ids of units behind ``after``, ascending, some at a time. They come from a cursor of the server."""
    column = COLUMNS[unit]
    rows = episodes.filter(**{f"{column}__gt": after}).values_list(column, flat=True)
    ids = rows.order_by(column).distinct().iterator(chunk_size=IDS_FETCHED)
    while batch := tuple(islice(ids, UNITS_AT_ONCE)):
        yield batch
