"""Detection of a model that does not answer: failures are counted, the user is warned, then play stops."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from palaestra.api.background import tasks_cancel
from palaestra.completion import Completion
from palaestra.errors import ContextOverflow, ModelFailure, PalaestraError, PromptFiltered
from palaestra.models.health import EndpointHealth
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Policy
from palaestra.records import UsageTotals

T = TypeVar("T")

POLL_S = 1.0
REPORTED_AFTER_S = 5.0
# Limit for a model that never answered. A model that did may be restarting, so its calls are retried for
# a minute.
GONE_AFTER_S = 20.0
# A model counts as gone after this many consecutive failed calls, each of which was retried.
FAILURES_MAX = 8


async def silence_wait(policy: MeteredPolicy, health: EndpointHealth, write: Callable[[str], None]) -> str:
    """Wait until the model counts as gone, and return its last error.

    ``write`` gets a message for the user when calls have failed for a while, and another when they succeed
    again.
    """
    is_reported = False
    while not await _is_set_within(policy.silent, POLL_S):
        if is_gone(health):
            return health.problem
        if is_reported != (health.failing_s >= REPORTED_AFTER_S):
            is_reported = not is_reported
            write(_describe(health) if is_reported else "The model answers again.")
    return policy.problem


async def play_until(silent: Coroutine[Any, Any, str], play: Coroutine[Any, Any, T]) -> T:
    """Play as long as the model answers.

    Raises ``PalaestraError`` when it no longer does; open episodes stay open, so that they can be resumed.
    """
    silence, playing = asyncio.ensure_future(silent), asyncio.ensure_future(play)
    try:
        await asyncio.wait((playing, silence), return_when=asyncio.FIRST_COMPLETED)
        if silence.done():
            problem = silence.result().rstrip(".")
            raise PalaestraError(f"The model does not answer: {problem}. Run the command again to continue.")
        return await playing
    finally:
        await tasks_cancel([playing, silence])


def is_gone(health: EndpointHealth) -> bool:
    """Return whether every call to an endpoint has failed; a slow model's pending calls are no failures."""
    return not health.has_answered and not health.is_awaited and health.failing_s >= GONE_AFTER_S


def _describe(health: EndpointHealth) -> str:
    problem = health.problem.rstrip(".")
    return f"No call to the model has succeeded for {health.failing_s:.0f} s: {problem}. Calls are repeated."


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


class MeteredPolicy:
    """A wrapped policy; after ``FAILURES_MAX`` failures in a row, ``silent`` is set to stop the play."""

    def __init__(self, policy: Policy) -> None:
        self.name, self.simulated = policy.name, policy.simulated
        self.usage = UsageTotals()
        self.silent = asyncio.Event()
        self.problem = ""
        self._failures = 0
        self._policy = policy

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | Completion | None:
        try:
            completion = await self._policy.act(observation, episode)
        except ModelFailure as failure:
            self._count_failure(failure)
            raise
        self._failures = 0
        if isinstance(completion, Completion) and completion.usage is not None:
            self.usage.prompt += completion.usage.prompt or 0
            self.usage.completion += completion.usage.completion or 0
            self.usage.cached += completion.usage.cached or 0
        return completion

    def _count_failure(self, failure: ModelFailure) -> None:
        if isinstance(failure, (ContextOverflow, PromptFiltered)):
            return
        self._failures += 1
        self.problem = str(failure)
        if self._failures >= FAILURES_MAX:
            self.silent.set()
