"""The creation of samplers, and their draws. A draw is made once, under its sampler's lock, and stored."""

from __future__ import annotations

import math
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import msgspec
from django.db import transaction
from msgspec import Meta, Struct

from core.database.sql import Statement
from core.episodes import splits
from core.errors import GymError
from palaestra.protocol.arms import PROBE_ARMS
from tasks_app import selectors as task_selectors
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import SPARE_STEPS, STEPS_PER_ORACLE_STEP, Task
from tasks_app.registry import benchmarks
from trajectories.models import Run, Sampler, SamplerDraw
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal
from trajectories.rewards.profiles.fitness import fitness_check
from trajectories.rollouts.runs import selectors as run_selectors
from trajectories.rollouts.samplers import selectors
from trajectories.rollouts.samplers.course import Progress
from trajectories.rollouts.samplers.plans import DrawnTask, SamplerPlan, SamplerTasks, draw_make
from trajectories.rollouts.samplers.prefixes import (
    build_acts_check,
    build_steps_check,
    find_solutions,
    prefixes_complete,
    read_prefixes,
    read_starts,
)
from trajectories.rollouts.samplers.selectors import RunState
from trajectories.rollouts.samplers.stages import stages_check, with_stages
from trajectories.rollouts.samplers.strategies.paired import PairedStrategy
from trajectories.rollouts.samplers.strategies.stages import StagesStrategy
from trajectories.rollouts.samplers.types import PREFIX, START_STATE, Pool, round_share

TASKS_MAX = 100_000
SEED_BITS = 63
SHOWN_MAX = 10
# A sampler that joins a long run counts its history in batches, so that each statement stays within the time
# limit.
VERDICTS_AT_ONCE = 100_000
LEAST_WEIGHT = 1e-12

# The upper limits of "easy" and "middle"; everything else is "hard".
EASY, MIDDLE = 1 / 3, 2 / 3


class Result(NamedTuple):
    """The results of one task: the numbers of judged and of correct episodes."""

    difficulty: float | None
    judged: int
    correct: int


class ResultTally(Struct):
    judged: int
    correct: int


class DrawSummary(Struct):
    """The summary of a draw. ``results`` and groups are those since the previous draw."""

    reasons: Annotated[dict[str, int], Meta(description="Number of tasks drawn, by reason.")]
    tried: Annotated[int, Meta(description="Number of tasks in the pool with a result.")]
    tasks: Annotated[int, Meta(description="Number of tasks drawn at least once before.")]
    samples: Annotated[int, Meta(description="Number of episodes that the draw asks for.")]
    max_steps: Annotated[
        list[int] | None, Meta(description="Minimum and maximum; null if left to the tasks.")
    ]
    mean: Annotated[float | None, Meta(description="Mean posterior success of the drawn tasks.")]
    results: Annotated[
        dict[str, ResultTally], Meta(description="By difficulty: easy, middle, hard, unknown.")
    ]
    groups: Annotated[
        int, Meta(description="Number of groups of plain episodes completed since the previous draw.")
    ]
    degenerate: Annotated[
        int, Meta(description="Number of these groups with two or more judged samples and equal rewards.")
    ]
    teaching: Annotated[
        int | None,
        Meta(
            description="Number of these groups whose rewards differ. Absent in draws made before it was "
            "counted, in which `degenerate` counts all other groups."
        ),
    ] = None
    count: Annotated[
        int | None, Meta(description="Number of tasks requested. Absent if each of them is an item.")
    ] = None
    progress: Annotated[
        Progress | None,
        Meta(description="For the strategy `stages`: the stage that the run has reached, and its criteria."),
    ] = None


def summary_make(
    items: Sequence[DrawnTask], pool: Pool, *, results: Sequence[Result], state: RunState, count: int
) -> dict[str, object]:
    """Return the summary of a draw in the form in which it is stored."""
    steps = [item.max_steps for item in items if item.max_steps is not None]
    means = [item.why["mean"] for item in items if "mean" in item.why]
    summary = DrawSummary(
        reasons=dict(Counter(item.why["reason"] for item in items)),
        tried=int((pool.judged > 0).sum()),
        tasks=int((pool.drawn > 0).sum()),
        samples=sum(item.samples_per_task for item in items),
        max_steps=[min(steps), max(steps)] if steps else None,
        mean=round_share(sum(means) / len(means)) if means else None,
        results=_by_difficulty(results),
        groups=state.groups,
        degenerate=state.degenerate,
        teaching=state.teaching,
        count=count,
        progress=pool.progress,
    )
    stored: dict[str, object] = msgspec.to_builtins(summary)
    return stored


def difficulty_name(difficulty: float | None) -> str:
    if difficulty is None:
        return "unknown"
    return "easy" if difficulty <= EASY else "middle" if difficulty <= MIDDLE else "hard"


