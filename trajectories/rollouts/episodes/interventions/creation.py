"""Opening of interventions: forks that continue from a text that replaces part of the policy's message."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from django.conf import settings
from django.db import transaction
from msgspec import UNSET, Meta, Struct, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.database.integers import INT_MAX
from core.errors import GymError
from core.structs.bodies import struct_read
from core.structs.fields import Id, Positive
from core.structs.schema import limit
from tasks_app.leaks import detection
from tasks_app.models import Task
from trajectories.behaviour.thoughts.substeps import substep_spans
from trajectories.models import Episode, Intervention
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal, caller
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.episodes import services
from trajectories.rollouts.episodes.api import Message, OpenedEpisode
from trajectories.rollouts.episodes.forks import creation as forks
from trajectories.rollouts.episodes.forks.creation import SAMPLES_MAX, Fork
from trajectories.rollouts.episodes.forks.lineage import turns_until
from trajectories.rollouts.episodes.interventions import selectors
from trajectories.rollouts.episodes.interventions.messages import content_of, problem_of
from trajectories.rollouts.episodes.interventions.selectors import intervention_records

AUTHOR_CHARS = 200
Place = Annotated[int, Meta(ge=1, le=INT_MAX)]
# Continuations keep their parent's guidance and cannot be given another.
FORK_SETTINGS = set(Fork.__struct_fields__) - {"episode", "step", "guidance"}
QUOTED_CHARS = 80


class InterventionIn(Struct, forbid_unknown_fields=True, kw_only=True):
    """A new intervention: ``text`` replaces what the policy wrote in ``step`` from ``substep`` on.

    ``step`` and ``substep`` count from 1. The policy's text before the substep is kept, and the rest is
    dropped. ``author`` names the person or the policy that wrote the new text. With a ``count`` of 0, no
    continuation is opened until the group is refilled. The other settings are those of forks.
    """

    step: Place
    substep: Place
    text: Annotated[str, limit("THOUGHT_MAX_CHARS")]
    author_kind: Intervention.Author = Intervention.Author.POLICY
    author: Annotated[str, Meta(max_length=AUTHOR_CHARS)] = ""
    count: Annotated[int, Meta(ge=0, le=SAMPLES_MAX)] = 1
    run: Id | None = None
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    max_steps: Positive | None = None
    token_budget: Positive | None = None


class Span(Struct):
    """A part of a message's content, in characters.

    It was either ``copied`` from the parent's policy or written as the ``intervention``."""

    kind: Literal["copied", "intervention"]
    begin: int
    end: int


class Prefill(Message):
    """The beginning of an assistant message, which the model continues."""

    prefill: Literal[True]
    spans: list[Span]


class Continuations(Struct):
    """Results of the continuations.

    ``success_rate`` is the share of ``correct`` among ``judged``, null if none are judged. Void episodes
    count in neither.
    """

    opened: int
    judged: int
    correct: int
    void: int
    success_rate: float | None


class InterventionRecord(Struct):
    """An intervention with the results of its continuations.

    ``run`` and ``group`` are those of the continuations, and ``episode`` is their parent.
    """

    id: int
    run: int
    group: int
    episode: int
    step: int
    substep: int
    text: str
    sha256: str
    author_kind: Intervention.Author
    author: str
    created_at: str
    message: Prefill
    continuations: Continuations


class InterventionPage(Struct):
    """A page of interventions. ``next`` is null on the last page."""

    results: list[InterventionRecord]
    next: str | None


class OpenedIntervention(Struct):
    """Forks that continue the ``message`` of the ``intervention``, which is the last of their messages."""

    intervention: InterventionRecord
    episodes: list[OpenedEpisode]
    messages: dict[str, list[Message]]


class Substep(Struct):
    """A substep of a message. ``begin`` and ``end`` are character positions in the message's content."""

    number: int
    begin: int
    end: int
    text: str


class StepSubsteps(Struct):
    """The substeps of a step.

    ``problem`` gives the reason why none of them can be replaced; it is empty if each can.
    """

    step: int
    problem: str
    substeps: list[Substep]


class EpisodeSubsteps(Struct):
    steps: list[StepSubsteps]


class InterventionsQuery(Query, kw_only=True):
    run: Annotated[Id | UnsetType, Meta(description="The run of the continuations.")] = UNSET
    episode: Annotated[Id | UnsetType, Meta(description="The parent of the continuations.")] = UNSET


