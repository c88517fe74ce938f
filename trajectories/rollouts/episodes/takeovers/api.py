"""The calls by which a person takes over an episode, and hands it back."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.bodies import struct_read
from core.schema import call
from trajectories.models import Step
from trajectories.record.api.auth import caller
from trajectories.rollouts.episodes.takeovers import services


class TakeoverIn(Struct, forbid_unknown_fields=True):
    """``person`` is who acts, as the record names them."""

    person: Annotated[str, Meta(min_length=1, max_length=services.NAME_CHARS)]


class TakeoverRecord(Struct):
    """A takeover. The person's are the ``steps`` after ``begins_after``; ``ended_as`` is null until its end,
    also if it has been idle for too long."""

    episode: int
    person: str
    segment: Step.Segment
    begins_after: int
    steps: int
    ended_as: Literal["handed_back", "given_up", "idle", "diverged"] | None


class TakeoverOpened(TakeoverRecord):
    """``url`` is for the person's browser, and works once."""

    url: str


class TakeoverEnd(Struct, forbid_unknown_fields=True):
    how: Literal["handed_back", "given_up"]


class TakeoverView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_takeover",
        "Let a person act in an episode",
        description="Until the person hands it back, the agent's steps are refused with 409 `taken_over`. "
        "A fork in which nothing was done is restored. Who acts in it already gets a new link, and "
        "the old page ends.",
        body=TakeoverIn,
        answers={201: (TakeoverOpened, "The takeover, and where the person begins.")},
        errors=(400, 404, 409, 422),
    )
    # No Idempotency-Key: the answer, which would be stored, holds a link that works. Who calls again gets
    # another one.
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, TakeoverIn)
        record = services.takeover_begin(episode_id=episode_id, person=body.person, principal=caller(request))
        return Response(record, status=201)


class TakeoverEndView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_takeover_end",
        "End a takeover",
        description="What the person does on the page itself by its buttons. Giving up ends the episode.",
        body=TakeoverEnd,
        answers={200: (TakeoverRecord, "The last takeover of the episode.")},
        errors=(400, 404, 409),
    )
    def post(self, request: Request, episode_id: int) -> Response:
        how = struct_read(request.data, TakeoverEnd).how
        return Response(services.takeover_end(episode_id=episode_id, how=how, principal=caller(request)))
