"""API calls that fork episodes and restore forks."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from msgspec import structs
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.responses import json_response
from core.api.schema import call
from core.structs.bodies import struct_read
from trajectories.models import Group
from trajectories.record.api.auth import Principal, caller
from trajectories.record.api.hot_view import HotView
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.episodes import api
from trajectories.rollouts.episodes.creation_body import Opening
from trajectories.rollouts.episodes.forks import creation, lineage, start_states
from trajectories.rollouts.episodes.forks.creation import Fork, Forks, ForkSettings
from trajectories.rollouts.episodes.opening_messages import FORK

OPENED = {201: (api.OpenedEpisodes, "The opened forks.")}
ERRORS = (400, 404, 409, 413, 422, 429)


class ForkView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_fork",
        "Fork an episode",
        description="Opens episodes that start in the state of an ended one after one of its steps. A fork "
        "with a page waits until it is restored. `messages` are those that opened the parent.",
        body=ForkSettings,
        answers=OPENED,
        errors=ERRORS,
    )
    @idempotent
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, ForkSettings)
        fork = Fork(episode=episode_id, **structs.asdict(body))
        return Response(creation.forks_open(forks=[fork], principal=caller(request)), status=201)


class ForksView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "forks_open",
        "Fork several episodes",
        description="The opened forks, in the order of `forks`. Either all are opened or none.",
        body=Forks,
        answers=OPENED,
        errors=ERRORS,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        forks = struct_read(request.data, Forks).forks
        return Response(creation.forks_open(forks=forks, principal=caller(request)), status=201)


class RestoreView(HotView):
    @call(
        "episode_restore",
        "Bring a fork to its parent's state",
        description="Copies what the server did for the parent, and returns how to restore the page. With "
        "the header `X-Gym-As-Of: n` the arena answers as it did at site event `n` and stores nothing.",
        answers={200: (lineage.Recipe, "The actions to repeat, and the outcomes to expect.")},
        errors=(404, 409),
    )
    def post(self, request: HttpRequest, episode_id: int) -> HttpResponse:
        return self.dispatch(request, episode_id=episode_id)

    def handle(self, request: HttpRequest, principal: Principal, **kwargs: Any) -> HttpResponse:
        return json_response(lineage.fork_restore(episode_id=kwargs["episode_id"], principal=principal))


class EpisodesView(api.EpisodesView):
    """View that lists and opens episodes, including start states, which are opened as forks."""

    def opened(self, opening: Opening, *, principal: Principal) -> dict[str, Any]:
        if start_states.is_start_state(opening):
            return start_states.start_states_open(opening=opening, principal=principal)
        return super().opened(opening, principal=principal)


class RefillView(api.RefillView):
    """View that adds samples to groups. In a group of forks, the new samples are forks as well."""

    def opened(self, group: Group, *, count: int, principal: Principal) -> dict[str, Any]:
        if FORK in group.settings:
            return creation.group_refill(group=group, count=count, principal=principal)
        return super().opened(group, count=count, principal=principal)
