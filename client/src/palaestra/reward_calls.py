"""The calls of the client about rewards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from palaestra.calls import Calls, Json
from palaestra.paging import rows_read
from palaestra.paths import path_of
from palaestra.records import Page, Verdict
from palaestra.rewards import Judge, LearnedReward, RewardComponent, RewardProfile, Rewards


class RewardCalls(Calls):
    """Reads components, cards of learned rewards and payments, and stores profiles."""

    async def reward_components(self) -> list[RewardComponent]:
        """All components, by id."""
        return (await self._get("rewards/components", Page[RewardComponent])).results

    async def learned_rewards(self) -> list[LearnedReward]:
        """Models with their cards, the newest first; those that may pay no training run are among them."""
        return (await self._get("rewards/learned", Page[LearnedReward])).results

    async def judges(self) -> list[Judge]:
        """All judges, by name, with what each criterion was measured at."""
        return (await self._get("rewards/judges", Page[Judge])).results

    async def reward_profiles(self) -> list[RewardProfile]:
        """Those that come with the gym, then the newest first."""
        return (await self._get("rewards/profiles", Page[RewardProfile])).results

    async def reward_profile_store(self, profile: Json) -> RewardProfile:
        """Store a profile, as it is written in TOML (``tomllib.loads``). Raises ``ApiError``
        ``profile_refused`` for one that cannot be paid, or pays wrong answers like right ones."""
        return await self._post("rewards/profiles", RewardProfile, profile)

    async def episode_rewards(self, episode: int, *, profile: str | None = None) -> Rewards:
        """The payment of an ended episode, by its run's profile or by another."""
        return await self._get(path_of("episodes/{}/rewards", episode), Rewards, profile=profile)

    async def run_rewards(self, run: int, *, profile: str | None = None) -> AsyncIterator[Rewards]:
        """The payments of a run's ended episodes, by id."""
        page_read = partial(self._get, path_of("runs/{}/rewards", run), Page[Rewards])
        async for rewards in rows_read(page_read, profile=profile):
            yield rewards


async def rewards_read(
    calls: RewardCalls, episode: int, *, verdict: Verdict | None, profile: str | None
) -> Rewards | None:
    """What an episode with this verdict is paid; None without a verdict, and where no profile is named. An
    empty name is that of the run's own profile."""
    if verdict is None or profile is None:
        return None
    return await calls.episode_rewards(episode, profile=profile or None)


def unpaid_reason(verdict: Verdict | None, rewards: Rewards | None) -> str:
    """Why there is no number: the verdict's reason, or those terms of the profile that are not known."""
    if verdict is None:
        return "no verdict came in time"
    if verdict.is_void or rewards is None:
        return verdict.reason
    return "not known: " + ", ".join(name for name, paid in rewards.terms.items() if paid is None)


def reward_of(verdict: Verdict | None, rewards: Rewards | None) -> float | None:
    """The number that pays an episode: the profile's total where one was named, else the verdict's."""
    if rewards is not None:
        return rewards.total
    return verdict.reward if verdict else None
