"""Records and API calls of interventions, which insert a text into a model's thought for it to continue."""

from __future__ import annotations

from typing import Literal

import msgspec

from palaestra.api.calls import Calls, build_idempotency
from palaestra.http.paths import build_path
from palaestra.http.transport import drop_missing
from palaestra.records import Message, Opening, Page

AuthorKind = Literal["policy", "person"]


class Continuations(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of an intervention's continuations.

    ``success_rate`` is ``correct`` / ``judged``, or None if none are judged; void episodes count in neither.
    """

    opened: int = 0
    judged: int = 0
    correct: int = 0
    void: int = 0
    success_rate: float | None = None


class Intervention(msgspec.Struct, frozen=True, kw_only=True):
    """An intervention in an episode.

    Every continuation begins with ``message``, which is what the policy of ``episode`` wrote in ``step``
    before ``substep``, followed by ``text``. ``run`` and ``group`` belong to the continuations.
    """

    id: int
    run: int
    group: int
    episode: int
    step: int
    substep: int
    text: str
    sha256: str = ""
    author_kind: AuthorKind = "policy"
    author: str = ""
    message: Message
    continuations: Continuations = Continuations()


class OpenedIntervention(Opening, frozen=True, kw_only=True):
    """Response of ``POST /api/v1/episodes/{id}/interventions``."""

    intervention: Intervention


class Substep(msgspec.Struct, frozen=True, kw_only=True):
    """A block between blank lines in a model's message; ``begin`` and ``end`` are character offsets."""

    number: int
    begin: int
    end: int
    text: str


class StepSubsteps(msgspec.Struct, frozen=True, kw_only=True):
    """A step's substeps; ``problem`` is why none of them can be replaced, or empty if all can."""

    step: int
    problem: str = ""
    substeps: list[Substep] = []


class EpisodeSubsteps(msgspec.Struct, frozen=True, kw_only=True):
    """The substeps of all steps of an episode."""

    steps: list[StepSubsteps]


class InterventionCalls(Calls):
    """Calls that read substeps, replace one, and read the results."""

    async def substeps(self, episode: int) -> list[StepSubsteps]:
        """Return the policy's messages, split at blank lines into substeps with stable numbers."""
        return (await self._get(build_path("episodes/{}/substeps", episode), EpisodeSubsteps)).steps

    async def intervention_open(
        self,
        episode: int,
        *,
        step: int,
        substep: int,
        text: str,
        author: str = "",
        author_kind: AuthorKind = "policy",
        count: int = 1,
        run: int | None = None,
        policy_version: int | None = None,
        max_steps: int | None = None,
        token_budget: int | None = None,
        idempotency_key: str | None = None,
    ) -> OpenedIntervention:
        """Replace a substep of an ended episode with ``text``, and open ``count`` continuations.

        Raises ``ApiError`` 422 ``intervention_leaks`` if the text gives away the answer.
        """
        optional = {"run": run, "policy_version": policy_version, "max_steps": max_steps}
        body = {
            **{"step": step, "substep": substep, "text": text, "count": count},
            **{"author": author, "author_kind": author_kind},
            **drop_missing(**optional, token_budget=token_budget),
        }
        path, headers = build_path("episodes/{}/interventions", episode), build_idempotency(idempotency_key)
        return await self._post(path, OpenedIntervention, body, headers=headers)

    async def intervention(self, intervention: int) -> Intervention:
        """Return an intervention, with the results of its continuations so far."""
        return await self._get(build_path("interventions/{}", intervention), Intervention)

    async def interventions(
        self, *, run: int | None = None, episode: int | None = None, cursor: str | int | None = None
    ) -> Page[Intervention]:
        """Return one page of interventions, newest first, by the continuations' run or parent ``episode``."""
        return await self._get("interventions", Page[Intervention], run=run, episode=episode, cursor=cursor)
