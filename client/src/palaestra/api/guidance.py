"""Abstractions with the results of their solvers, and results of prefixes and start states in a run."""

from __future__ import annotations

from typing import Literal

import msgspec

from palaestra.api.calls import Calls, build_idempotency
from palaestra.http.paths import build_path
from palaestra.http.transport import drop_missing
from palaestra.records import Page

SizedKind = Literal["prefix", "start_state"]


class Solvers(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes that had an abstraction as guidance. ``mean``, its author's reward, is ``correct`` divided by
    ``judged``, or None if none are judged."""

    runs: list[int] = []
    opened: int = 0
    judged: int = 0
    correct: int = 0
    mean: float | None = None


class Abstraction(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is None for keys that may not read it. ``run`` and ``episode`` are of the policy that wrote
    it, None if a person did."""

    id: int
    task: int
    text: str | None = None
    sha256: str = ""
    author: str = ""
    run: int | None = None
    episode: int | None = None
    created_at: str = ""
    solvers: Solvers = Solvers()


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """``mean`` averages over ``tasks`` the mean of each task's judged ``episodes``; None if it has none."""

    tasks: int
    episodes: int
    mean: float | None = None


class AbstractionReport(msgspec.Struct, frozen=True, kw_only=True, rename={"with_": "with"}):
    """Results of a solver's run with abstractions, without guidance, and with each task's best abstraction.

    The last is biased upwards by the choice, the more so the fewer samples there are.
    """

    with_: Share
    without: Share
    best: Share
    written_in: list[int] = []


class StepTries(msgspec.Struct, frozen=True, kw_only=True):
    """Judged episodes that began with the first ``steps`` of a solution."""

    steps: int
    judged: int
    correct: int


class TaskTries(msgspec.Struct, frozen=True, kw_only=True):
    """``shortest`` is the least number of steps with a success, of ``of`` in the solution, or None."""

    task: int
    of: int
    shortest: int | None = None
    tries: list[StepTries] = []


class GuidanceCalls(Calls):
    """Calls that store abstractions and read the results of guidance."""

    async def abstraction_create(
        self,
        *,
        task: int,
        text: str,
        run: int | None = None,
        episode: int | None = None,
        idempotency_key: str | None = None,
    ) -> Abstraction:
        """Store an abstraction of a task.

        Raises ``ApiError`` 422 ``guidance_leaks`` where the text gives away the answer.
        """
        body = {"task": task, "text": text, **drop_missing(run=run, episode=episode)}
        headers = build_idempotency(idempotency_key)
        return await self._post("abstractions", Abstraction, body, headers=headers)

    async def abstraction(self, abstraction: int) -> Abstraction:
        """Return an abstraction, with the results of its solvers so far."""
        return await self._get(build_path("abstractions/{}", abstraction), Abstraction)

    async def abstractions(
        self, *, task: int | None = None, run: int | None = None, cursor: str | int | None = None
    ) -> Page[Abstraction]:
        """Return one page, newest first: of a task, or of the ``run`` of the policy that wrote them."""
        return await self._get("abstractions", Page[Abstraction], task=task, run=run, cursor=cursor)

    async def run_abstractions(self, run: int) -> AbstractionReport:
        """Return the results of a solver's run with abstractions, without, and with the best."""
        return await self._get(build_path("runs/{}/abstractions", run), AbstractionReport)

    async def run_prefixes(
        self, run: int, *, guidance: SizedKind = "prefix", cursor: str | int | None = None
    ) -> Page[TaskTries]:
        """Return one page of tasks, with the results by number of steps: written ones, or actions."""
        path = build_path("runs/{}/prefixes", run)
        return await self._get(path, Page[TaskTries], guidance=guidance, cursor=cursor)
