"""A wrapper of a policy that counts its tokens and its consecutive failures."""

from __future__ import annotations

import asyncio

from palaestra.completion import Completion
from palaestra.errors import ContextOverflow, ModelFailure, PromptFiltered
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Policy
from palaestra.records import UsageTotals

# A model counts as gone after so many consecutive failed calls, each of which was retried.
FAILURES_MAX = 8


class MeteredPolicy:
    """Wraps a policy. ``silent`` is set after ``FAILURES_MAX`` failures in a row; ``problem`` is the last."""

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
