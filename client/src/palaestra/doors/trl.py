"""The door for TRL: rollouts for ``GRPOTrainer``, which opens all groups of a training step together.

``GRPOTrainer(..., train_dataset=rollouts.dataset(tasks), rollout_func=rollouts, reward_funcs=verdict)``
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import re
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from datasets import Dataset
from trl import GRPOTrainer

from palaestra.api import Client
from palaestra.api.reward_calls import find_reason
from palaestra.completion import CUT_FOR_LENGTH, Completion
from palaestra.doors.loop_thread import LoopThread
from palaestra.doors.rollouts import Addresses, history_check, messages_new, messages_textual, token_read
from palaestra.doors.tokens import tokens_text
from palaestra.doors.trl_replays import Replays
from palaestra.engine import DEFAULT_PAGES, Engine
from palaestra.env import SETTINGS, config_take
from palaestra.errors import PalaestraError
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo, PolicyStopped
from palaestra.records import Message, Task, Usage
from palaestra.records.rewards import Rewards
from palaestra.remote_engine import RemoteEngine
from palaestra.rollouts import Rollout
from palaestra.thoughts import Tags

# TRL passes on nothing but prompts, so they name the task; its text comes with the page.
PROMPT = "Palaestra's task {}"
_TASK = re.compile(r"Palaestra's task (\d+)")
NOT_FOR_TRAINING = (
    "Run {} is of kind {!r}: it is judged as an evaluation, and its choices keep their order. "
    "Train in a run of kind 'train'."
)
LINGER_S = 1.0  # how long a batch waits for episodes whose page is slow
Ids = list[int]
Generated = tuple[list[Ids], list[list[float]] | None]
Generate = Callable[[list[Ids], GRPOTrainer], Generated]


def verdict(*, reward: list[float | None], log_metric: Any = None, **_: Any) -> list[float | None]:
    """Return the recorded rewards, or those that the reward profile pays; use it as TRL's reward function.

    A void verdict's reward is None, which TRL leaves out of the group's mean.
    """
    if log_metric is not None:
        log_metric("void", sum(value is None for value in reward) / len(reward))
    return reward


def component(name: str) -> Callable[..., list[float | None]]:
    """Return a reward function of one component, for use with ``reward_weights`` and a ``reward_profile``.

    In a sum of several functions, TRL counts None as 0, unless all of a sample's values are None, in which
    case it leaves out the sample. So a component's function returns None for an episode without the
    component, and the functions of all components return None if the total is unknown.
    """

    def score(*, rewards: list[Rewards | None], **_: Any) -> list[float | None]:
        return [None if paid is None or paid.total is None else paid.components.get(name) for paid in rewards]

    score.__name__ = name
    return score


def generate_in_trl(prompts: list[Ids], trainer: GRPOTrainer) -> Generated:
    """Generate one turn of each conversation in the trainer's own way, with vLLM or ``generate``."""
    return trainer._generate_single_turn(prompts, None, {}, 1)


