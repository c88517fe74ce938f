"""``RemoteEngine``: rollouts for a machine without a browser, which stages on other machines play."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from palaestra.api.background import tasks_cancel
from palaestra.env import StepInfo
from palaestra.errors import PAGE_FAILURES, PalaestraError
from palaestra.policies import Policy
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.remote import RemoteEnv
from palaestra.rollouts import End, Group, Rollout, Turns

logger = logging.getLogger(__name__)

TRIES = 3


class RemoteEngine:
    """The counterpart of ``Engine`` that uses stages: it takes their addresses and token instead of a client.

    At most ``inflight`` episodes are played at the same time, on all stages together. Other keywords are
    those of ``RemoteEnv``.
    """

    def __init__(
        self,
        stages: str | Sequence[str],
        token: str,
        *,
        inflight: int,
        time_limit_s: float = TIME_LIMIT_S,
        **settings: Any,
    ) -> None:
        self._stages, self._token, self._settings = stages, token, settings
        self._slots = asyncio.Semaphore(inflight)
        self._time_limit_s = time_limit_s

    async def rollout(
        self,
        *,
        tasks: Sequence[int],
        policy: Policy,
        samples_per_task: int = 1,
        on_done: Callable[[Rollout], None] | None = None,
        **opening: Any,
    ) -> list[Rollout]:
        """Play as ``Engine.rollout`` does: a task's first episode opens a group, which the others join.

        Raises what ``RemoteEnv.reset`` raises.
        """
        playing = [
            asyncio.ensure_future(self._play(task, group, policy, on_done, opening))
            for task, group in [(task, Group()) for task in tasks]
            for _ in range(samples_per_task)
        ]
        try:
            return list(await asyncio.gather(*playing))
        finally:
            await tasks_cancel(playing)

    # ---- inside
    async def _play(
        self,
        task: int,
        group: Group,
        policy: Policy,
        on_done: Callable[[Rollout], None] | None,
        opening: dict[str, Any],
    ) -> Rollout:
        async with self._slots, RemoteEnv(self._stages, self._token, **self._settings, **opening) as env:
            started = time.monotonic()
            await self._begin(env, task, group)
            info, problem = await self._play_safely(env, policy)
        assert env.episode is not None
        done = Rollout.of(
            env.episode,
            verdict=info.get("verdict"),
            started=started,
            problem=problem,
            rewards=info.get("rewards"),
        )
        if on_done is not None:
            on_done(done)
        return done

    async def _begin(self, env: RemoteEnv, task: int, group: Group) -> None:
        """Begin an episode. If its page breaks, the episode is void, and that costs one of the attempts."""
        for tries_left in reversed(range(TRIES)):
            try:
                await group.reset(env, task)
                return
            except PAGE_FAILURES:
                if not tries_left:
                    raise

    async def _play_safely(self, env: RemoteEnv, policy: Policy) -> tuple[StepInfo, str]:
        """Play an episode, and return the last ``info`` and the problem, if any.

        Exceptions are caught because the failure of one episode must not end the others.
        """
        assert env.episode is not None
        try:
            return await self._take_turns(env, policy), ""
        except Exception as failure:
            is_expected = isinstance(failure, PalaestraError)
            level = logging.WARNING if is_expected else logging.ERROR
            number = env.episode.opened.id
            logger.log(level, "episode %s: %r", number, failure, exc_info=not is_expected)
            info: StepInfo = {}
            with contextlib.suppress(PalaestraError):
                *_, info = await env.stop("harness_error", repr(failure))
            return info, repr(failure)

    async def _take_turns(self, env: RemoteEnv, policy: Policy) -> StepInfo:
        turns = Turns(policy, limit_s=self._time_limit_s)
        assert env.episode is not None
        info: StepInfo = {}
        while not env.episode.is_over:
            turn = await turns.take(env.episode)
            if isinstance(turn, End):
                *_, info = await env.stop(turn.reason, turn.detail)
            else:
                *_, info = await env.step(turn)
        return info
