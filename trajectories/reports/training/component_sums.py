"""The sums of reward components by policy version and stage."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from core.database.sql import Statement
from tasks_app.tool_tasks.registry import STAGE_TAG
from trajectories.models import Run
from trajectories.record.projects import EVERYTHING
from trajectories.reports.training.figures import SUMS_PER_MEASURE, Figure, figures_of
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.payment import range_of
from trajectories.rewards.profiles.store import SETTING, profile_get

COMPONENTS = ("syntax", "executed", "needed", "redundant", "selection", "arguments", "call_results")
SHAPING = "shaping"
MEASURES = (OUTCOME, *COMPONENTS, SHAPING)
# The number of values for one stage: the stage's number, and the sums of its measures.
STAGE_SUMS = 1 + len(MEASURES) * SUMS_PER_MEASURE

_SUMS = Statement(
    __file__,
    "component_sums",
    of_episode=", ".join(f"max((c.values->>'{name}')::float8) AS {name}" for name in COMPONENTS),
    of_task=", ".join(
        f"count({value})::float8 AS n_{name}, coalesce(sum({value}), 0)::float8 AS s_{name}"
        for name in MEASURES
        for value in ["(v.outcome = 'correct')::int" if name == OUTCOME else f"a.{name}"]
    ),
    of_stage=", ".join(
        f"count(*) FILTER (WHERE n_{name} > 0), sum(n_{name}), sum(s_{name}), sum(n_{name} * n_{name}), "
        f"sum(n_{name} * s_{name}), sum(s_{name} * s_{name})"
        for name in MEASURES
    ),
)
Stages = Mapping[int, Mapping[str, Figure]]
"""The figures by stage and measure; stage 0 has the tasks without a stage."""


def stage_sums(
    run_id: int, versions: Collection[int], splits: Collection[str] = ()
) -> dict[tuple[int, str], list[float]]:
    """Return the sums by version and arm, as flat lists of the number of stages and the stages' sums."""
    rows = _SUMS.rows(
        run=run_id,
        versions=sorted(versions),
        splits=sorted(splits),
        mark=STAGE_TAG,
        terms=json.dumps(list(_terms(run_id))),
    )
    sums: dict[tuple[int, str], list[float]] = {}
    for arm, version, of_stage in rows:
        known = sums.setdefault((version, arm), [0])
        known[0] += 1
        known += of_stage
    return sums


def stages_of(sums: Sequence[float]) -> Stages:
    """Return the figures of one version and arm, decoded from a list of ``stage_sums``."""
    starts = range(1, len(sums), STAGE_SUMS)
    return {int(sums[start]): figures_of(MEASURES, sums[start + 1 : start + STAGE_SUMS]) for start in starts}


def is_whole(sums: Sequence[float]) -> bool:
    """Return whether stored sums contain all measures of the current code."""
    return len(sums) > 0 and len(sums) == 1 + sums[0] * STAGE_SUMS


def has_shaping(run: Run) -> bool:
    """Return whether the run's reward profile pays for anything besides the outcome."""
    return any(_terms(run.pk))


def _terms(run_id: int) -> Iterator[dict[str, str | float]]:
    """Yield the terms of the run's reward profile besides the outcome.

    ``start`` is the component's value at which the term pays least, ``span`` the distance from there to the
    value at which it pays most, and ``weight`` the difference in pay between the two.
    """
    settings = Run.objects.values_list("settings", flat=True).get(pk=run_id)
    if not (reference := settings.get(SETTING)):
        return
    for term in profile_get(reference, viewer=EVERYTHING).profile.terms:
        stake = term.weight * (term.positive - term.negative)
        if term.component == OUTCOME or not stake:
            continue
        low, high = range_of(term)
        start, span = (low, high - low) if stake > 0 else (high, low - high)
        yield {"component": term.component, "start": start, "span": span, "weight": abs(stake)}
