"""The result of an episode that an engine played."""

from __future__ import annotations

import time
from dataclasses import dataclass

from palaestra.episode import Episode
from palaestra.records import Verdict
from palaestra.remote import RemoteEpisode
from palaestra.reward_calls import find_reward
from palaestra.rewards import Rewards


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One finished episode. ``verdict`` is None only if none came in time; ``problem`` is empty if nothing
    broke. ``rewards`` are the payments of a named profile, None without one."""

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
        """The total of a reward profile if one was named, else the verdict's reward."""
        return find_reward(self.verdict, self.rewards)

    @property
    def outcome(self) -> str:
        """``correct``, ``incorrect``, ``void``, or ``missing`` when no verdict came in time."""
        return self.verdict.outcome if self.verdict else "missing"
