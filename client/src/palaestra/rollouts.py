"""Parts of a rollout that all engines share: a policy's turns, groups, stragglers, and the result."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from palaestra.api.background import tasks_cancel
from palaestra.api.reward_calls import find_reward
from palaestra.completion import Completion
from palaestra.env import Env
from palaestra.errors import PalaestraError
from palaestra.observation import Observation
from palaestra.play.episode import Episode
from palaestra.policies.base import EpisodeInfo, Policy, PolicyStopped
from palaestra.policies.clock import OutOfTime, PolicyClock
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Verdict
from palaestra.records.rewards import Rewards
from palaestra.remote import RemoteEnv, RemoteEpisode

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One finished episode.

    ``verdict`` is None only if there was no verdict in time; ``problem`` is empty if nothing broke.
    ``rewards`` are the payments under the named profile, None if no profile was named.
    """

    episode: int
    task: int
    group: int
    arm: str
    steps: int
    verdict: Verdict | None
    duration_s: float
    problem: str = ""
    rewards: Rewards | None = None

    @classmethod
    def of(
        cls,
        episode: Episode | RemoteEpisode,
        *,
        verdict: Verdict | None,
        started: float,
        problem: str,
        rewards: Rewards | None = None,
    ) -> Rollout:
        """Return the rollout of an episode that began at the monotonic time ``started`` and ends now."""
        opened = episode.opened
        return cls(
            episode=opened.id,
            task=opened.task,
            group=opened.group,
            arm=opened.arm,
            steps=episode.steps,
            verdict=verdict,
            duration_s=time.monotonic() - started,
            problem=problem,
            rewards=rewards,
        )

    @property
    def reward(self) -> float | None:
        """The total under the reward profile if one was named, otherwise the verdict's reward."""
        return find_reward(self.verdict, self.rewards)

    @property
    def outcome(self) -> str:
        """``correct``, ``incorrect``, ``void``, or, if there was no verdict in time, ``missing``."""
        return self.verdict.outcome if self.verdict else "missing"


class Group:
    """The episodes of one task. The first one to begin opens the group, and the others join it."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._first = asyncio.Lock()

    async def reset(self, env: Env | RemoteEnv, task: int, *, seed: int | None = None) -> Observation:
        """Begin another episode of the group; ``seed`` applies only to the first one."""
        if self.number is not None:
            return await env.reset(task, group=self.number)
        async with self._first:
            observation = await env.reset(task, seed=seed, group=self.number)
            if env.episode is not None:
                self.number = env.episode.opened.group
            return observation


@dataclass(frozen=True)
class End:
    """The reason why a policy takes no further turn."""

    reason: CloseReason
    detail: str = ""


class Turns:
    """A policy's turns in one episode, with ``limit_s`` seconds to think in total."""

    def __init__(self, policy: Policy, *, limit_s: float) -> None:
        self._policy = policy
        self._memory: dict[str, Any] = {}
        self._clock = PolicyClock(limit_s)

    async def take(self, episode: Episode | RemoteEpisode) -> str | Completion | End:
        """Return the policy's next completion, or the reason why it ends; if it raises, ``model_error``."""
        number = episode.opened.id
        try:
            # Only the policy's own time counts, because a slow arena or browser is not its fault.
            completion = await self._clock.bound(
                self._policy.act(episode.observation, self._build_info(episode))
            )
        except OutOfTime:
            return End("time_budget", f"longer than {self._clock.limit_s:.0f} s")
        except PolicyStopped as stopped:
            return End(stopped.reason, str(stopped))
        except Exception as failure:
            is_expected = isinstance(failure, PalaestraError)
            logger.warning("episode %s: %r", number, failure, exc_info=not is_expected)
            return End("model_error", repr(failure))
        return End("agent_stopped") if completion is None else completion

    def _build_info(self, episode: Episode | RemoteEpisode) -> EpisodeInfo:
        opened = episode.opened
        return EpisodeInfo(
            id=opened.id,
            task=opened.task,
            arm=opened.arm,
            step=episode.steps + 1,
            max_steps=opened.max_steps,
            sample_index=opened.sample_index,
            memory=self._memory,
            answer_form=opened.answer_form,
            clock=self._clock,
            tools=episode.tools,
            response_format=episode.response_format,
        )


class Batch:
    """Episodes that are played together.

    Once the share ``cut_after`` of them has been played, the rest are cut ``grace_s`` seconds later; with
    None they are never cut. Raises ``ValueError`` for a share outside (0, 1].
    """

    def __init__(self, *, cut_after: float | None, grace_s: float) -> None:
        if cut_after is not None and not 0 < cut_after <= 1:
            raise ValueError("cut_after must be between 0 and 1")
        self._cut_after, self._grace_s = cut_after, grace_s
        self._cut = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._size: int | None = None
        self._played = 0

    def complete(self, size: int) -> None:
        """Note that all ``size`` episodes have been opened."""
        self._size = size
        self._start_timer()

    async def play(self, playing: Coroutine[Any, Any, str]) -> str | None:
        """Await the coroutine that plays an episode, and return its result, or None if it was cut."""
        played, cut = asyncio.ensure_future(playing), asyncio.ensure_future(self._cut.wait())
        try:
            await asyncio.wait({played, cut}, return_when=asyncio.FIRST_COMPLETED)
            return await played if played.done() else None
        finally:
            await tasks_cancel([played, cut])
            self._played += 1
            self._start_timer()

    def end(self) -> None:
        """Cancel the pending cut."""
        if self._timer is not None:
            self._timer.cancel()

    def _start_timer(self) -> None:
        if self._cut_after is None or self._size is None or self._timer is not None:
            return
        if math.ceil(self._cut_after * self._size) <= self._played < self._size:
            self._timer = asyncio.get_running_loop().call_later(self._grace_s, self._cut.set)
