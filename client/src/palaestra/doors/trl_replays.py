"""Stored successes that replace failures, if the run has the setting ``replay``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import convert

from palaestra.api import Client
from palaestra.api.reward_calls import find_reward, rewards_read
from palaestra.conversation import conversation_rebuild
from palaestra.records import Message, Verdict
from palaestra.records.curation import Replayed

Tokenize = Callable[[Sequence[Sequence[Message]], Sequence[str]], dict[str, Any]]


class Replays:
    """Replays for the groups of one run."""

    def __init__(self, client: Client, run: int, *, reward_profile: str | None = None) -> None:
        self._client, self._run, self._reward_profile = client, run, reward_profile
        self._after: int | None = None
        self._is_on = False

    async def begin(self) -> None:
        """Note the current position in the stream of groups; call this before groups are opened."""
        if self._after is None:
            run = await self._client.run(self._run)
            self._after, self._is_on = run.verdicts or 0, run.settings.get("replay") is not None

    async def substitute(self, ends: list[dict[str, Any]], tokenize: Tokenize) -> None:
        """Replace failures in ``ends``, the ended episodes as TRL gets them, with stored successes."""
        if not self._is_on:
            return
        replayed = await self._read({end["group"] for end in ends})
        for index, end in enumerate(ends):
            replay = replayed.get(end["group"])
            if replay is not None and end["episode"] == replay.instead_of:
                ends[index] = {**end, **await self._convert(replay, tokenize)}

    async def _read(self, groups: Collection[int]) -> dict[int, Replayed]:
        """Return the replays of those groups that are complete."""
        replayed, missing = {}, set(groups)
        while missing:
            page = await self._client.groups_page(self._run, after=self._after)
            self._after = int(page.next or 0)
            for group in page.results:
                if group.group in missing and group.replayed is not None:
                    replayed[group.group] = group.replayed
                missing.discard(group.group)
            if not page.results:  # its group is incomplete, since an episode has no verdict
                break
        return replayed

    async def _convert(self, replay: Replayed, tokenize: Tokenize) -> dict[str, Any]:
        prompts = await conversation_rebuild(self._client, replay.episode)
        trajectory = await self._client.trajectory(replay.episode)
        tokens = tokenize(prompts, [step["raw"] for step in trajectory["steps"]])
        verdict = convert(trajectory["verdict"], Verdict)
        rewards = await rewards_read(
            self._client, replay.episode, verdict=verdict, profile=self._reward_profile
        )
        paid = {"reward": find_reward(verdict, rewards), "rewards": rewards}
        return {**tokens, **paid, "reason": "replayed", "episode": replay.episode}
