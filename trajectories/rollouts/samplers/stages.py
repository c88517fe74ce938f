"""Knowledge of samplers with stages: the stage of each task, and the run's progress."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.database.sql import Statement
from core.errors import GymError
from palaestra.protocol.arms import PROBE_ARMS
from tasks_app.models import Task
from tasks_app.tool_tasks.registry import STAGE_TAG
from trajectories.models import Sampler, SamplerDraw
from trajectories.record.projects import Viewer
from trajectories.rewards import registry
from trajectories.rewards.profiles.fitness import Source, unfit_component
from trajectories.rewards.profiles.store import unknown_components
from trajectories.rewards.selectors import values_of
from trajectories.rollouts.samplers.course import (
    Criterion,
    Measured,
    Progress,
    Stage,
    measure_criteria,
    progress_make,
    progress_of,
)
from trajectories.rollouts.samplers.strategies.stages import StagesStrategy
from trajectories.rollouts.samplers.types import Pool

STAGES = Statement(__file__, "stages")
EPISODES = Statement(__file__, "stage_episodes")
# This many of a run's newest verdicts are scanned. Nothing is known about a stage without any among them.
SCANNED_MAX = 50_000


def stages_check(strategy: StagesStrategy, tasks: Sequence[int], *, viewer: Viewer) -> None:
    """Refuse a course that cannot be completed with these tasks.

    Raises ``GymError`` 422: ``stage_without_tasks``; ``unknown_reward_component``; ``criterion_refused`` for
    a component that no task of the stage can have, and for a mark outside its range.
    """
    for stage in strategy.stages:
        ours = Task.objects.filter(pk__in=tasks, tags__contains=[stage.tag]).order_by()
        sources = list(ours.values_list("benchmark", "kind").distinct())
        if not sources:
            message = f"Stage {stage.stage} has no tasks: no matching task has the tag {stage.tag!r}."
            raise _refused("stage_without_tasks", message)
        for criterion in stage.until:
            for problem in _problems(criterion, sources, viewer):
                raise _refused("criterion_refused", f"Stage {stage.stage}: {problem}")


def _refused(code: str, message: str) -> GymError:
    return GymError(code, message, status=422, fields={"strategy": [message]})


def _problems(criterion: Criterion, sources: Sequence[Source], viewer: Viewer) -> Iterator[str]:
    component = registry.get_component(criterion.component)
    yield from unknown_components([criterion.component], viewer=viewer)
    unfit = [unfit_component(criterion.component, *source) for source in sorted(sources)]
    if all(unfit):
        yield " ".join(filter(None, unfit))
    high = math.inf if component.high is None else component.high
    for name in ("at_least", "at_most"):
        mark = getattr(criterion, name)
        if mark is not None and not component.low <= mark <= high:
            ends = f"{component.low:g} to {high:g}" if component.high is not None else f"{component.low:g} up"
            yield f"{name} {mark:g} lies outside the range of {criterion.component!r}, {ends}."


def with_stages(pool: Pool, strategy: StagesStrategy, *, sampler: Sampler, number: int, upto: int) -> Pool:
    """Return the pool with the stages of its tasks, and the run's progress at draw ``number``.

    Progress is measured over episodes that were judged up to the position ``upto`` in the run's verdict
    stream."""
    import numpy

    ((column,),) = STAGES.rows(sampler=sampler.pk, mark=STAGE_TAG)
    progress = progress_make(
        strategy.stages,
        lambda stage: _measured(stage, run=sampler.run_id, upto=upto, window=strategy.window),
        before=_progress_before(sampler, number),
        number=number,
        back_beyond=strategy.back_beyond,
    )
    return replace(pool, stages=numpy.frombuffer(column, ">i4").astype("i8"), progress=progress)


def _progress_before(sampler: Sampler, number: int) -> Progress | None:
    summary = SamplerDraw.objects.filter(sampler=sampler, number=number - 1).values_list("summary", flat=True)
    before = summary.first()
    return progress_of(before) if before else None


def _measured(stage: Stage, *, run: int, upto: int, window: int) -> list[Measured]:
    where = {"run": run, "upto": upto, "tag": stage.tag, "window": window}
    ids = [row[0] for row in EPISODES.rows(**where, scanned=SCANNED_MAX, probes=list(PROBE_ARMS))]
    components = [name for criterion in stage.until for name in criterion.components]
    episodes = list(values_of(ids, components=components).values()) if len(ids) >= window else []
    return measure_criteria(stage, episodes, window=window, judged=len(ids))
