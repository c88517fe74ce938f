"""API calls about rewards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from palaestra.api.calls import Calls, Json, rows_read
from palaestra.http.paths import build_path
from palaestra.records import Page, Verdict
from palaestra.records.rewards import Judge, LearnedReward, RewardComponent, RewardProfile, Rewards


class RewardCalls(Calls):
    """Calls that read reward components, learned rewards' cards and payments, and store profiles."""

    async def reward_components(self) -> list[RewardComponent]:
        """Return all reward components, in order of id."""
        return (await self._get("rewards/components", Page[RewardComponent])).results

    async def learned_rewards(self) -> list[LearnedReward]:
        """Return all learned rewards with their cards, newest first; not all may be used in training runs."""
        return (await self._get("rewards/learned", Page[LearnedReward])).results

    async def judges(self) -> list[Judge]:
        """Return all judges in order of name, with the measurements of each criterion."""
        return (await self._get("rewards/judges", Page[Judge])).results

    async def reward_profiles(self) -> list[RewardProfile]:
        """Return the reward profiles: first those that come with the gym, then the others, newest first."""
        return (await self._get("rewards/profiles", Page[RewardProfile])).results

    async def reward_profile_store(self, profile: Json) -> RewardProfile:
        """Store a reward profile that was parsed from TOML (``tomllib.loads``).

        Raises ``ApiError`` ``profile_refused`` if the profile cannot be computed, or pays wrong answers as
        much as right ones.
        """
        return await self._post("rewards/profiles", RewardProfile, profile)

    async def episode_rewards(self, episode: int, *, profile: str | None = None) -> Rewards:
        """Return an ended episode's payment under its run's profile or another one."""
        return await self._get(build_path("episodes/{}/rewards", episode), Rewards, profile=profile)

    async def run_rewards(self, run: int, *, profile: str | None = None) -> AsyncIterator[Rewards]:
        """Yield the payments of a run's ended episodes, in order of episode id."""
        page_read = partial(self._get, build_path("runs/{}/rewards", run), Page[Rewards])
        async for rewards in rows_read(page_read, profile=profile):
            yield rewards


async def rewards_read(
    calls: RewardCalls, episode: int, *, verdict: Verdict | None, profile: str | None
) -> Rewards | None:
    """Return the payment of an episode with this verdict, or None if it has no verdict or no profile.

    An empty profile name stands for the run's own profile.
    """
    if verdict is None or profile is None:
        return None
    return await calls.episode_rewards(episode, profile=profile or None)


def find_reason(verdict: Verdict | None) -> str:
    """Return a verdict's reason, or a phrase for a missing verdict."""
    return verdict.reason if verdict else "no verdict came in time"


def unpaid_reason(verdict: Verdict | None, rewards: Rewards | None) -> str:
    """Return why an episode has no reward: the verdict's reason, or the profile's unknown terms."""
    if verdict is None or verdict.is_void or rewards is None:
        return find_reason(verdict)
    return "not known: " + ", ".join(name for name, paid in rewards.terms.items() if paid is None)


def describe_unpaid(episode: int | None, verdict: Verdict | None, rewards: Rewards | None) -> str:
    """Return a sentence on why an episode has no reward."""
    return f"Episode {episode} has no reward ({unpaid_reason(verdict, rewards)})."


def find_reward(verdict: Verdict | None, rewards: Rewards | None) -> float | None:
    """Return an episode's reward, which is the profile's total if a profile was named, else the verdict's."""
    if rewards is not None:
        return rewards.total
    return verdict.reward if verdict else None
