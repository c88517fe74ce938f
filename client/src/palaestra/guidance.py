"""Abstractions with what their solvers made of them, and what prefixes and start states did in a run."""

from __future__ import annotations

from typing import Literal

import msgspec

from palaestra.calls import Calls, idempotency, present
from palaestra.paths import path_of
from palaestra.records import Page

SizedKind = Literal["prefix", "start_state"]


class Solvers(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes that had an abstraction as guidance. ``mean``, the reward of its author, is ``correct`` of
    ``judged``; None without any."""

    runs: list[int] = []
    opened: int = 0
    judged: int = 0
    correct: int = 0
    mean: float | None = None


class Abstraction(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is None for keys that may not read it. ``run`` and ``episode`` are the policy's that wrote it,
    None of a person."""

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
    """``mean`` is over ``tasks``, each with the mean of its judged ``episodes``; None without any."""

    tasks: int
    episodes: int
    mean: float | None = None


class AbstractionReport(msgspec.Struct, frozen=True, kw_only=True, rename={"with_": "with"}):
    """A solver's run with abstractions, without guidance, and with each task's best, which is too high where
    samples are few."""

    with_: Share
    without: Share
    best: Share
    written_in: list[int] = []


class StepTries(msgspec.Struct, frozen=True, kw_only=True):
    """Judged episodes that began with the first ``steps``."""

    steps: int
    judged: int
    correct: int


class TaskTries(msgspec.Struct, frozen=True, kw_only=True):
    """``shortest`` is the least number of steps with a success, of the solution's ``of``; None before one."""

    task: int
    of: int
    shortest: int | None = None
    tries: list[StepTries] = []


class GuidanceCalls(Calls):
    """Stores abstractions, and reads what guidance did."""

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
        body = {"task": task, "text": text, **present(run=run, episode=episode)}
        headers = idempotency(idempotency_key)
        return await self._post("abstractions", Abstraction, body, headers=headers)

    async def abstraction(self, abstraction: int) -> Abstraction:
        """An abstraction, and what its solvers made of it so far."""
        return await self._get(path_of("abstractions/{}", abstraction), Abstraction)

    async def abstractions(
        self, *, task: int | None = None, run: int | None = None, cursor: str | int | None = None
    ) -> Page[Abstraction]:
        """One page, the newest first: of a task, or of the ``run`` of the policy that wrote them."""
        return await self._get("abstractions", Page[Abstraction], task=task, run=run, cursor=cursor)

    async def run_abstractions(self, run: int) -> AbstractionReport:
        """The results of a solver's run with abstractions, without, and with the best."""
        return await self._get(path_of("runs/{}/abstractions", run), AbstractionReport)

    async def run_prefixes(
        self, run: int, *, guidance: SizedKind = "prefix", cursor: str | int | None = None
    ) -> Page[TaskTries]:
        """One page of tasks, with the results of each number of steps: written ones, or acts."""
        path = path_of("runs/{}/prefixes", run)
        return await self._get(path, Page[TaskTries], guidance=guidance, cursor=cursor)
