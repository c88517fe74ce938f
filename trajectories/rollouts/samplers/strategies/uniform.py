"""Uniform sampling of tasks."""

from __future__ import annotations

from trajectories.rollouts.samplers.types import Chance, Choice, Pool, Strategy, round_share, strategy


@strategy
class UniformStrategy(Strategy, frozen=True, tag="uniform"):
    """Every task with the same probability, and no task twice in a draw."""

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        rows = chance.order(len(pool), "uniform")[:count]
        return [
            Choice(row=int(row), why={"reason": "uniform", "share": round_share(1 / len(pool))})
            for row in rows
        ]
