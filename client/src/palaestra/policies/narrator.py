"""Says what it is about to click and guesses: the behaviour that the gym was built to see."""

from __future__ import annotations

import hashlib

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.reply import Reply, hand_in, page_read

LARGEST_GUESS = 97
PROGRAM = "def answer(*values):\n    return None"


class Narrator:
    """Narrates the page without one deduction, and answers by the task's number alone."""

    name = "narrator"
    simulated = True

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        guess = self._guess(observation, episode)
        first = (
            "I can see a page with a heading and some text. Below it there is an input field for the answer. "
            f"I will enter {guess} there and then look for a button to click."
        )
        then = "The input field is filled in now. I see a button next to it. I will click it to submit."
        return hand_in(observation, episode, reply=Reply(values=(guess,)), first=first, then=then)

    def _guess(self, observation: Observation, episode: EpisodeInfo) -> str:
        digest = hashlib.sha256(f"{episode.task}:{episode.sample_index}".encode()).digest()
        number = int.from_bytes(digest[:4], "big")
        if episode.answer_form == "program":
            return PROGRAM
        radios = page_read(observation).radios
        if radios:
            return radios[number % len(radios)][1].partition(". ")[0]
        return f"{number % LARGEST_GUESS}.5"
