"""Stores abstractions, unless they hold the answer."""

from __future__ import annotations

import hashlib

from core.errors import GymError
from tasks_app.leaks import detection
from tasks_app.models import Task
from trajectories.models import Abstraction, Episode, Run
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import creation, services
from trajectories.rollouts.episodes.abstractions.records import AbstractionIn
from verifiers.types import storable


def abstraction_create(*, body: AbstractionIn, principal: Principal) -> Abstraction:
    """Store an abstraction of a task, in the project of its run, if it has one.

    Raises ``GymError``: 404 ``unknown_run``, ``unknown_episode``; 422 ``unknown_task``, ``other_run``,
    ``guidance_leaks``, and those of ``detection.leaks``.
    """
    task = Task.objects.filter(pk=body.task).first()
    if task is None or not principal.sees_split(task.split):
        message = f"There is no task {body.task}."
        raise GymError("unknown_task", message, status=422, fields={"task": [message]})
    run_id, project = body.run, principal.project or DEFAULT_PROJECT
    if body.episode is not None:
        services.episode_get(episode_id=body.episode, principal=principal)
        run_id = Episode.objects.values_list("run_id", flat=True).get(pk=body.episode)
    if body.run is not None:
        creation.run_load(body.run, principal)
        if body.run != run_id:
            message = f"Episode {body.episode} is of run {run_id}, not of run {body.run}."
            raise GymError("other_run", message, status=422, fields={"run": [message]})
    if run_id is not None:
        project = Run.objects.values_list("project", flat=True).get(pk=run_id)
    text = storable(body.text)
    detection.leaks_refuse(task, text)
    return Abstraction.objects.create(
        task=task,
        project=project,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        author=principal.name,
        run_id=run_id,
        episode_id=body.episode,
    )
