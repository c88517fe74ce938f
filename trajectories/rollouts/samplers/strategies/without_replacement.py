"""Epochs, in which no task is drawn again before every other one has been."""

from __future__ import annotations

from trajectories.rollouts.samplers.types import Chance, Choice, Pool, Strategy, strategy


@strategy
class WithoutReplacementStrategy(Strategy, frozen=True, tag="without_replacement"):
    """Epochs, each in a new random order: no task is drawn again before every other one has been.

    A draw takes the tasks that were drawn least often, so one epoch may end and the next begin within it.
    Tasks that join later, by a schedule of difficulty, catch up first.
    """

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        import numpy

        rows = numpy.lexsort((chance.uniforms(len(pool), "epoch"), pool.drawn))[:count]
        return [
            Choice(row=int(row), why={"reason": "epoch", "epoch": int(pool.drawn[row]) + 1}) for row in rows
        ]