def _by_difficulty(results: Sequence[Result]) -> dict[str, ResultTally]:
    tallies: dict[str, ResultTally] = {}
    for result in results:
        tally = tallies.setdefault(difficulty_name(result.difficulty), ResultTally(judged=0, correct=0))
        tally.judged += result.judged
        tally.correct += result.correct
    return tallies


TASKS_INSERT = Statement(__file__, "tasks_insert")
PREFIXES_COUNT = Statement(__file__, "prefixes_count")
RESULTS_COUNT = Statement(__file__, "results_count")
DRAW_STORE = Statement(__file__, "draw_store")


@transaction.atomic
def sampler_create(
    *, run_id: int, plan: SamplerPlan, filters: SamplerTasks, seed: int | None, principal: Principal
) -> Sampler:
    """Create a sampler for a run, over the tasks that match now.

    Raises ``GymError``: 403 ``missing_scope``; 404 ``unknown_run``; 422 ``unknown_benchmark``,
    ``unknown_split``, ``unknown_task``, ``evaluation_split``, ``no_tasks``, ``too_many_tasks``,
    ``profile_unfit``; and the errors of ``stages.stages_check``.
    """
    run = run_selectors.run_get(run_id, principal=principal)
    _check_guidance(plan, principal)
    tasks, splits = _tasks_choose(run, filters, principal)
    sources = Task.objects.filter(pk__in=tasks).order_by().values_list("benchmark", "kind").distinct()
    fitness_check(run, sources, viewer=principal)
    if isinstance(plan.strategy, StagesStrategy):
        stages_check(plan.strategy, tasks, viewer=principal)
    sampler = Sampler.objects.create(
        run=run,
        plan=msgspec.to_builtins(plan),
        filters=msgspec.to_builtins(filters),
        splits=splits,
        seed=secrets.randbits(SEED_BITS) if seed is None else seed,
        size=len(tasks),
        created_by_id=principal.key_id,
    )
    TASKS_INSERT.run(
        sampler=sampler.pk, tasks=tasks, steps_per_oracle_step=STEPS_PER_ORACLE_STEP, spare_steps=SPARE_STEPS
    )
    sampler.refresh_from_db()
    return sampler


@transaction.atomic
def sampler_draw(*, sampler_id: int, count: int, number: int | None, principal: Principal) -> SamplerDraw:
    """Draw ``count`` tasks, or return a draw that was made before.

    ``number`` is the number of the draw, from 1; without it the next draw is made. Raises ``GymError``: 403
    ``missing_scope``; 404 ``unknown_sampler``; 409 ``draw_exists`` (made with another count), ``draw_ahead``
    (an earlier one was never made); 422 ``too_few_tasks``; and the errors of ``prefixes.prefixes_complete``.
    """
    sampler = selectors.sampler_get(sampler_id=sampler_id, principal=principal, is_locked=True)
    _check_guidance(selectors.plan_of(sampler), principal)
    if number is not None and number <= sampler.draws:
        return _draw_again(sampler, number=number, count=count)
    following = sampler.draws + 1
    if number is not None and number > following:
        message = f"The next draw of sampler {sampler_id} is {following}; {number} would skip some."
        raise GymError("draw_ahead", message, status=409, fields={"number": [message]})
    if count > sampler.size:
        message = f"Sampler {sampler_id} has only {sampler.size:,} tasks, and a draw contains no task twice."
        raise GymError("too_few_tasks", message, status=422, fields={"count": [message]})
    return _draw(sampler, number=following, count=count)


def _draw(sampler: Sampler, *, number: int, count: int) -> SamplerDraw:
    plan = selectors.plan_of(sampler)
    state = selectors.run_state(sampler)
    results = _results_count(sampler, plan, upto=state.position)
    pool = selectors.pool_of(sampler)
    if isinstance(plan.strategy, StagesStrategy):
        pool = with_stages(pool, plan.strategy, sampler=sampler, number=number, upto=state.position)
    items = _items_make(sampler, plan, pool, number=number, count=count, version=state.policy_version or 0)
    draw = SamplerDraw(
        sampler=sampler,
        number=number,
        position=state.position,
        policy_version=state.policy_version,
        items=msgspec.to_builtins(items),
        summary=summary_make(items, pool, results=results, state=state, count=count),
    )
    ((draw.pk, draw.created_at),) = DRAW_STORE.rows(
        sampler=sampler.pk,
        number=number,
        position=state.position,
        policy_version=state.policy_version,
        tasks=[item.task for item in items],
        items=msgspec.json.encode(draw.items).decode(),
        summary=msgspec.json.encode(draw.summary).decode(),
    )
    return draw


