"""Episodes of the gym for a batch of tasks, from pages to choices to recorded verdicts."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, TypeVar

from prompts import INSTRUCTION, Prompt, page_prompt, quoting, text_prompt

from palaestra import Client
from palaestra.completion import Completion
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig

OBSERVATION = "axtree-v2"
# One plain look with the form below the question, because the model is to learn questions, not looks.
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
"""Returns the probabilities of each prompt's choices."""
Question, Answer = TypeVar("Question"), TypeVar("Answer")


@dataclass
class Batch:
    """The result of a rollout: the prompts, choices and rewards of each group's samples.

    ``paid`` are the rewards under the reward profile; without one, they equal ``rewards``.
    """

    contexts: list[list[Any]] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    rewards: list[list[float | None]] = field(default_factory=list)
    paid: list[list[float | None]] = field(default_factory=list)
    tasks: list[int] = field(default_factory=list)
    episodes: list[list[int]] = field(default_factory=list)

    @property
    def prompts(self) -> list[Prompt]:
        """One prompt per group, since without thoughts all samples of a group share it."""
        return [group[0] for group in self.contexts]


class Together(Generic[Question, Answer]):
    """Batches questions that arrive at about the same time into one call, without duplicates."""

    def __init__(self, answer: Callable[[Sequence[Question]], Sequence[Answer]]) -> None:
        self._answer = answer
        self._waiting: dict[Question, asyncio.Future[Answer]] = {}
        self._answering: asyncio.Task[None] | None = None

    @property
    def answers(self) -> dict[Question, Answer]:
        return {question: answer.result() for question, answer in self._waiting.items()}

    async def answer(self, question: Question) -> Answer:
        if question not in self._waiting:
            self._waiting[question] = asyncio.get_running_loop().create_future()
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._answer_when_quiet())
        return await asyncio.shield(self._waiting[question])

    async def _answer_when_quiet(self) -> None:
        """Answer the waiting questions whenever none has arrived for a moment, until none are left."""
        while waiting := await self._waiting_when_quiet():
            try:
                answers = await asyncio.to_thread(self._answer, waiting)
            except Exception as failure:  # noqa: BLE001 (passed on to every episode that is waiting)
                for question in waiting:
                    self._waiting[question].set_exception(failure)
                continue
            for question, answer in zip(waiting, answers, strict=True):
                self._waiting[question].set_result(answer)

    async def _waiting_when_quiet(self) -> list[Question]:
        count = -1
        while count != len(self._waiting):
            count = len(self._waiting)
            await asyncio.sleep(QUIET_S)
        return [question for question, answer in self._waiting.items() if not answer.done()]


class Chooser:
    """A policy for the client's engine that scores each distinct prompt once, in batches.

    If ``greedy``, it takes the likeliest choice; otherwise it draws one from seed, task and sample. With
    ``quotes``, it chooses a row of the page's table first.
    """

    simulated = False

    def __init__(
        self, score: Score, *, name: str, seed: int, version: int, greedy: bool = False, quotes: bool = False
    ) -> None:
        self.name, self._seed, self._version, self._greedy = name, seed, version, greedy
        self._quotes, self.free_tokens = quotes, 2 if quotes else 1
        self.choices: dict[int, tuple[Any, int]] = {}
        self._scored = Together(score)

    async def act(self, observation, episode) -> Completion | None:
        if episode.step > 1:
            return None  # the first choice was not an option, so nothing was submitted
        is_page = episode.arm == "gym"
        if is_page:
            prompt = page_prompt(observation.text, _guidance(observation.messages))
        else:
            prompt = text_prompt(_question(observation.messages))
        context, choice = await self.choose(
            quoting(prompt) if self._quotes else prompt,
            f"{self._seed}/{self._version}/{episode.task}/{episode.sample_index}",
        )
        self.choices[episode.id] = context, choice
        sampling = {"temperature": 0.0 if self._greedy else 1.0, "free_tokens": self.free_tokens}
        return Completion(
            text=context.completion(choice), model=self.name, sampling=sampling, policy_version=self._version
        )

    async def choose(self, prompt: Prompt, seed: str) -> tuple[Any, int]:
        """Return the context of the choice and the choice itself."""
        return prompt, self._pick(await self._scored.answer(prompt), seed)

    @property
    def chances(self) -> dict[Prompt, list[float]]:
        return self._scored.answers

    def _pick(self, chances: Sequence[float], seed: str) -> int:
        if self._greedy:
            return max(range(len(chances)), key=chances.__getitem__)
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8])
        return Random(number).choices(range(len(chances)), weights=chances)[0]


async def play(
    client: Client,
    *,
    run: int,
    tasks: Sequence[int],
    chooser: Chooser,
    arm: str = "gym",
    samples: int = 1,
    profile: str | None = None,
    **opening,
) -> Batch:
    """Play ``samples`` episodes of every task. The groups are in the order of the tasks.

    A reward ``profile`` determines ``paid``; an empty name stands for the run's own profile.
    """
    config = EpisodeConfig(observation=OBSERVATION, actions_per_turn=2)
    pages = len(tasks) * samples
    engine = Engine(client, pages=pages, config=config, browser="lite", reward_profile=profile)
    async with engine:
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
        group = [each for each in done[first : first + samples] if each.episode in chooser.choices]
        if not group:
            continue  # none of its pages could be read
        batch.contexts.append([chooser.choices[each.episode][0] for each in group])
        batch.choices.append([chooser.choices[each.episode][1] for each in group])
        batch.rewards.append([each.verdict.reward if each.verdict else None for each in group])
        batch.paid.append([each.reward for each in group])
        batch.tasks.append(group[0].task)
        batch.episodes.append([each.episode for each in group])
    return batch


def _question(messages) -> str:
    """Return the question in an arm without a page, which is the last user message."""
    return str(next(message["content"] for message in reversed(messages) if message["role"] == "user"))


def _guidance(messages) -> str:
    """Return the beginning of a solution if the gym has appended one to the task, else an empty string."""
    prefixes = (str(message["content"]).partition(f"{INSTRUCTION}\n\n")[2] for message in messages)
    return next(filter(None, prefixes), "")
