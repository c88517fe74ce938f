"""Opening of interventions: forks that continue within a message of their parent's policy, from another's
text.
"""

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
# Continuations keep their parent's guidance, and have none of their own.
FORK_SETTINGS = set(Fork.__struct_fields__) - {"episode", "step", "guidance"}
QUOTED_CHARS = 80


class InterventionIn(Struct, forbid_unknown_fields=True, kw_only=True):
    """``text`` is put in place of ``substep`` of what the policy wrote in ``step``; both count from 1. What
    stood before that substep is kept, what follows is not. ``author`` names the person or the policy that
    wrote it. With a ``count`` of 0 no continuation is opened until its group is refilled. The other settings
    are those of forks.
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
    """A part of a message's content, in characters: what is ``copied`` of the parent's policy, or the
    ``intervention``."""

    kind: Literal["copied", "intervention"]
    begin: int
    end: int


class Prefill(Message):
    """The beginning of an assistant message that the model goes on with."""

    prefill: Literal[True]
    spans: list[Span]


class Continuations(Struct):
    """``success_rate`` is ``correct`` of ``judged``, null if none are judged; void ones are in neither."""

    opened: int
    judged: int
    correct: int
    void: int
    success_rate: float | None


class InterventionRecord(Struct):
    """``run`` and ``group`` are those of the continuations, ``episode`` is their parent."""

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
    """``next`` is null on the last page."""

    results: list[InterventionRecord]
    next: str | None


class OpenedIntervention(Struct):
    """Opened forks that go on with the ``message`` of the ``intervention``, the last of their messages."""

    intervention: InterventionRecord
    episodes: list[OpenedEpisode]
    messages: dict[str, list[Message]]


class Substep(Struct):
    """``begin`` and ``end`` are characters of the message's content."""

    number: int
    begin: int
    end: int
    text: str


class StepSubsteps(Struct):
    """``problem`` says why no substep of it can be replaced; empty if each can."""

    step: int
    problem: str
    substeps: list[Substep]


class EpisodeSubsteps(Struct):
    steps: list[StepSubsteps]


class InterventionsQuery(Query, kw_only=True):
    run: Annotated[Id | UnsetType, Meta(description="That of the continuations.")] = UNSET
    episode: Annotated[Id | UnsetType, Meta(description="Their parent.")] = UNSET


def intervention_open(*, episode_id: int, body: InterventionIn, principal: Principal) -> dict[str, Any]:
    """Store an intervention and open its continuations, both or neither; with a count of 0 none is opened.

    Returns the API's ``{"intervention", "episodes", "messages"}``. Raises ``GymError`` as ``forks_open``
    does, and 403 ``missing_scope``, as refusals tell the answer; 413 ``intervention_too_long``; 422
    ``intervention_empty``, ``intervention_leaks``, ``cannot_go_on``, ``no_such_step``, ``no_such_substep``,
    and what the leak check raises.
    """
    principal.require(Scope.GUIDANCE, Scope.GOLDS)
    services.episode_get(episode_id=episode_id, principal=principal)
    parent = Episode.objects.select_related("run", "task").get(pk=episode_id)
    text = body.text.strip()
    if not text:
        message = "An intervention is a text of at least one word."
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
    """Return the policy's text in a step before a substep.

    Raises ``GymError`` 422 ``no_such_step``, ``cannot_go_on``, ``no_such_substep``.
    """
    turns = turns_until(parent.pk, step, since=step)
    if not turns:
        message = f"Episode {parent.pk} has no step {step}."
        raise GymError("no_such_step", message, status=422, fields={"step": [message]})
    if problem := problem_of(turns[-1].raw, turns[-1].thought, parent):
        message = f"No model can go on within step {step} of episode {parent.pk}. {problem}"
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
        message = f"The text gives away the answer: {places}. An intervention may guide, but not state it."
        raise GymError("intervention_leaks", message, status=422, fields={"text": [message]})


def _check_length(copied: int, text: int) -> None:
    """Check the full message, which the model continues: it is stored as a completion is."""
    maximum = settings.THOUGHT_MAX_CHARS
    if copied + text >= maximum:
        message = (
            f"With the {copied:,} characters before it the intervention has {copied + text:,}: a completion "
            f"has at most {maximum:,} (setting THOUGHT_MAX_CHARS), and some must be left to go on."
        )
        raise GymError("intervention_too_long", message, status=413, fields={"text": [message]})


class EpisodeInterventionsView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "intervention_open",
        "Put words into a thought, and open continuations",
        description="Opens forks of an ended episode that go on within one of its messages: what its policy "
        "wrote before a substep, then `text`. Both or neither. A model is sent the message as the last "
        "one, to be continued; the step that is recorded holds all of it. A text that holds the answer is "
        "refused, which tells the answer: the key needs the scope `guidance` or `golds` as well.",
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
        description="What its policy wrote in each step, cut at blank lines. The numbers stay.",
        answers={200: (EpisodeSubsteps, "The substeps by step, those that a fork has inherited included.")},
        errors=(404, 413),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        return Response({"steps": selectors.substep_list(episode_id, principal=caller(request))})


class InterventionsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "intervention_list",
        "List interventions, the newest first",
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
        "Read an intervention and what came of it",
        answers={200: (InterventionRecord, "The intervention.")},
        errors=(404,),
    )
    def get(self, request: Request, intervention_id: int) -> Response:
        return Response(selectors.intervention_get(intervention_id, principal=caller(request)))
