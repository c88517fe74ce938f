"""A policy whose tokens are counted, and whose silence is noticed."""

from __future__ import annotations

import asyncio

from palaestra.completion import Completion
from palaestra.errors import ContextOverflow, ModelFailure, PromptFiltered
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Policy
from palaestra.records import UsageTotals

# Calls, each with its repeats, that fail one after another before a model counts as gone.
FAILURES_MAX = 8


class MeteredPolicy:
    """``silent`` is set once the model has failed so often in a row; ``problem`` is what it said last."""

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
            self._count(failure)
            raise
        self._failures = 0
        if isinstance(completion, Completion) and completion.usage is not None:
            self.usage.prompt += completion.usage.prompt or 0
            self.usage.completion += completion.usage.completion or 0
            self.usage.cached += completion.usage.cached or 0
        return completion

    def _count(self, failure: ModelFailure) -> None:
        if isinstance(failure, (ContextOverflow, PromptFiltered)):
            return
        self._failures += 1
        self.problem = str(failure)
        if self._failures >= FAILURES_MAX:
            self.silent.set()
