"""Interventions at a step: texts written into its thought, and how the episodes continued from them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render

from core.errors import GymError
from palaestra.protocol.arms import ARMS
from trajectories.models import Episode, Intervention, Step, Verdict
from trajectories.rollouts.episodes import takeovers
from trajectories.rollouts.episodes.forks import creation
from trajectories.rollouts.episodes.forks.creation import Fork
from trajectories.rollouts.episodes.interventions import messages, selectors
from trajectories.rollouts.episodes.interventions.creation import InterventionIn, intervention_open
from trajectories.shell.access import LabRequest, build_principal, lab_action
from trajectories.shell.queries import episodes
from trajectories.shell.text.untrusted import cut

PERSON = Intervention.Author.PERSON
WRITTEN_SHOWN = 20
CONTINUATIONS_SHOWN = 32
SUBSTEPS_SHOWN = 500
EXCERPT_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A submitted form that was refused, with the reason."""

    substep: str
    text: str
    error: str


@dataclass(frozen=True, kw_only=True)
class Written:
    """An intervention at a step, and the episodes that continued from it."""

    record: dict[str, Any]
    continuations: list[Episode]

    @property
    def is_unplayed(self) -> bool:
        return not self.record["continuations"]["opened"]


@dataclass(frozen=True, kw_only=True)
class StepInterventions:
    """The interventions at a step, and the substeps that the form offers."""

    episode: Episode
    step: Step
    sees_golds: bool
    posted: Posted | None = None

    @property
    def is_offered(self) -> bool:
        """True if the form is shown. The reader must be allowed to see golds, because refusals reveal them;
        the episode must be forkable; and a model must be able to continue within this message.
        """
        verdict = self.episode.verdict
        if (
            not self.sees_golds
            or verdict is None
            or verdict.outcome == Verdict.Outcome.VOID
            or ARMS[self.episode.arm].is_probe
        ):
            return False
        return not messages.problem_of(self.step.raw, self.step.thought, self.episode)

    @cached_property
    def substeps(self) -> list[tuple[int, str]]:
        """The number and the beginning of each substep that an intervention can replace."""
        content = messages.content_of(self.step.raw, self.episode)
        return [
            (one["number"], cut(one["text"], EXCERPT_CHARS))
            for one in messages.substeps_of(content)[:SUBSTEPS_SHOWN]
        ]

    @cached_property
    def written(self) -> list[Written]:
        """The step's newest interventions."""
        rows = Intervention.objects.select_related("group").filter(
            episode=self.episode.pk, step=self.step.index
        )
        records = selectors.intervention_records(list(rows.order_by("-pk")[:WRITTEN_SHOWN]))
        groups = [one["group"] for one in records]
        episodes = Episode.objects.select_related("verdict").filter(group__in=groups).order_by("pk")
        return [
            Written(
                record=record,
                continuations=[one for one in episodes if one.group_id == record["group"]][
                    :CONTINUATIONS_SHOWN
                ],
            )
            for record in records
        ]


def intervention_write(
    user: User | AnonymousUser, *, episode_id: int, step: int, substep: str, text: str
) -> None:
    """Store a person's intervention; its continuations are opened later, when a model plays them.

    An intervention that is sent twice is stored once. Raises the same ``GymError`` as ``intervention_open``.
    """
    if not substep.isascii() or not substep.isdigit() or int(substep[:9]) < 1:
        raise GymError("invalid", "Choose the substep that your text replaces.")
    principal = build_principal(user)
    body = InterventionIn(
        step=step, substep=int(substep[:9]), text=text, author_kind=PERSON, author=principal.name, count=0
    )
    same = Intervention.objects.filter(
        episode=episode_id,
        step=step,
        substep=body.substep,
        author=principal.name,
        author_kind=PERSON,
        sha256=hashlib.sha256(text.strip().encode()).hexdigest(),
    )
    if not same.exists():
        intervention_open(episode_id=episode_id, body=body, principal=principal)


@lab_action
def step_takeover(request: LabRequest, episode_id: int, index: int) -> HttpResponse:
    """Open a takeover after step ``index`` and show its one-time link to this reader only."""
    episode = episodes.episode_get(episode_id)
    context = {"episode": episode, "run": episode.run, "index": index, "here": "search"}
    principal = build_principal(request.user)
    try:
        # Fork and link are created together or not at all, since a fork that nobody can take over would stay
        # open.
        with transaction.atomic():
            if episode.status != Episode.Status.OPEN:
                takeovers.setup_check(episode)
                fork = Fork(episode=episode_id, step=index)
                opened = creation.forks_open(forks=[fork], principal=principal)
                episode_id = opened["episodes"][0]["id"]
            record = takeovers.takeover_begin(
                episode_id=episode_id, person=principal.name, principal=principal
            )
    except GymError as error:
        context["error"] = error
        return render(request, "lab/step/takeover.html", context, status=error.status)
    return render(
        request, "lab/step/takeover.html", {**context, "takeover": record}, status=HTTPStatus.CREATED
    )
