"""Watch for a model that does not answer: warn, and finally give up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from palaestra.background import tasks_cancel
from palaestra.errors import PalaestraError
from palaestra.evaluation.metered_policy import MeteredPolicy
from palaestra.models.health import EndpointHealth

T = TypeVar("T")

POLL_S = 1.0
REPORTED_AFTER_S = 5.0
# Only for a model that never answered. One that did may be restarting: its calls are retried for a minute.
GONE_AFTER_S = 20.0


async def silence_wait(policy: MeteredPolicy, health: EndpointHealth, write: Callable[[str], None]) -> str:
    """Wait until the model counts as gone, and return its last error.

    ``write`` gets a line for the user when calls have failed for a while, and one when they succeed again.
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
    """Play while the model answers.

    Raises ``PalaestraError`` once it no longer does; open episodes stay open, so that they can be resumed.
    """
    silence, playing = asyncio.ensure_future(silent), asyncio.ensure_future(play)
    try:
        await asyncio.wait((playing, silence), return_when=asyncio.FIRST_COMPLETED)
        if silence.done():
            message = f"The model does not answer: {silence.result().rstrip('.')}. Run it again to go on."
            raise PalaestraError(message)
        return await playing
    finally:
        await tasks_cancel([playing, silence])


def is_gone(health: EndpointHealth) -> bool:
    """Return whether an endpoint that never answered fails every call; a slow model's calls do not fail."""
    return not health.has_answered and not health.is_awaited and health.failing_s >= GONE_AFTER_S


def _describe(health: EndpointHealth) -> str:
    problem = health.problem.rstrip(".")
    return f"No call of the model has succeeded for {health.failing_s:.0f} s: {problem}. Calls are repeated."


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()
