"""Recording of solutions as episodes of a run, through the API and the arena."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from django.conf import settings

from gymsite.oracle.engine import AnswerPolicy, KnownSite, OracleEngine
from palaestra import Client
from palaestra.commands.intervene import build_config
from palaestra.policies import Solution, Solver
from palaestra.rollouts import Rollout
from tasks_app import kinds
from tasks_app.models import Gold, Task
from tasks_app.sites.records import site_task
from tasks_app.worlds import registry
from tasks_app.worlds.keys import world_arguments
from trajectories.models import Episode, Run, Verdict
from trajectories.models.access import ApiKey, Scope
from trajectories.record.api import auth

KEY_NAME = "record_solutions"


def list_unrecorded(tasks: Sequence[Task], run: Run, arm: str) -> list[Task]:
    """Return the tasks without a correct episode in this arm of the run, not counting forks or guidance."""
    plain = Episode.objects.filter(run=run, arm=arm, parent=None, guidance__isnull=True)
    correct = plain.filter(verdict__outcome=Verdict.Outcome.CORRECT)
    done = set(correct.values_list("task", flat=True))
    return [task for task in tasks if task.pk not in done]


def solutions_record(
    tasks: Sequence[Task],
    run: Run,
    *,
    arm: str,
    lab_url: str,
    on_done: Callable[[Rollout], None] | None = None,
    **engine: Any,
) -> list[Rollout]:
    """Play one episode of each task by its gold. ``engine`` holds settings of the client's engine.

    Raises ``palaestra.errors.ApiError``, ``BrowserMissing`` and ``Unreachable``.
    """
    golds = {gold.task_id: gold for gold in Gold.objects.filter(task__in=tasks, is_current=True)}
    sites = {task.pk: _build_known(task, golds[task.pk]) for task in tasks if task.kind == kinds.SITE}
    solutions = {
        pk: Solution(task=pk, answer=gold.answer, solution=gold.solution) for pk, gold in golds.items()
    }
    policy = AnswerPolicy(Solver(solutions, cast("Any", tasks)), run.grammar)

    async def play(key: str) -> list[Rollout]:
        async with Client(lab_url, key) as client:
            config, numbers = build_config(await client.run(run.pk)), [task.pk for task in tasks]
            async with OracleEngine(client, known=sites, config=config, **engine) as oracle:
                return await oracle.rollout(
                    run=run.pk, tasks=numbers, policy=policy, arm=arm, on_done=on_done
                )

    with key_lent(run) as key:
        return asyncio.run(play(key))


@contextmanager
def key_lent(run: Run) -> Iterator[str]:
    """Create a key of the run's project that is revoked at the end of the block."""
    key = auth.key_create(name=KEY_NAME, scopes=[Scope.TRAINER], project=run.project)
    try:
        yield key
    finally:
        auth.key_revoke(ApiKey.objects.get(digest=auth.key_digest(key)).pk, author=auth.COMMAND)


def _build_known(task: Task, gold: Gold) -> KnownSite:
    site = task.payload["site"]
    world = registry.worlds.get(site).open_world(**world_arguments(task.payload, salt=settings.WORLD_SALT))
    return KnownSite(task=site_task(task, gold), site=site, world=world)
