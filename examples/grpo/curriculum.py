"""Choice of an update's tasks, either in a fixed cyclic order or by one of the server's samplers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra import Client

IN_ORDER = "none"
PUZZLE = "aiw"
SAMPLERS = (IN_ORDER, "uniform", "success_band")


def tasks_filter(rung: str, part: str) -> dict[str, str]:
    """Return the filter for the tasks of a rung, or of the puzzle. ``part`` is "train" or "test"."""
    if rung == PUZZLE:
        return {"benchmark": "reasoning_gym", "split": f"{PUZZLE}_{part}"}
    return {"benchmark": "ladder", "tag": f"rung:{rung}", "split": part}


@dataclass(frozen=True)
class Curriculum:
    """The tasks of a training run. Without ``sampler``, one of the server's, they are used in order."""

    client: Client
    tasks: Sequence[int]
    count: int
    sampler: int | None = None

    @classmethod
    async def open(
        cls, client: Client, *, run: int, tasks: Sequence[int], settings: Mapping[str, Any], seed: int
    ) -> Curriculum:
        """Open a curriculum with the settings ``sampler``, ``pool`` and ``band``.

        A sampler adapts to the results of ``run``.
        """
        count, kind = settings["groups"], settings["sampler"]
        if kind == IN_ORDER:
            return cls(client, tasks, count)
        pool = tasks[: settings["pool"]]
        low, high = settings["band"]
        bounds = {"low": low, "high": high} if kind == "success_band" else {}
        sampler = await client.sampler_create(
            run=run,
            strategy={"kind": kind, **bounds},
            rollouts={"kind": "constant", "count": settings["samples"]},
            tasks={"ids": list(pool)},
            seed=seed,
        )
        return cls(client, pool, count, sampler.id)

    async def choose_tasks(self, update: int) -> list[int]:
        """Return the tasks of an update, counted from 0. They are always the same, even after a crash."""
        if self.sampler is None:
            indexes = range(update * self.count, (update + 1) * self.count)
            return [self.tasks[index % len(self.tasks)] for index in indexes]
        draw = await self.client.sampler_draw(self.sampler, count=self.count, number=update + 1)
        return [item.task for item in draw.items]
