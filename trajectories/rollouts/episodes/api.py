"""API calls that open episodes, record steps and answers, and end episodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from msgspec import Meta, Struct, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import responses as api
from core.api.paging import query_read
from core.api.schema import call
from core.errors import GymError
from core.structs.bodies import struct_read
from core.structs.schema import limit
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.end_reasons import CloseReason
from trajectories.models import Episode, Group
from trajectories.record import projects
from trajectories.record.api.auth import Principal, caller
from trajectories.record.api.hot_view import HotView, read_body
from trajectories.record.api.idempotency import idempotent
from trajectories.rewards import selectors
from trajectories.rewards.api import ProfileQuery
from trajectories.rollouts.episodes import creation, services, step_records
from trajectories.rollouts.episodes.creation_body import Opening

DETAIL_MAX_CHARS = 10_000
Answer = Annotated[str, limit("ANSWER_MAX_CHARS")]


class OpenedEpisode(Struct):
    """An opened episode. ``start_url`` is null in arms without a page.

    ``answer_form`` is the form of an answer that no page takes: one line, a fenced block of lines, a fenced
    program, or values separated by ``|``. ``is_site`` is true if the page belongs to a mock site. ``tools``
    are the task's tools that are called with `tool_calls`; there are none if a page shows them. A fork has a
    ``parent`` and begins after one of the parent's steps.
    """

    id: int
    task: int
    group: int
    sample_index: int
    arm: str
    start_url: str | None
    messages_ref: str
    answer_form: AnswerForm
    is_site: bool
    tools: list[str]
    max_steps: int
    presentation_hash: str
    parent: int | None
    begins_after: int


class Message(Struct):
    """A chat message. ``content`` is a text, or a list of parts if the message has pictures.

    A part is ``{type: text|image_url, ...}``.
    """

    role: str
    content: str | list[dict[str, Any]]


class OpenedEpisodes(Struct):
    """Opened episodes. Messages that several episodes share are sent once, under their ``messages_ref``."""

    episodes: list[OpenedEpisode]
    messages: dict[str, list[Message]]


class EpisodesView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episodes_open",
        "Open a group of episodes for each task",
        body=Opening,
        answers={201: (OpenedEpisodes, "The opened episodes, in the order of `tasks`.")},
        errors=(400, 404, 409, 413, 422, 429),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = struct_read(request.data, Opening)
        return Response(self.opened(body, principal=caller(request)), status=201)

    def opened(self, opening: Opening, *, principal: Principal) -> dict[str, Any]:
        return creation.episodes_open(opening=opening, principal=principal)


class Refill(Struct, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=1, le=10_000)]


class RefillView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "group_refill",
        "Add samples to a group",
        body=Refill,
        answers={201: (OpenedEpisodes, "The new samples.")},
        errors=(400, 404, 409, 413, 429),
    )
    @idempotent
    def post(self, request: Request, group_id: int) -> Response:
        count = struct_read(request.data, Refill).count
        rows = Group.objects.select_related("task").filter(pk=group_id)
        group = projects.visible(rows, caller(request)).first()
        if group is None:
            raise GymError("unknown_group", f"There is no group {group_id}.", status=404)
        return Response(self.opened(group, count=count, principal=caller(request)), status=201)

    def opened(self, group: Group, *, count: int, principal: Principal) -> dict[str, Any]:
        return creation.group_refill(group=group, count=count, principal=principal)


class StepsView(HotView):
    @call(
        "steps_record",
        "Record steps; sending one again changes nothing",
        body=step_records.StepsIn,
        answers={200: (services.StepsAnswer, "The steps that were stored, and the state of the episode.")},
        errors=(400, 404, 409, 413),
    )
    def post(self, request: HttpRequest, episode_id: int) -> HttpResponse:
        """Steps may be sent singly or in batches and in any order, because each has its number.

        Page events are assigned to steps by the header `X-Gym-Step` (the step's number) on the agent's page
        requests and, within a page, by `data-step` on its root element, which must be set before acting.
        Without these, the times `started_at` and `duration_ms` decide. Without times, events belong to no
        step.
        """
        return self.dispatch(request, episode_id=episode_id)

    def handle(self, request: HttpRequest, principal: Principal, **kwargs: Any) -> HttpResponse:
        steps = step_records.steps_read(read_body(request))
        answer = services.steps_record(episode_id=kwargs["episode_id"], steps=steps, principal=principal)
        return api.json_response(answer)


class SubmissionIn(Struct, forbid_unknown_fields=True):
    """An answer: one text, or several where the question asks for a list."""

    answer: Answer | Annotated[list[Answer], Meta(min_length=1, max_length=1_000)]
    number: Annotated[Literal[1, 2], Meta(description="2 for the second answer, which follows `check`.")] = 1


class SubmissionView(HotView):
    @call(
        "submission_send",
        "Submit the answer of an episode that answers through the API",
        body=SubmissionIn,
        answers={202: (services.SubmissionAnswer, "The answer was stored and queued for judging.")},
        errors=(400, 404, 409, 413),
    )
    def post(self, request: HttpRequest, episode_id: int) -> HttpResponse:
        """The first answer counts. Sending the same one again changes nothing; a different one gets a 409.

        In a run with the setting `answer_check`, the first answer is answered by `check`, a text for the
        policy, and the episode stays open for the second answer, which is sent as `number` 2. The number
        distinguishes a second answer from a repeated first one, so both may be sent again. If the policy ends
        the episode before its second answer, the first one counts.
        """
        return self.dispatch(request, episode_id=episode_id)

    def handle(self, request: HttpRequest, principal: Principal, **kwargs: Any) -> HttpResponse:
        body = struct_read(api.parse_json(read_body(request)), SubmissionIn)
        received = services.submission_receive(
            episode_id=kwargs["episode_id"], answer=body.answer, number=body.number, principal=principal
        )
        return api.json_response(received, status=202)


class Close(Struct, forbid_unknown_fields=True):
    reason: CloseReason
    detail: Annotated[str, Meta(max_length=DETAIL_MAX_CHARS)] = ""


class EpisodeRecord(Struct):
    """The state of an episode. ``verdict`` is null until the episode has one."""

    id: int
    run: int
    group: int
    task: int
    arm: str
    sample_index: int
    policy_version: int | None
    status: Episode.Status
    steps_used: int
    max_steps: int
    parent: int | None
    begins_after: int
    presentation_hash: str
    opened_at: str
    finished_at: str | None
    terminated: bool
    truncated: bool
    verdict: dict[str, Any] | None


class CloseView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_close",
        "End an episode",
        description="`reason` decides the verdict unless an answer was submitted.",
        body=Close,
        answers={200: (EpisodeRecord, "The state of the episode.")},
        errors=(400, 404, 409),
    )
    @idempotent
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, Close)
        record = services.episode_close(
            episode_id=episode_id, reason=body.reason, detail=body.detail, principal=caller(request)
        )
        return Response(record)


class Resumption(Struct):
    """The information needed to resume an episode.

    ``drafts`` are the values last typed into the page's fields, by field name. ``answer_form``, ``is_site``
    and ``tools`` are the same as when the episode was opened."""

    start_url: str | None
    answer_form: AnswerForm
    is_site: bool
    tools: list[str]
    next_index: int
    drafts: dict[str, str]


class ResumeView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_resume",
        "Resume an interrupted episode",
        answers={200: (Resumption, "Where to continue.")},
        errors=(404, 409),
    )
    def post(self, request: Request, episode_id: int) -> Response:
        return Response(services.episode_resume(episode_id=episode_id, principal=caller(request)))


class EpisodeRewardsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_rewards",
        "Read an episode's reward and its components",
        parameters=[ProfileQuery],
        answers={200: (selectors.Rewards, "The components and what the profile pays for each.")},
        errors=(400, 404, 409, 422),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        query, principal = query_read(ProfileQuery, request), caller(request)
        run = services.episode_get(episode_id=episode_id, principal=principal).run
        named = selectors.profile_of_run(run, query["profile"], viewer=principal)
        return Response(to_builtins(selectors.episode_rewards(episode_id, named=named)))
