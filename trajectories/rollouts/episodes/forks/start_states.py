"""Start states: forks of a task's scripted solution after its first acts.

They are for curricula that start near the end. The solution is a recorded episode that is correct, was opened
without guidance, and was played throughout by the oracle or a person.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from core.errors import GymError
from tasks_app import kinds
from tasks_app.leaks.checks import LeakChecks
from tasks_app.models import Task
from trajectories.models import Episode, Run, Step
from trajectories.models.access import Scope
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.rewards.profiles.fitness import fitness_check
from trajectories.rollouts.episodes import creation as openings
from trajectories.rollouts.episodes.creation_body import Guidance, Opening
from trajectories.rollouts.episodes.forks import creation
from trajectories.rollouts.episodes.forks.creation import Fork
from trajectories.rollouts.episodes.guidance import START_STATE, TASKS_NAMED, Insert
from trajectories.rollouts.solutions import acts_text, is_leaking, solutions

# A fork takes these from its parent, so the call that opens it may not set them.
INHERITED = ("seed", "recording", "presentation", "answer_channel", "shots")


def is_start_state(opening: Opening) -> bool:
    """Return whether the gym has to open start states, rather than note those that the caller delivers."""
    return opening.guidance is not None and opening.guidance.kind == START_STATE and not opening.guidance.hash


def start_states_open(*, opening: Opening, principal: Principal) -> dict[str, Any]:
    """Open a group of forks of each task's scripted solution. Return the API's ``{"episodes", "messages"}``.

    Raises ``GymError`` 403 ``missing_scope``; 422 ``bad_guidance``, ``no_solution``, ``guidance_leaks``,
    ``unknown_task``, ``profile_unfit``; and the errors of ``forks_open``.
    """
    principal.require(Scope.GUIDANCE)
    guidance = _guidance(opening)
    run = openings.run_load(opening.run, principal)
    tasks = openings.tasks_load(opening.tasks, principal)
    _check_sites(tasks)
    fitness_check(run, [(task.benchmark_id, task.kind) for task in tasks], viewer=principal)
    solutions = _solutions(tasks, run, opening.arm, principal)
    checks = LeakChecks()
    places = {task.pk: _place(guidance, task, solutions[task.pk], checks) for task in tasks}
    forks = [
        Fork(
            episode=solutions[task.pk].pk,
            step=places[task.pk][0],
            count=opening.samples_per_task,
            run=opening.run,
            policy_version=opening.policy_version,
            max_steps=opening.max_steps,
            token_budget=opening.token_budget,
        )
        for task in tasks
    ]
    inserts = [places[task.pk][1] for task in tasks]
    return creation.groups_open(forks=forks, principal=principal, inserts=inserts)[1]


def _guidance(opening: Opening) -> Guidance:
    """Return the guidance of a call. Refuse anything other than the number of acts."""
    guidance = opening.guidance or Guidance(kind=START_STATE)
    names = ("fraction", "steps", "text", "abstraction", "instruction")
    given = [name for name in names if getattr(guidance, name) is not None]
    if len(given) != 1 or given[0] not in ("fraction", "steps"):
        message = f"Guidance of kind {START_STATE!r} takes only fraction or steps."
    elif fixed := [name for name in INHERITED if getattr(opening, name)]:
        message = f"A start state has its scripted solution's {fixed[0]}: leave it out."
    else:
        return guidance
    raise GymError("bad_guidance", message, status=422, fields={"guidance": [message]})


def _check_sites(tasks: Sequence[Task]) -> None:
    """Refuse questions of one page, where a click may give the answer, which a check of texts would miss."""
    if pages := [task for task in tasks if task.kind != kinds.SITE]:
        message = f"Task {pages[0].pk} is one page, where a click may give the answer: use a prefix instead."
        raise GymError("bad_guidance", message, status=422, fields={"tasks": [message]})


def _solutions(tasks: Sequence[Task], run: Run, arm: str, principal: Principal) -> dict[int, Episode]:
    """Return the newest scripted solution of each task."""
    rows = projects.visible(solutions({task.pk for task in tasks}, run=run, arm=arm), principal)
    recorded = {row.task_id: row for row in rows}
    if missing := [task for task in tasks if task.pk not in recorded]:
        named = ", ".join(str(task.pk) for task in missing[:TASKS_NAMED])
        message = (
            f"There is no scripted solution on record of task {named}: a correct episode of the arm {arm!r} "
            f"that the oracle or a person played, in a run with the observation and grammar of run {run.pk}."
        )
        raise GymError("no_solution", message, status=422, fields={"tasks": [message]})
    return recorded


def _place(guidance: Guidance, task: Task, solution: Episode, checks: LeakChecks) -> tuple[int, Insert]:
    """Return the act after which the forks begin, and the insert that they store.

    Acts that amount to a whole solution, or that write the answer, are refused. A click writes nothing.
    """
    total = Step.objects.filter(episode=solution).count()
    count = guidance.steps or max(1, math.ceil((guidance.fraction or 0) * total))
    text = acts_text(solution.pk, count)
    if count >= total or is_leaking(task, text, checks):
        acted = f"The first {min(count, total)} of {total} acts of the solution of task {task.pk}"
        message = f"{acted} contain its answer."
        raise GymError("guidance_leaks", message, status=422, fields={"guidance": [message]})
    sha256 = hashlib.sha256(f"{solution.pk} {count} {text}".encode()).hexdigest()
    size = {"fraction": guidance.fraction or count / total, "steps": count, "of": total}
    return count, Insert({"kind": START_STATE, "hash": sha256, **size, "episode": solution.pk})
