"""A policy that narrates its clicks and guesses, which is the behaviour that the gym was built to detect."""

from __future__ import annotations

import hashlib

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.question_page import page_read
from palaestra.policies.submission import PlannedAnswer, write_completion

LARGEST_GUESS = 97
PROGRAM = "def answer(*values):\n    return None"


class Narrator:
    """Narrates the page without a single deduction; its guess depends only on the task id and the sample."""

    name = "narrator"
    simulated = True

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        guess = self._guess(observation, episode)
        reasoning = (
            "I can see a page with a heading and some text. Below it there is an input field for the answer. "
            f"I will enter {guess} there and then look for a button to click."
        )
        closing = "The input field is filled in now. I see a button next to it. I will click it to submit."
        answer = PlannedAnswer(values=(guess,))
        return write_completion(observation, episode, answer=answer, reasoning=reasoning, closing=closing)

    def _guess(self, observation: Observation, episode: EpisodeInfo) -> str:
        digest = hashlib.sha256(f"{episode.task}:{episode.sample_index}".encode()).digest()
        number = int.from_bytes(digest[:4], "big")
        if episode.answer_form == "program":
            return PROGRAM
        radios = page_read(observation).radios
        if radios:
            return radios[number % len(radios)].name.partition(". ")[0]
        return f"{number % LARGEST_GUESS}.5"
