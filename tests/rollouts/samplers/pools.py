"""Pools of simulated tasks, and a simulated policy that plays the tasks drawn from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy

from trajectories.rollouts.samplers.plans import DrawnTask, SamplerPlan, draw_make
from trajectories.rollouts.samplers.types import Pool, Prefixes


def pool(size: int, solutions: Prefixes | None = None, **columns: Any) -> Pool:
    """Make a pool of tasks 1 to ``size``, all of stage 1, about which only ``columns`` are known."""
    fields = {
        "tasks": numpy.arange(1, size + 1),
        "difficulty": numpy.full(size, numpy.nan),
        "steps": numpy.full(size, 10),
        **{name: numpy.zeros(size) for name in ("correct", "incorrect")},
        **{name: numpy.zeros(size, dtype=numpy.int64) for name in ("judged", "failures", "longest", "drawn")},
        "stages": numpy.ones(size, dtype=numpy.int64),
    }
    columns = {name: numpy.asarray(column) for name, column in columns.items()}
    return Pool(**{**fields, **columns}, prefixes=solutions or Prefixes.nothing(size))


def prefixes(of: Any, **columns: Any) -> Prefixes:
    """Make untried solutions with these numbers of steps; all steps but the last can be given as prefix."""
    of = numpy.asarray(of, dtype=numpy.int64)
    nothing = numpy.zeros_like(of)
    tries = {
        name: numpy.zeros((len(of), of.max(initial=0) + 1), dtype=numpy.int64)
        for name in ("judged", "correct")
    }
    fields = {"of": of, "clean": numpy.maximum(of - 1, 0), "shortest": nothing, **tries}
    return Prefixes(**{**fields, **{name: numpy.asarray(column) for name, column in columns.items()}})


def row_of(item: DrawnTask) -> int:
    return item.task - 1


class Simulation:
    """Simulated training: tasks have known success rates, and outcomes are counted as on the server."""

    def __init__(self, plan: SamplerPlan, success: Any, *, seed: int, **columns: Any) -> None:
        self.plan, self.seed = plan, seed
        self.success = numpy.asarray(success, dtype=float)
        self.pool = pool(len(self.success), **columns)
        self.number = self.groups = self.degenerate = self.samples = 0
        self._outcomes = numpy.random.default_rng(seed)

    def draw(self, count: int) -> list[DrawnTask]:
        self.number += 1
        items = draw_make(self.plan, self.pool, seed=self.seed, number=self.number, count=count)
        self.pool.drawn[[row_of(item) for item in items]] += 1
        return items

    def play(self, items: list[DrawnTask]) -> None:
        correct, incorrect = self.pool.correct.copy(), self.pool.incorrect.copy()
        for item in items:
            row, n = row_of(item), item.samples_per_task
            rewards = self._outcomes.random(n) < self.success[row]
            for reward in rewards:
                correct[row] = correct[row] * self.plan.fading + reward
                incorrect[row] = incorrect[row] * self.plan.fading + (not reward)
            self.groups += 1
            self.samples += n
            self.degenerate += rewards.all() or not rewards.any()
        self.pool = replace(self.pool, correct=correct, incorrect=incorrect)

    def train(self, draws: int, count: int) -> float:
        """Train for a number of draws, and return the share of groups with differing rewards."""
        for _ in range(draws):
            self.play(self.draw(count))
        return 1 - self.degenerate / self.groups
