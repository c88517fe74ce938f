"""Episodes of the gym for a batch of tasks: pages in, choices out, recorded verdicts back."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from prompts import Prompt, page_prompt, text_prompt

from palaestra import Client
from palaestra.completion import Completion
from palaestra.engine import Engine
from palaestra.episode import EpisodeConfig

OBSERVATION = "axtree-v2"
# One plain look with the form below the question: what is learnt here is the question, not looks.
LOOK = {
    "form": "below",
    "panels": "none",
    "pop_ups": "none",
    "slow": "never",
    "layout": "card",
    "wording": "question",
}
QUIET_S = 0.1
Score = Callable[[Sequence[Prompt]], list[list[float]]]
"""The probabilities of what each prompt offers."""


@dataclass
class Batch:
    """What a rollout came to: for each group its prompt, the choices of its samples and their rewards."""

    prompts: list[Prompt] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    rewards: list[list[float | None]] = field(default_factory=list)
    tasks: list[int] = field(default_factory=list)


class Chooser:
    """A policy of the client's engine that scores each distinct prompt once, all that wait together.

    ``greedy`` takes the likeliest choice; otherwise one is drawn, by seed, task and sample.
    """

    simulated = False

    def __init__(self, score: Score, *, name: str, seed: int, version: int, greedy: bool = False) -> None:
        self.name, self._score, self._seed, self._version, self._greedy = name, score, seed, version, greedy
        self.made: dict[int, tuple[Prompt, int]] = {}
        self._waiting: dict[Prompt, asyncio.Future[list[float]]] = {}
        self._scoring: asyncio.Task[None] | None = None

    async def act(self, observation, episode) -> Completion | None:
        if episode.step > 1:
            return None  # nothing was submitted: the choice was no option
        is_page = episode.arm == "gym"
        prompt = page_prompt(observation.text) if is_page else text_prompt(_question(observation.messages))
        chances = await self._chances_of(prompt)
        choice = self._pick(chances, f"{self._seed}/{self._version}/{episode.task}/{episode.sample_index}")
        self.made[episode.id] = prompt, choice
        sampling = {"temperature": 0.0 if self._greedy else 1.0, "free_tokens": 1}
        return Completion(
            text=prompt.completion(choice), model=self.name, sampling=sampling, policy_version=self._version
        )

    @property
    def chances(self) -> dict[Prompt, list[float]]:
        return {prompt: scored.result() for prompt, scored in self._waiting.items()}

    async def _chances_of(self, prompt: Prompt) -> list[float]:
        if prompt not in self._waiting:
            self._waiting[prompt] = asyncio.get_running_loop().create_future()
        if self._scoring is None or self._scoring.done():
            self._scoring = asyncio.create_task(self._score_when_quiet())
        return await asyncio.shield(self._waiting[prompt])

    async def _score_when_quiet(self) -> None:
        """Score the prompts that wait once no more have come for a moment, until none is left."""
        while prompts := await self._waiting_when_quiet():
            try:
                rows = await asyncio.to_thread(self._score, prompts)
            except Exception as failure:  # noqa: BLE001 (each episode that waits for it ends with it)
                for prompt in prompts:
                    self._waiting[prompt].set_exception(failure)
                continue
            for prompt, chances in zip(prompts, rows, strict=True):
                self._waiting[prompt].set_result(chances)

    async def _waiting_when_quiet(self) -> list[Prompt]:
        count = -1
        while count != len(self._waiting):
            count = len(self._waiting)
            await asyncio.sleep(QUIET_S)
        return [prompt for prompt, chances in self._waiting.items() if not chances.done()]

    def _pick(self, chances: Sequence[float], place: str) -> int:
        if self._greedy:
            return max(range(len(chances)), key=chances.__getitem__)
        seed = int.from_bytes(hashlib.sha256(place.encode()).digest()[:8])
        return Random(seed).choices(range(len(chances)), weights=chances)[0]


async def play(
    client: Client,
    *,
    run: int,
    tasks: Sequence[int],
    chooser: Chooser,
    arm: str = "gym",
    samples: int = 1,
    **opening,
) -> Batch:
    """Play ``samples`` episodes of every task; groups come in the order of the tasks."""
    config = EpisodeConfig(observation=OBSERVATION, actions_per_turn=2)
    pages = len(tasks) * samples
    async with Engine(client, pages=pages, config=config, browser="lite") as engine:
        done = await engine.rollout(
            run=run,
            tasks=tasks,
            policy=chooser,
            arm=arm,
            samples_per_task=samples,
            presentation=LOOK if arm == "gym" else {},
            **opening,
        )
    batch = Batch()
    for first in range(0, len(done), samples):
        group = [one for one in done[first : first + samples] if one.episode in chooser.made]
        if not group:
            continue  # no page of it could be read
        batch.prompts.append(chooser.made[group[0].episode][0])
        batch.choices.append([chooser.made[one.episode][1] for one in group])
        batch.rewards.append([one.verdict.reward if one.verdict else None for one in group])
        batch.tasks.append(group[0].task)
    return batch


def _question(messages) -> str:
    """The question in the opening messages of an arm without a page: the last one of the user."""
    return str(next(message["content"] for message in reversed(messages) if message["role"] == "user"))
