"""A policy that does nothing, as the lower bound of every score."""

from __future__ import annotations

from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.protocol.arms import arm_of


class Null:
    """Does nothing for one turn, then stops without an answer."""

    name = "null"
    simulated = True

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        if episode.step > 1:
            return None
        thought = "I have looked at this and have nothing to say about it."
        return thought if arm_of(episode.arm).is_free_text else f"{thought}\n{action_line('noop')}"
