"""A sampler with draws and results, for tests of pages."""

from __future__ import annotations

from typing import Any

import msgspec

from tests import factories
from trajectories.models import ApiKey, Run, Sampler
from trajectories.record.api.auth import Principal
from trajectories.rollouts.samplers import services
from trajectories.rollouts.samplers.plans import SamplerPlan, SamplerTasks

SCOPES = ["trainer", "guidance"]
BAND = {"kind": "success_band", "low": 0.25, "high": 0.75}


def principal_make() -> Principal:
    key = ApiKey.objects.create(name="k", digest=str(ApiKey.objects.count()), prefix="k", scopes=SCOPES)
    return Principal(key_id=key.pk, name="k", scopes=frozenset(SCOPES), splits=frozenset())


def sampler_make(run: Run, *, tasks: int = 6, draws: int = 3, **plan: Any) -> Sampler:
    """Create a sampler with draws, and with results between the draws."""
    principal = principal_make()
    pool = [factories.task(difficulty=number / tasks) for number in range(tasks)]
    sampler = services.sampler_create(
        run_id=run.pk,
        plan=msgspec.convert({"strategy": BAND, **plan}, SamplerPlan),
        filters=SamplerTasks(benchmark="gsm8k"),
        seed=7,
        principal=principal,
    )
    for number in range(1, draws + 1):
        services.sampler_draw(sampler_id=sampler.pk, count=4, number=number, principal=principal)
        for task in pool[:3]:
            group = factories.group(run=run, task=task)
            for outcome in ("correct", "incorrect"):
                factories.verdict(factories.episode(group=group), outcome)
    return sampler