def _items_make(
    sampler: Sampler, plan: SamplerPlan, pool: Pool, *, number: int, count: int, version: int
) -> list[DrawnTask]:
    """Make the items of a draw.

    Only solutions of drawn tasks are examined. Since that may change what is drawn, it is repeated until
    everything needed is known.
    """
    strategy = plan.strategy
    if not strategy.is_guiding:
        return draw_make(plan, pool, seed=sampler.seed, number=number, count=count, version=version)
    searched, kind, arm, checks = None, PREFIX, "", LeakChecks()
    if isinstance(strategy, PairedStrategy):
        searched, kind, arm = strategy.searched or sampler.run_id, strategy.guidance, strategy.arm
    recorded = find_solutions(sampler, arm=arm) if kind == START_STATE else {}
    prefixes = read_starts(recorded, pool) if kind == START_STATE else read_prefixes(sampler, pool)
    known: Pool | None = replace(pool, prefixes=prefixes)
    while known is not None:
        pool = known
        items = draw_make(plan, pool, seed=sampler.seed, number=number, count=count, version=version)
        clean_of = (
            build_acts_check(recorded, items, checks) if kind == START_STATE else build_steps_check(checks)
        )
        known = prefixes_complete(pool, items, kind=kind, searched=searched, clean_of=clean_of)
    return items


def _draw_again(sampler: Sampler, *, number: int, count: int) -> SamplerDraw:
    draw = SamplerDraw.objects.get(sampler=sampler, number=number)
    made = draw.summary.get("count", len(draw.items))
    if made != count:
        message = f"Draw {number} was made with {made} tasks, not {count}, and cannot be changed."
        raise GymError("draw_exists", message, status=409, fields={"count": [message]})
    return draw


def _results_count(sampler: Sampler, plan: SamplerPlan, *, upto: int) -> list[Result]:
    """Count the verdicts since the last draw. Return one entry for each task with results."""
    results: list[Result] = []
    oldest = 0 if plan.fading == 1.0 else math.ceil(math.log(LEAST_WEIGHT) / math.log(plan.fading))
    for after in range(sampler.position, upto, VERDICTS_AT_ONCE):
        part = {
            "sampler": sampler.pk,
            "run": sampler.run_id,
            "after": after,
            "upto": min(after + VERDICTS_AT_ONCE, upto),
        }
        rows = RESULTS_COUNT.rows(
            **part,
            keep=plan.fading,
            oldest=oldest,
            probes=list(PROBE_ARMS),
            has_lengths=plan.horizon.needs_lengths,
        )
        if plan.strategy.is_guiding:
            PREFIXES_COUNT.run(**part)
        results += [Result(*row) for row in rows]
    return results


def _check_guidance(plan: SamplerPlan, principal: Principal) -> None:
    if plan.strategy.is_guiding:
        principal.require(Scope.GUIDANCE)
    if isinstance(plan.strategy, PairedStrategy) and plan.strategy.searched is not None:
        run_selectors.run_get(plan.strategy.searched, principal=principal)


def _tasks_choose(run: Run, filters: SamplerTasks, principal: Principal) -> tuple[list[int], list[str]]:
    """Return the ids and the splits of the matching tasks that the run and the key may use."""
    if filters.benchmark is not None:
        benchmarks.get(filters.benchmark)
    task_filter = task_selectors.TaskFilter(
        benchmark=filters.benchmark,
        split=filters.split,
        splits=sorted(principal.splits) or None,
        tags=filters.tags,
        ids=filters.ids,
        difficulty_min=filters.difficulty_min,
        difficulty_max=filters.difficulty_max,
    )
    rows = task_selectors.task_splits(task_filter, limit=TASKS_MAX + 1)
    if not rows:
        task_selectors.split_check(task_filter)
    _check_ids(filters, rows)
    if run.kind == Run.Kind.TRAIN and not filters.evaluation_splits:
        rows = _training_rows(filters, rows)
    if not rows:
        raise GymError("no_tasks", "No task matches these filters.", status=422)
    if len(rows) > TASKS_MAX:
        message = f"More than {TASKS_MAX:,} tasks match, which is the limit of a sampler: filter further."
        raise GymError("too_many_tasks", message, status=422)
    return [task for task, _ in rows], sorted({split for _, split in rows})


def _check_ids(filters: SamplerTasks, rows: Sequence[tuple[int, str]]) -> None:
    missing = sorted(set(filters.ids or ()) - {task for task, _ in rows})
    if missing:
        shown = ", ".join(map(str, missing[:SHOWN_MAX]))
        message = f"No task {shown}{' and others' if len(missing) > SHOWN_MAX else ''} matches the filters."
        raise GymError("unknown_task", message, status=422, fields={"ids": [message]})


def _training_rows(filters: SamplerTasks, rows: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the rows of training splits. Refuse evaluation tasks that were named, never drop them."""
    training = [(task, split) for task, split in rows if splits.is_training(split)]
    is_named = filters.split is not None or filters.ids is not None
    if len(training) < len(rows) and (is_named or not training):
        others = sorted({split for _, split in rows if not splits.is_training(split)})
        message = (
            f"A training run does not draw from {others[0]!r}, which is not a training split. "
            "Set evaluation_splits to true to allow it."
        )
        raise GymError("evaluation_split", message, status=422, fields={"split": [message]})
    return training
