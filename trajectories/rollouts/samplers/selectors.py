"""Reads about samplers: their records, their draws, and what they know about their tasks."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from core.database.sql import Statement
from core.errors import GymError
from trajectories.models import Sampler, SamplerDraw
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.rollouts.samplers.plans import SamplerPlan
from trajectories.rollouts.samplers.types import Pool, Prefixes

POOL = Statement(__file__, "pool")
RUN_STATE = Statement(__file__, "run_state")
# The types of the columns of ``pool.sql``, which are big-endian, as Postgres sends them.
POOL_COLUMNS = {
    "tasks": ">i8",
    "difficulty": ">f8",
    "steps": ">i4",
    "correct": ">f8",
    "incorrect": ">f8",
    "judged": ">i4",
    "failures": ">i4",
    "longest": ">i4",
    "drawn": ">i4",
}


class RunState(NamedTuple):
    """The state of a run.

    ``groups`` were completed since a sampler's last draw. In ``degenerate`` of them all rewards are equal, in
    ``teaching`` of them rewards differ, and the rest have fewer than two judged samples. Forks and guided or
    taken-over episodes are left out.
    """

    position: int
    policy_version: int | None
    groups: int
    degenerate: int
    teaching: int


def sampler_get(*, sampler_id: int, principal: Principal, is_locked: bool = False) -> Sampler:
    """Return the sampler. Raises ``GymError`` 404 ``unknown_sampler``, also if the key may not see it."""
    samplers = Sampler.objects.select_for_update(of=("self",)) if is_locked else Sampler.objects.all()
    sampler = projects.visible(samplers.filter(pk=sampler_id), principal).first()
    if sampler is None or not all(principal.sees_split(split) for split in sampler.splits):
        raise GymError("unknown_sampler", f"There is no sampler {sampler_id}.", status=404)
    return sampler


def sampler_list(*, run: int | None, before: int | None, limit: int, principal: Principal) -> list[Sampler]:
    """List samplers, newest first: up to ``limit``, plus one if there is a next page."""
    samplers = projects.visible(Sampler.objects.all(), principal)
    if run is not None:
        samplers = samplers.filter(run=run)
    if before is not None:
        samplers = samplers.filter(pk__lt=before)
    if principal.splits:
        samplers = samplers.filter(splits__contained_by=sorted(principal.splits))
    return list(samplers.order_by("-pk")[: limit + 1])


def draw_list(*, sampler: Sampler, after: int, limit: int) -> list[SamplerDraw]:
    """List draws by number: up to ``limit``, plus one if there is a next page."""
    draws = SamplerDraw.objects.filter(sampler=sampler, number__gt=after)
    return list(draws.order_by("number")[: limit + 1])


def plan_of(sampler: Sampler) -> SamplerPlan:
    return msgspec.convert(sampler.plan, SamplerPlan)


def pool_of(sampler: Sampler) -> Pool:
    """Return what the sampler knows about its tasks, in the order of their ids."""
    import numpy

    (columns,) = POOL.rows(sampler=sampler.pk)
    read: dict[str, Any] = {
        name: numpy.frombuffer(column, kind).astype(kind[1] + "8")
        for (name, kind), column in zip(POOL_COLUMNS.items(), columns, strict=True)
    }
    size = len(read["tasks"])
    return Pool(**read, prefixes=Prefixes.nothing(size), stages=numpy.zeros(size, dtype=numpy.int64))


def run_state(sampler: Sampler) -> RunState:
    (row,) = RUN_STATE.rows(run=sampler.run_id, sampler=sampler.pk, after=sampler.position)
    return RunState(*row)
