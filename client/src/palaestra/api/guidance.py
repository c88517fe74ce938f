"""Abstractions with their solvers' results, and a run's results by prefix and start state."""

from __future__ import annotations

from typing import Literal

import msgspec

from palaestra.api.calls import Calls, build_idempotency
from palaestra.http.paths import build_path
from palaestra.http.transport import drop_missing
from palaestra.records import Page

SizedKind = Literal["prefix", "start_state"]


class Solvers(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the episodes that had an abstraction as guidance.

    ``mean``, the reward of the abstraction's author, is ``correct`` divided by ``judged``, or None if no
    episode is judged.
    """

    runs: list[int] = []
    opened: int = 0
    judged: int = 0
    correct: int = 0
    mean: float | None = None


class Abstraction(msgspec.Struct, frozen=True, kw_only=True):
    """An abstraction of a task; ``text`` is None for keys that may not read it.

    ``run`` and ``episode`` are where a policy wrote it; both are None if a person wrote it.
    """

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
    """A share of correct episodes; ``mean`` averages the tasks' means and is None if no episode is judged."""

    tasks: int
    episodes: int
    mean: float | None = None


class AbstractionReport(msgspec.Struct, frozen=True, kw_only=True, rename={"with_": "with"}):
    """Results of a solver's run with abstractions, without guidance, and with each task's best abstraction.

    Choosing the best abstraction biases the last result upwards, the more so the fewer samples there are.
    """

    with_: Share
    without: Share
    best: Share
    written_in: list[int] = []


class StepTries(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of judged episodes that began with the first ``steps`` steps of a solution."""

    steps: int
    judged: int
    correct: int


class TaskTries(msgspec.Struct, frozen=True, kw_only=True):
    """A task's results by number of given steps.

    ``shortest`` is the smallest number of steps with a success, or None; the solution has ``of`` steps.
    """

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

        Raises ``ApiError`` 422 ``guidance_leaks`` if the text gives away the answer.
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
        """Return one page of abstractions, newest first, for a task or for the ``run`` that wrote them."""
        return await self._get("abstractions", Page[Abstraction], task=task, run=run, cursor=cursor)

    async def run_abstractions(self, run: int) -> AbstractionReport:
        """Return a solver's results in a run with abstractions, without guidance, and with the best ones."""
        return await self._get(build_path("runs/{}/abstractions", run), AbstractionReport)

    async def run_prefixes(
        self, run: int, *, guidance: SizedKind = "prefix", cursor: str | int | None = None
    ) -> Page[TaskTries]:
        """Return one page of tasks with results by number of given steps, either written steps or actions."""
        path = build_path("runs/{}/prefixes", run)
        return await self._get(path, Page[TaskTries], guidance=guidance, cursor=cursor)