def intervention_open(*, episode_id: int, body: InterventionIn, principal: Principal) -> dict[str, Any]:
    """Store an intervention and open its continuations, either both or neither.

    With a count of 0, no continuation is opened. Returns the API's ``{"intervention", "episodes",
    "messages"}``. Raises ``GymError`` 403 ``missing_scope``, because refusals reveal the answer; 413
    ``intervention_too_long``; 422 ``intervention_empty``, ``intervention_leaks``, ``cannot_go_on``,
    ``no_such_step``, ``no_such_substep``; and the errors of ``forks_open`` and of the leak check.
    """
    principal.require(Scope.GUIDANCE, Scope.GOLDS)
    services.episode_get(episode_id=episode_id, principal=principal)
    parent = Episode.objects.select_related("run", "task").get(pk=episode_id)
    text = body.text.strip()
    if not text:
        message = "An intervention needs a text of at least one word."
        raise GymError("intervention_empty", message, status=422, fields={"text": [message]})
    copied = _copy(parent, step=body.step, substep=body.substep)
    _check_length(len(copied), len(text))
    _check_leaks(parent.task, text, copied=copied)
    fork = Fork(
        episode=episode_id, step=body.step - 1, **{name: getattr(body, name) for name in FORK_SETTINGS}
    )
    with transaction.atomic():
        groups, opened = forks.groups_open(forks=[fork], principal=principal)
        intervention = Intervention.objects.create(
            group_id=groups[0],
            episode=parent,
            step=body.step,
            substep=body.substep,
            copied=copied,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            author_kind=body.author_kind,
            author=body.author,
        )
        intervention.refresh_from_db()
    return {"intervention": intervention_records([intervention])[0], **opened}


def _copy(parent: Episode, *, step: int, substep: int) -> str:
    """Return the text that the policy wrote in a step before a substep.

    Raises ``GymError`` 422 ``no_such_step``, ``cannot_go_on``, ``no_such_substep``.
    """
    turns = turns_until(parent.pk, step, since=step)
    if not turns:
        message = f"Episode {parent.pk} has no step {step}."
        raise GymError("no_such_step", message, status=422, fields={"step": [message]})
    if problem := problem_of(turns[-1].raw, turns[-1].thought, parent):
        message = f"No model can continue within step {step} of episode {parent.pk}. {problem}"
        raise GymError("cannot_go_on", message, status=422, fields={"step": [message]})
    content = content_of(turns[-1].raw, parent)
    spans = substep_spans(content)
    if substep > len(spans):
        message = f"Step {step} of episode {parent.pk} has {len(spans)} substeps: blocks between blank lines."
        raise GymError("no_such_substep", message, status=422, fields={"substep": [message]})
    return content[: spans[substep - 1][0]]


def _check_leaks(task: Task, text: str, *, copied: str) -> None:
    if leaks := detection.leaks_behind(task, text, before=copied):
        places = ", ".join(
            f"“{text[leak.start : leak.end][:QUOTED_CHARS]}” (characters {leak.start} to {leak.end})"
            for leak in leaks[: detection.NAMED_MAX]
        )
        message = (
            f"The text gives away the answer: {places}. An intervention may guide, but not give it away."
        )
        raise GymError("intervention_leaks", message, status=422, fields={"text": [message]})


def _check_length(copied: int, text: int) -> None:
    """Check the length of the full message, which the model continues and which is stored as a completion."""
    maximum = settings.THOUGHT_MAX_CHARS
    if copied + text >= maximum:
        message = (
            f"The intervention and the {copied:,} characters before it have {copied + text:,} characters. A "
            f"completion has at most {maximum:,} (setting THOUGHT_MAX_CHARS), and the model needs room too."
        )
        raise GymError("intervention_too_long", message, status=413, fields={"text": [message]})


class EpisodeInterventionsView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "intervention_open",
        "Replace part of a policy's message and open continuations",
        description="Opens forks of an ended episode that continue one of its messages: what its policy "
        "wrote before a substep, then `text`. The intervention and its forks are stored together or not at "
        "all. A model is sent the beginning of the message as the last one, to be continued; the step that "
        "is recorded contains the whole message. A text that contains the answer is refused. Because a "
        "refusal reveals the answer, the key also needs the scope `guidance` or `golds`.",
        body=InterventionIn,
        answers={201: (OpenedIntervention, "The intervention, and its continuations.")},
        errors=(400, 404, 409, 413, 422, 429),
    )
    @idempotent
    def post(self, request: Request, episode_id: int) -> Response:
        given = struct_read(request.data, InterventionIn)
        opened = intervention_open(episode_id=episode_id, body=given, principal=caller(request))
        return Response(opened, status=201)


class SubstepsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "substep_list",
        "Read the numbered substeps of an episode",
        description="Text that its policy wrote in each step, split at blank lines. Numbers never change.",
        answers={200: (EpisodeSubsteps, "The substeps by step, including inherited ones.")},
        errors=(404, 413),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        return Response({"steps": selectors.substep_list(episode_id, principal=caller(request))})


class InterventionsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "intervention_list",
        "List interventions, newest first",
        parameters=[InterventionsQuery],
        answers={200: (InterventionPage, "A page of interventions.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(InterventionsQuery, request)
        limit, before = query["limit"], query.pop("cursor", None)
        records = selectors.intervention_list(principal=caller(request), before=before, **query)
        shown, following = page(records, limit=limit, place=lambda record: int(record["id"]))
        return Response({"results": shown, "next": following})


class InterventionView(APIView):
    scopes = {"GET": "read"}

    @call(
        "intervention_get",
        "Read an intervention and its results",
        answers={200: (InterventionRecord, "The intervention.")},
        errors=(404,),
    )
    def get(self, request: Request, intervention_id: int) -> Response:
        return Response(selectors.intervention_get(intervention_id, principal=caller(request)))
