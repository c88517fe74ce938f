"""The call that returns an episode's rewards."""

from __future__ import annotations

from msgspec import to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.paging import query_read
from core.schema import call
from trajectories.record.api.auth import caller
from trajectories.rewards import selectors
from trajectories.rewards.api import ProfileQuery
from trajectories.rollouts.episodes import services


class EpisodeRewardsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_rewards",
        "Read what an episode is paid, and for what",
        parameters=[ProfileQuery],
        answers={200: (selectors.Rewards, "Its components and what the profile pays for them.")},
        errors=(400, 404, 409, 422),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        query, principal = query_read(ProfileQuery, request), caller(request)
        run = services.episode_get(episode_id=episode_id, principal=principal).run
        named = selectors.profile_of_run(run, query["profile"], viewer=principal)
        return Response(to_builtins(selectors.episode_rewards(episode_id, named=named)))
