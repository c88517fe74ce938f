"""The episodes that match an export's filters, and the units from which its rows are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet

from core.episodes.splits import TRAINING_SQL
from trajectories.exports.parameters import Parameters
from trajectories.exports.types import Unit
from trajectories.models import Episode, Verdict
from trajectories.models.origins import CONDITIONS, Origin, is_of
from trajectories.record import projects
from trajectories.record.projects import Viewer

UNITS_AT_ONCE = 20
IDS_FETCHED = 2_000
LOCKED = "locked_split"
COLUMNS: Mapping[Unit, str] = {"episode": "pk", "group": "group_id", "task": "task_id"}


def filter_episodes(parameters: Parameters, *, viewer: Viewer) -> QuerySet[Episode]:
    """Return the episodes that an export takes, out of those that its author may see."""
    episodes = _matching(parameters, viewer=viewer).filter(_is_of_origins(parameters), **_ended(parameters))
    if outcomes := _outcomes(parameters):
        episodes = episodes.filter(verdict__outcome__in=outcomes)
    return episodes if parameters.locked else episodes.filter(task__split__regex=TRAINING_SQL)


def count_left_out(parameters: Parameters, *, viewer: Viewer) -> dict[str, int]:
    """Count the episodes that match the author's filters but are left out by the export's own rules.

    Each is counted under the first rule that leaves it out. One of the rules is that the kind does not take
    the episode's outcome.
    """
    counts: dict[str, int] = {}
    matching = _matching(parameters, viewer=viewer)
    if not parameters.locked:
        counts[LOCKED] = (
            matching.filter(**_ended(parameters)).exclude(task__split__regex=TRAINING_SQL).count()
        )
        matching = matching.filter(task__split__regex=TRAINING_SQL)
    ended = matching.filter(**_ended(parameters))
    counts["not_ended"] = matching.count() - ended.count()
    origins = _origins(parameters)
    for origin, condition in CONDITIONS.items():
        if origin not in origins:
            counts[str(origin)] = ended.filter(condition).count()
    if Origin.TAKEN_OVER in origins and Origin.GUIDED not in origins:
        counts[Origin.GUIDED] += ended.filter(is_taken_over=True, guidance__isnull=False).count()
    if outcomes := _outcomes(parameters):
        taken = ended.filter(_is_of_origins(parameters))
        counts["other_outcome"] = taken.exclude(verdict__outcome__in=outcomes).count()
    return {name: count for name, count in counts.items() if count}


def filter_visible_episodes(viewer: Viewer) -> QuerySet[Episode]:
    """Return all episodes that the viewer may see, which an export can draw on."""
    return projects.visible(Episode.objects.all(), viewer)


def _matching(parameters: Parameters, *, viewer: Viewer) -> QuerySet[Episode]:
    filters: dict[str, Any] = {
        "run__in": parameters.runs,
        "task__benchmark__in": parameters.benchmarks,
        "task__split__in": parameters.splits,
        "arm__in": parameters.arms,
        "policy_version__gte": parameters.policy_version_min,
        "policy_version__lte": parameters.policy_version_max,
        "opened_at__gte": parameters.opened_from,
        "opened_at__lt": parameters.opened_before,
    }
    given = {name: value for name, value in filters.items() if value is not None and value != []}
    return filter_visible_episodes(viewer).filter(**given)


def _ended(parameters: Parameters) -> dict[str, Any]:
    as_of = {} if parameters.as_of is None else {"finished_at__lte": parameters.as_of}
    return {"status": Episode.Status.FINISHED, **as_of}


def _origins(parameters: Parameters) -> list[str]:
    return parameters.origins or [Origin.PLAIN]


def _is_of_origins(parameters: Parameters) -> Q:
    """Return the condition for the export's origins.

    A taken-over episode with guidance needs both origins, because not everyone may read guidance.
    """
    origins = _origins(parameters)
    if Origin.TAKEN_OVER in origins and Origin.GUIDED not in origins:
        return is_of(origins) & Q(guidance__isnull=True)
    return is_of(origins)


def _outcomes(parameters: Parameters) -> list[str]:
    """Return the outcomes to keep, or an empty list if all are kept, which includes episodes without one."""
    return parameters.outcomes if set(parameters.outcomes) < set(Verdict.Outcome.values) else []


def count_units(episodes: QuerySet[Episode], *, unit: Unit) -> int:
    units: int = episodes.order_by().values(COLUMNS[unit]).distinct().count()
    return units


def batch_units(episodes: QuerySet[Episode], *, unit: Unit, after: int) -> Iterator[tuple[int, ...]]:
    """Yield batches of unit ids greater than ``after``, in ascending order, from a server-side cursor."""
    column = COLUMNS[unit]
    rows = episodes.filter(**{f"{column}__gt": after}).values_list(column, flat=True)
    ids = rows.order_by(column).distinct().iterator(chunk_size=IDS_FETCHED)
    while batch := tuple(islice(ids, UNITS_AT_ONCE)):
        yield batch
