"""Plans of samplers, and the draw that follows from one: pure, given the knowledge about the tasks."""

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


# The keys are the fields of a plan.
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
    """The easiest tasks alone at first: the share ``start`` of them, changing evenly to ``end`` over
    ``draws`` draws. A draw that needs more tasks takes more."""

    start: Share
    end: Share = 1.0
    draws: Annotated[int, Meta(ge=1, le=INT_MAX)] = 100

    def share(self, number: int) -> float:
        return self.start + (self.end - self.start) * min((number - 1) / self.draws, 1.0)


class SamplerPlan(Struct, kw_only=True):
    """Settings of a sampler.

    ``half_life``: a result counts half after so many newer episodes of its task; null: all count alike.
    """

    strategy: AnyStrategy
    rollouts: AnyRollouts = ConstantRollouts()
    horizon: AnyHorizon = TaskHorizon()
    difficulty: DifficultySchedule | None = None
    half_life: Annotated[float, Meta(ge=1, le=1_000_000)] | None = HALF_LIFE

    @property
    def fading(self) -> float:
        """The factor of a result's weight when a newer one comes."""
        return 1.0 if self.half_life is None else 0.5 ** (1 / self.half_life)


class SamplerTasks(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Selection of the tasks.

    A training run draws from training splits alone unless ``evaluation_splits`` is true.
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
    """A task of a draw. ``max_steps`` null: leave it out when opening. ``why`` has a ``reason``, and the
    numbers that the strategy went by: of ``success_band`` the posterior [successes, failures], its mean, the
    probability of the band, and the share of all weight. ``guidance`` is the field of that name when opening;
    null or absent: open without."""

    task: int
    samples_per_task: int
    max_steps: int | None
    why: dict[str, Any]
    guidance: dict[str, Any] | None = None


def draw_make(
    plan: SamplerPlan, pool: Pool, *, seed: int, number: int, count: int, version: int = 0
) -> list[DrawnTask]:
    """Make a sampler's draw ``number`` (from 1): the same for the same pool and seed on any machine."""
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
    """Return the easiest tasks, by their own difficulty; an unknown difficulty counts as the hardest."""
    import numpy

    size = max(least, math.ceil(share * len(pool)))
    return pool.part(numpy.sort(numpy.argsort(pool.difficulty, kind="stable")[:size]))
