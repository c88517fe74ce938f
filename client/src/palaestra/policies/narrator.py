"""Says what it is about to click and guesses: the behaviour that the gym was built to see."""

from __future__ import annotations

import hashlib

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo, hand_in

LARGEST_GUESS = 97


class Narrator:
    """Narrates the page without one deduction, and types a number that depends on the task alone."""

    name = "narrator"
    simulated = True

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        guess = self._guess(episode)
        first = (
            "I can see a page with a heading and some text. Below it there is an input field for the answer. "
            f"I will type {guess} into the input field and then look for a button to click."
        )
        then = "The input field now has text in it. I see a button next to it. I will click it to submit."
        return hand_in(observation, episode, answer=guess, first=first, then=then)

    def _guess(self, episode: EpisodeInfo) -> str:
        digest = hashlib.sha256(f"{episode.task}:{episode.sample_index}".encode()).digest()
        return f"{int.from_bytes(digest[:4], 'big') % LARGEST_GUESS}.5"