class GroupRollouts:
    """A ``rollout_func`` that plays each task once per occurrence of its prompt, all samples in one group.

    At most ``pages`` episodes have a page at the same time, which also limits the model's batch. With
    ``stages``, a list of addresses, the pages are on these stages. With the run's setting ``replay``, stored
    successes replace failures during training, unless generation returns logprobs, which stored successes do
    not have. With a ``reward_profile`` the reward is the profile's total, and ``component`` makes a reward
    function of one part. ``generate`` may replace the trainer's generation. Other keywords are those of
    ``Env``; observations and the grammar must be textual, and the history must be ``full``. Call ``close``
    after training.

    Raises ``PalaestraError`` for another history, or for a prompt that ``dataset`` did not make.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        run: int,
        pages: int = DEFAULT_PAGES,
        stages: Addresses = (),
        generate: Generate = generate_in_trl,
        arm: str = "gym",
        browser: str = "chromium",
        reward_profile: str | None = None,
        **keywords: Any,
    ) -> None:
        self._settings = {name: keywords[name] for name in SETTINGS & keywords.keys()}
        history_check(self._settings)
        self._config = config_take(keywords)
        self._client = Client(server, key)
        self._replays = Replays(self._client, run, reward_profile=reward_profile)
        self._reward_profile = reward_profile
        self._opening = {"run": run, "arm": arm, **keywords}
        self._pages, self._generate, self._browser, self._stages = pages, generate, browser, stages
        self._loop = LoopThread()
        self._engine: Engine | RemoteEngine | None = None
        self._is_kind_checked = False

    def dataset(self, tasks: Iterable[Task | int]) -> Dataset:
        """Return a dataset with a row per task, for use as ``train_dataset`` or ``eval_dataset``."""
        numbers = [task if isinstance(task, int) else task.id for task in tasks]
        return Dataset.from_dict({"prompt": [PROMPT.format(number) for number in numbers]})

    def __call__(self, prompts: list[str], trainer: GRPOTrainer) -> dict[str, Any]:
        tasks = [parse_task(prompt) for prompt in prompts]
        if trainer.model.training and not self._is_kind_checked:
            self._kind_check()
        if trainer.model.training:
            self._loop.call(self._replays.begin())
        tags = self._config.thought_tags
        turns = _Turns(trainer, total=len(tasks), at_once=self._pages, thought_tags=tags)
        playing = self._loop.start(self._play(Counter(tasks), turns, trainer.state.global_step))
        turns.serve(self._generate, until=playing)
        played = playing.result()
        if turns.failure is not None:
            raise turns.failure
        ends = [turns.convert(played[task].pop(0)) for task in tasks]
        if trainer.model.training and not turns.has_logprobs:
            self._loop.call(self._replays.substitute(ends, turns.encode_stored))
        return {name: [end[name] for end in ends] for name in ends[0]} | turns.collect_logprobs(ends)

    def close(self) -> None:
        """Close the browser."""
        if self._loop.is_running:
            self._loop.call(self._aclose())
            self._loop.end()

    # ---- inside
    def _kind_check(self) -> None:
        """Warn if the run is not of kind ``train``, because nothing else would reveal it."""
        run = self._loop.call(self._client.run(self._opening["run"]))
        if run.kind != "train":
            warnings.warn(NOT_FOR_TRAINING.format(run.id, run.kind), stacklevel=3)
        self._is_kind_checked = True

    async def _play(
        self, counts: Counter[int], turns: _Turns, policy_version: int
    ) -> defaultdict[int, list[Rollout]]:
        """Return the rollouts of each task; tasks with the same number of samples are opened together."""
        if self._engine is None:
            self._engine = await self._engine_make()
        tasks_by_count: defaultdict[int, list[int]] = defaultdict(list)
        for task, count in counts.items():
            tasks_by_count[count].append(task)
        opening = {**self._opening, "policy_version": policy_version, "on_done": turns.count, "policy": turns}
        rollouts = await asyncio.gather(
            *(
                self._engine.rollout(tasks=tasks, samples_per_task=count, **opening)
                for count, tasks in tasks_by_count.items()
            )
        )
        played: defaultdict[int, list[Rollout]] = defaultdict(list)
        for rollout in itertools.chain.from_iterable(rollouts):
            played[rollout.task].append(rollout)
        return played

    async def _engine_make(self) -> Engine | RemoteEngine:
        if self._stages:
            settings = {"browser": self._browser, "reward_profile": self._reward_profile, **self._settings}
            return RemoteEngine(self._stages, token_read(), inflight=self._pages, **settings)
        engine = Engine(
            self._client,
            pages=self._pages,
            config=self._config,
            browser=self._browser,
            reward_profile=self._reward_profile,
        )
        return await engine.__aenter__()

    async def _aclose(self) -> None:
        if isinstance(self._engine, Engine):
            await self._engine.__aexit__()
        await self._client.aclose()


def parse_task(prompt: str) -> int:
    """Return the id of the task in a prompt. Raises ``PalaestraError`` if there is none."""
    match = _TASK.search(prompt)
    if match is None:
        raise PalaestraError(f"No task in the prompt {prompt!r}: create the dataset with rollouts.dataset.")
    return int(match[1])


@dataclass
class _Tokens:
    """An episode as a single token sequence.

    The first prompt is followed by alternating tokens of the model (mask 1) and of pages (mask 0).
    """

    prompt: Ids
    completion: Ids = field(default_factory=list)
    is_model: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    def add(self, ids: Ids, *, logprobs: list[float] | None = None, is_model: bool) -> None:
        self.completion += ids
        self.is_model += [int(is_model)] * len(ids)
        self.logprobs += logprobs or [0.0] * len(ids)

    def to_fields(self) -> dict[str, list[Any]]:
        """Return the sequence under TRL's field names."""
        return {
            "prompt_ids": self.prompt,
            "completion_ids": self.completion,
            "env_mask": self.is_model,
            "logprobs": self.logprobs,
        }


