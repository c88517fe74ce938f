"""Taking over from a step: directly in a running episode, as a fork of an ended one."""

from __future__ import annotations

from http import HTTPStatus

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render

from core.errors import GymError
from trajectories.models import Episode
from trajectories.rollouts.episodes.forks import creation
from trajectories.rollouts.episodes.forks.body import Fork
from trajectories.rollouts.episodes.takeovers import services
from trajectories.shell.access import LabRequest, lab_action, principal_of
from trajectories.shell.queries import episodes


@lab_action
def step_takeover(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Take over after step ``index``; show only this reader the link, which works once."""
    episode = episodes.episode_get(episode_id)
    context = {"episode": episode, "run": episode.run, "index": index, "here": "search"}
    principal = principal_of(request.user)
    try:
        # Both or neither: a fork that nobody can take over would stay open.
        with transaction.atomic():
            if episode.status != Episode.Status.OPEN:
                services.setup_check(episode)
                fork = Fork(episode=episode_id, step=index)
                opened = creation.forks_open(forks=[fork], principal=principal)
                episode_id = opened["episodes"][0]["id"]
            record = services.takeover_begin(
                episode_id=episode_id, person=principal.name, principal=principal
            )
    except GymError as error:
        context["error"] = error
        return render(request, "lab/step/takeover.html", context, status=error.status)
    return render(
        request, "lab/step/takeover.html", {**context, "takeover": record}, status=HTTPStatus.CREATED
    )
