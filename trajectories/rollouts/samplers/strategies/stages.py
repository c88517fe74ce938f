"""Tasks of one stage after another, each until its criteria hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from trajectories.rollouts.samplers.course import Criterion, Stage
from trajectories.rollouts.samplers.types import Chance, Choice, Pool, Share, Strategy, strategy

if TYPE_CHECKING:
    from trajectories.rollouts.samplers.types import Integers

STAGES_MAX = 20
TOOL_USE = (
    Stage(
        stage=1,
        until=(
            Criterion(component="needed", measure="precision", at_least=0.9),
            Criterion(component="needed", measure="recall", at_least=0.9),
        ),
    ),
    Stage(stage=2, until=(Criterion(component="selection", at_least=0.8),)),
    Stage(
        stage=3,
        until=(
            Criterion(component="arguments", at_least=0.9),
            Criterion(component="call_results", at_least=0.9),
        ),
    ),
    Stage(
        stage=4,
        until=(Criterion(component="redundant", at_most=0.1), Criterion(component="outcome", at_least=0.8)),
    ),
)


@strategy
class StagesStrategy(Strategy, frozen=True, tag="stages"):
    """Tasks of the stage that the run has reached, and a share ``earlier`` of tasks from stages before it.

    A stage's tasks are tagged ``stage:N``. The next of ``stages`` begins when all criteria of the current one
    hold over the newest ``window`` judged episodes of its tasks in the run. With ``back_beyond``, the course
    returns to a stage if one of its values misses its mark by more than that. Tasks that were drawn least
    often come first; a draw has fewer tasks than requested if the stages so far have no more.

    The default stages are those of a primer on agentic RL: when to call a tool, which one, how, and several
    in one task. The primer names what is measured in each stage; the marks are ours.
    """

    stages: Annotated[tuple[Stage, ...], Meta(min_length=1, max_length=STAGES_MAX)] = TOOL_USE
    window: Annotated[int, Meta(ge=10, le=5_000)] = 200
    earlier: Share = 0.2
    back_beyond: Share | None = None

    def __post_init__(self) -> None:
        numbers = [one.stage for one in self.stages]
        for place, number in enumerate(numbers):
            if number in numbers[:place]:
                raise ValueError(f"stage {number} occurs twice, so the course would go round in a circle")
            if not self.stages[place].until and place + 1 < len(numbers):
                raise ValueError(
                    f"stage {number} has no criteria, so stage {numbers[place + 1]} never begins"
                )

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        import numpy

        reached = pool.progress.stage if pool.progress else self.stages[0].stage
        numbers = [one.stage for one in self.stages]
        passed = numbers[: numbers.index(reached)]
        order: Integers = numpy.lexsort((chance.uniforms(len(pool), "stages"), pool.drawn))
        own = order[pool.stages[order] == reached]
        others = order[numpy.isin(pool.stages[order], passed)]
        repeated = min(math.ceil(self.earlier * count), len(others))
        own = own[: count - repeated]
        chosen = [*own, *others[: count - len(own)]]
        return [self._choice(int(row), int(pool.stages[row]), reached) for row in chosen]

    @staticmethod
    def _choice(row: int, stage: int, reached: int) -> Choice:
        reason = "stage" if stage == reached else "earlier_stage"
        return Choice(row=row, why={"reason": reason, "stage": stage, "reached": reached})
