"""Plans of samplers, and the draw that follows from a plan.

All of it is pure, given what is known about the tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args

from msgspec import Meta, Struct

from core.database.integers import INT_MAX
from core.structs.fields import Id
from trajectories.rollouts.samplers import strategies
from trajectories.rollouts.samplers.budgets import AnyHorizon, AnyRollouts, ConstantRollouts, TaskHorizon
from trajectories.rollouts.samplers.types import STRATEGIES, Chance, Pool, Share, Strategy

STRATEGIES.discover(strategies)
if TYPE_CHECKING:
    AnyStrategy: TypeAlias = Strategy
else:
    AnyStrategy = Union[tuple(plugin for _, plugin in STRATEGIES.items())]  # noqa: UP007


def _by_tag(plugins: Iterable[type[Struct]]) -> dict[str, type[Struct]]:
    return {str(plugin.__struct_config__.tag): plugin for plugin in plugins}


# The keys are names of a plan's fields.
PARTS: Mapping[str, Mapping[str, type[Struct]]] = {
    "strategy": _by_tag(plugin for _, plugin in STRATEGIES.items()),
    "rollouts": _by_tag(get_args(AnyRollouts)),
    "horizon": _by_tag(get_args(AnyHorizon)),
}

IDS_MAX = 100_000
TAGS_MAX = 100
HALF_LIFE = 32.0
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class DifficultySchedule(Struct, forbid_unknown_fields=True, kw_only=True):
    """A schedule that begins with the easiest tasks.

    Draws choose from a share of the tasks, the easiest ones, which changes linearly from ``start`` to ``end``
    over ``draws`` draws. A draw that needs more tasks takes more."""

    start: Share
    end: Share = 1.0
    draws: Annotated[int, Meta(ge=1, le=INT_MAX)] = 100

    def share(self, number: int) -> float:
        return self.start + (self.end - self.start) * min((number - 1) / self.draws, 1.0)


class SamplerPlan(Struct, kw_only=True):
    """Settings of a sampler.

    ``half_life`` is the number of newer episodes of the same task after which a result counts half. If it is
    null, all results count equally.
    """

    strategy: AnyStrategy
    rollouts: AnyRollouts = ConstantRollouts()
    horizon: AnyHorizon = TaskHorizon()
    difficulty: DifficultySchedule | None = None
    half_life: Annotated[float, Meta(ge=1, le=1_000_000)] | None = HALF_LIFE

    @property
    def fading(self) -> float:
        """The factor by which the weight of a result shrinks with each newer result."""
        return 1.0 if self.half_life is None else 0.5 ** (1 / self.half_life)


class SamplerTasks(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The selection of a sampler's tasks.

    A training run draws only from training splits, unless ``evaluation_splits`` is true.
    """

    benchmark: Name | None = None
    split: Name | None = None
    tags: Annotated[list[Name], Meta(max_length=TAGS_MAX)] | None = None
    ids: Annotated[list[Id], Meta(min_length=1, max_length=IDS_MAX)] | None = None
    difficulty_min: Share | None = None
    difficulty_max: Share | None = None
    evaluation_splits: bool = False

    def __post_init__(self) -> None:
        least, most = self.difficulty_min, self.difficulty_max
        if least is not None and most is not None and least > most:
            raise ValueError("difficulty_min must not exceed difficulty_max")


class DrawnTask(Struct):
    """A task of a draw.

    If ``max_steps`` is null, leave it out when opening. ``guidance`` is the value of that field when opening;
    if it is null or absent, open without guidance. ``why`` has a ``reason`` and the numbers on which the
    strategy decided: for ``success_band`` these are the posterior [successes, failures], its mean, the
    probability of the band, and the share of all weight."""

    task: int
    samples_per_task: int
    max_steps: int | None
    why: dict[str, Any]
    guidance: dict[str, Any] | None = None


def draw_make(
    plan: SamplerPlan, pool: Pool, *, seed: int, number: int, count: int, version: int = 0
) -> list[DrawnTask]:
    """Make a sampler's draw ``number``, from 1. The same pool and seed give the same draw on any machine."""
    candidates = (
        pool if plan.difficulty is None else _easiest(pool, plan.difficulty.share(number), least=count)
    )
    choices = plan.strategy.choose(candidates, count=count, chance=Chance(seed, number))
    chosen = candidates.part([choice.row for choice in choices])
    return [
        DrawnTask(
            task=int(task),
            samples_per_task=samples if choice.samples is None else choice.samples,
            max_steps=steps,
            why=choice.why,
            guidance=choice.guidance,
        )
        for task, samples, steps, choice in zip(
            chosen.tasks,
            plan.rollouts.samples(chosen),
            plan.horizon.max_steps(chosen, number=number, version=version),
            choices,
            strict=True,
        )
    ]


def _easiest(pool: Pool, share: float, *, least: int) -> Pool:
    """Return the easiest tasks by their own difficulty. Tasks of unknown difficulty count as the hardest."""
    import numpy

    size = max(least, math.ceil(share * len(pool)))
    return pool.part(numpy.sort(numpy.argsort(pool.difficulty, kind="stable")[:size]))
