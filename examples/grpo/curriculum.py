"""Which tasks an update plays: all in one order, over and over, or what a sampler of the server draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra import Client

IN_ORDER = "none"
PUZZLE = "aiw"
SAMPLERS = (IN_ORDER, "uniform", "success_band")


def tasks_filter(rung: str, part: str) -> dict[str, str]:
    """The tasks of a rung of the ladder, or of the short puzzle; ``part`` is "train" or "test"."""
    if rung == PUZZLE:
        return {"benchmark": "reasoning_gym", "split": f"{PUZZLE}_{part}"}
    return {"benchmark": "ladder", "tag": f"rung:{rung}", "split": part}


@dataclass(frozen=True)
class Curriculum:
    """``sampler`` is the server's, and draws from ``tasks``; None: they come in order, over and over."""

    client: Client
    tasks: Sequence[int]
    count: int
    sampler: int | None = None

    @classmethod
    async def open(
        cls, client: Client, *, run: int, tasks: Sequence[int], settings: Mapping[str, Any], seed: int
    ) -> Curriculum:
        """By the settings ``sampler``, ``pool`` and ``band``. A sampler goes by the results of ``run``."""
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

    async def tasks_of(self, update: int) -> list[int]:
        """Those of an update, from 0; asked again they are the same, also after a crash."""
        if self.sampler is None:
            places = range(update * self.count, (update + 1) * self.count)
            return [self.tasks[place % len(self.tasks)] for place in places]
        draw = await self.client.sampler_draw(self.sampler, count=self.count, number=update + 1)
        return [item.task for item in draw.items]
