"""Episodes of the gym for a batch of tasks: pages in, choices out, recorded verdicts back."""

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
Question, Answer = TypeVar("Question"), TypeVar("Answer")


@dataclass
class Batch:
    """The result of a rollout: for each group its samples' prompts, choices and rewards, and what they were
    ``paid``, which is the same without a reward profile."""

    contexts: list[list[Any]] = field(default_factory=list)
    choices: list[list[int]] = field(default_factory=list)
    rewards: list[list[float | None]] = field(default_factory=list)
    paid: list[list[float | None]] = field(default_factory=list)
    tasks: list[int] = field(default_factory=list)
    episodes: list[list[int]] = field(default_factory=list)

    @property
    def prompts(self) -> list[Prompt]:
        """One for each group: where no thoughts are written its samples have the same."""
        return [group[0] for group in self.contexts]


class Together(Generic[Question, Answer]):
    """Answers all questions of about the same time in one call, and each distinct one once."""

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
        """Answer what waits once no more has come for a moment, until nothing is left."""
        while waiting := await self._waiting_when_quiet():
            try:
                answers = await asyncio.to_thread(self._answer, waiting)
            except Exception as failure:  # noqa: BLE001 (each episode that waits for it ends with it)
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
    """A policy of the client's engine that scores each distinct prompt once, all that wait together.

    ``greedy`` takes the likeliest choice; otherwise one is drawn, by seed, task and sample. One that
    ``quotes`` chooses a row of the page's table before.
    """

    simulated = False

    def __init__(
        self, score: Score, *, name: str, seed: int, version: int, greedy: bool = False, quotes: bool = False
    ) -> None:
        self.name, self._seed, self._version, self._greedy = name, seed, version, greedy
        self._quotes, self.free_tokens = quotes, 2 if quotes else 1
        self.made: dict[int, tuple[Any, int]] = {}
        self._scored = Together(score)

    async def act(self, observation, episode) -> Completion | None:
        if episode.step > 1:
            return None  # nothing was submitted: the choice was no option
        is_page = episode.arm == "gym"
        if is_page:
            prompt = page_prompt(observation.text, _guidance(observation.messages))
        else:
            prompt = text_prompt(_question(observation.messages))
        context, choice = await self.choose(
            quoting(prompt) if self._quotes else prompt,
            f"{self._seed}/{self._version}/{episode.task}/{episode.sample_index}",
        )
        self.made[episode.id] = context, choice
        sampling = {"temperature": 0.0 if self._greedy else 1.0, "free_tokens": self.free_tokens}
        return Completion(
            text=context.completion(choice), model=self.name, sampling=sampling, policy_version=self._version
        )

    async def choose(self, prompt: Prompt, place: str) -> tuple[Any, int]:
        """What was chosen from, and the choice."""
        return prompt, self._pick(await self._scored.answer(prompt), place)

    @property
    def chances(self) -> dict[Prompt, list[float]]:
        return self._scored.answers

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
    profile: str | None = None,
    **opening,
) -> Batch:
    """Play ``samples`` episodes of every task; groups come in the order of the tasks.

    A reward ``profile`` says what they are paid: of the run by an empty name.
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
        group = [one for one in done[first : first + samples] if one.episode in chooser.made]
        if not group:
            continue  # no page of it could be read
        batch.contexts.append([chooser.made[one.episode][0] for one in group])
        batch.choices.append([chooser.made[one.episode][1] for one in group])
        batch.rewards.append([one.verdict.reward if one.verdict else None for one in group])
        batch.paid.append([one.reward for one in group])
        batch.tasks.append(group[0].task)
        batch.episodes.append([one.episode for one in group])
    return batch


def _question(messages) -> str:
    """The question in the opening messages of an arm without a page: the last one of the user."""
    return str(next(message["content"] for message in reversed(messages) if message["role"] == "user"))


def _guidance(messages) -> str:
    """The beginning of a solution, where the gym has put one below the task."""
    told = (str(message["content"]).partition(f"{INSTRUCTION}\n\n")[2] for message in messages)
    return next(filter(None, told), "")
