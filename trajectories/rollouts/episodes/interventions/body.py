"""The body of the call that opens an intervention, and its records."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from core.fields import Id, Positive
from core.integers import INT_MAX
from core.paging import Query
from core.struct_schema import limit
from trajectories.models import Intervention
from trajectories.rollouts.episodes.api import Message, OpenedEpisode
from trajectories.rollouts.episodes.forks.body import SAMPLES_MAX

AUTHOR_CHARS = 200
Place = Annotated[int, Meta(ge=1, le=INT_MAX)]


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
    """``success_rate`` is ``correct`` of ``judged``, null without any; void ones are in neither."""

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