@dataclass
class _Prompt:
    ids: Ids
    answer: Future[tuple[Ids, list[float] | None]] = field(default_factory=Future)


class _Turns:
    """The policy of one call of the ``rollout_func``.

    Turns are taken in the loop's thread, and answered in batches in the trainer's thread, because only that
    thread may call the model.
    """

    simulated = False

    def __init__(
        self, trainer: GRPOTrainer, *, total: int, at_once: int, thought_tags: Sequence[Tags] = ()
    ) -> None:
        self.failure: BaseException | None = None
        self._trainer = trainer
        self._tokenizer = trainer._tokenizer
        self._context = getattr(trainer.model.config, "max_position_embeddings", None)
        self.name = str(trainer.model.config._name_or_path or type(trainer.model).__name__)
        self._left, self._at_once, self._thought_tags = total, at_once, thought_tags
        self._waiting: queue.Queue[_Prompt] = queue.Queue()
        self._tokens: dict[int, _Tokens] = {}
        self.has_logprobs = False

    # ---- in the loop's thread
    async def act(self, observation: Observation, episode: EpisodeInfo) -> Completion:
        tokens = self._extend(episode.id, observation.messages)
        turn = _Prompt(tokens.prompt + tokens.completion)
        room = self._trainer.max_completion_length
        if self._context is not None and len(turn.ids) + room > self._context:
            raise PolicyStopped("context_length", f"{len(turn.ids)} and {room} of {self._context} tokens")
        started = time.perf_counter()
        if self.failure is None:
            self._waiting.put(turn)
            with episode.clock.paused():
                ids, logprobs = await asyncio.wrap_future(turn.answer)
        else:
            raise PolicyStopped("model_error", repr(self.failure))
        tokens.add(ids, logprobs=logprobs, is_model=True)
        is_cut = not ids or ids[-1] not in self._trainer.eos_token_ids
        return Completion(
            text=tokens_text(self._tokenizer, ids, tags=self._thought_tags),
            usage=Usage(prompt=len(turn.ids), completion=len(ids)),
            finish_reason=CUT_FOR_LENGTH if is_cut else "stop",
            model=self.name,
            model_ms=(time.perf_counter() - started) * 1000,
            policy_version=self._trainer.state.global_step,
        )

    def count(self, _: Rollout) -> None:
        """Count an episode as ended, so that batches no longer wait for its turns."""
        self._left -= 1

    def _extend(self, episode: int, messages: list[Message]) -> _Tokens:
        """Return an episode's sequence, extended by the messages after the model's last message."""
        messages_textual(messages)
        tokens = self._tokens.get(episode)
        if tokens is None:
            tokens = self._tokens[episode] = _Tokens(self._apply_template(messages))
        else:
            tokens.add(self._encode_between(messages_new(messages)), is_model=False)
        return tokens

    def _encode_between(self, messages: list[Message]) -> Ids:
        """Return the tokens between the end of a completion and the beginning of the next.

        They are taken from a short dialogue, because rendering the real one again could tokenize the model's
        text differently from the tokens that it sampled.
        """
        some = [{"role": "user", "content": "."}, {"role": "assistant", "content": "."}]
        before, whole = self._apply_template(some, is_prompt=False), self._apply_template(some + messages)
        ends = [index for index, token in enumerate(before) if token in self._trainer.eos_token_ids]
        before = before[: ends[-1] + 1] if ends else before
        if whole[: len(before)] != before:
            raise PalaestraError(
                "The chat template changes earlier messages, so their tokens cannot be kept."
            )
        return whole[len(before) :]

    def _apply_template(self, messages: list[Message], *, is_prompt: bool = True) -> Ids:
        return list(
            self._tokenizer.apply_chat_template(
                messages,
                add_generation_prompt=is_prompt,
                tokenize=True,
                return_dict=False,
                chat_template=self._trainer.chat_template,
                **self._trainer.chat_template_kwargs,
            )
        )

    # ---- in the trainer's thread
    def serve(self, generate: Generate, *, until: Future[Any]) -> None:
        """Answer turns until all episodes have ended; if the model fails, close them as ``model_error``."""
        while not until.done():
            batch = self._collect_batch(until)
            if not batch:
                continue
            try:
                if self.failure is not None:
                    raise self.failure
                ids, logprobs = generate([turn.ids for turn in batch], self._trainer)
                self.has_logprobs |= logprobs is not None
                for index, turn in enumerate(batch):
                    turn.answer.set_result((ids[index], logprobs[index] if logprobs else None))
            except BaseException as failure:
                self.failure = failure
                for turn in batch:
                    if not turn.answer.done():
                        turn.answer.set_exception(PolicyStopped("model_error", repr(failure)))

    def _collect_batch(self, until: Future[Any]) -> list[_Prompt]:
        batch: list[_Prompt] = []
        while len(batch) < max(1, min(self._at_once, self._left)):
            try:
                batch.append(self._waiting.get(timeout=LINGER_S))
            except queue.Empty:
                if batch or until.done():
                    break
        return batch

    def convert(self, rollout: Rollout) -> dict[str, Any]:
        """Return an episode's fields for TRL; an episode without a turn gets a single masked token."""
        tokens = self._tokens.get(rollout.episode) or _Tokens([self._tokenizer.eos_token_id])
        if not tokens.completion:
            tokens.add([self._tokenizer.eos_token_id], is_model=False)
        return {
            **tokens.to_fields(),
            "reward": rollout.reward,
            "rewards": rollout.rewards,
            "reason": find_reason(rollout.verdict),
            "episode": rollout.episode,
            "group": rollout.group,
        }

    def encode_stored(self, prompts: Sequence[Sequence[Message]], raws: Sequence[str]) -> dict[str, Any]:
        """Return a stored episode's sequence, made from the messages and the completion of each step."""
        tokens: _Tokens | None = None
        for messages, raw in zip(prompts, raws, strict=True):
            messages_textual(messages)
            if tokens is None:
                tokens = _Tokens(self._apply_template(list(messages)))
            else:
                tokens.add(self._encode_between(messages_new(messages)), is_model=False)
            written = self._tokenizer.encode(raw, add_special_tokens=False)
            tokens.add([*written, self._tokenizer.eos_token_id], is_model=True)
        tokens = tokens or _Tokens([self._tokenizer.eos_token_id])
        return tokens.to_fields()

    def collect_logprobs(self, ends: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the logprobs from generation, or None, in which case the trainer computes its own."""
        return {"logprobs": [end["logprobs"] for end in ends] if self.has_logprobs else None}
