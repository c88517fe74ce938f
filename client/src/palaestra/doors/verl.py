"""The door for verl: the agent loop ``palaestra``.

Declare it, with its settings, in the file at ``actor_rollout_ref.rollout.agent.agent_loop_config_path``:

- name: palaestra
  _target_: palaestra.doors.verl.PalaestraLoop
  server: http://127.0.0.1:8001
  run: 12
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from omegaconf import OmegaConf
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
from verl.workers.rollout.replica import TokenOutput

from palaestra.api.reward_calls import find_reward, unpaid_reason
from palaestra.completion import CUT_FOR_LENGTH, Completion
from palaestra.doors.rollouts import AnyEnv, Rollouts, history_check, key_read, messages_textual
from palaestra.doors.tokens import tokens_text
from palaestra.engine import DEFAULT_PAGES
from palaestra.env import StepInfo
from palaestra.errors import VoidEpisode
from palaestra.records import Message, Task, Usage

AGENT = "palaestra"
ABORTED = ("aborted", "abort")
# verl's fields for the version of the weights, in a turn and in an episode's first and last turn.
VERSION, FIRST, LAST = "global_steps", "min_global_steps", "max_global_steps"
SEED_BITS = 62
TRIES = 3
_ROLLOUTS: dict[
    str, Rollouts
] = {}  # shared by the whole process, because verl creates a loop for every sample


@dataclass
class _Sequence:
    """The first prompt, followed by alternating tokens of the model (mask 1) and of pages (mask 0)."""

    prompt: list[int]
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] | None = None
    versions: dict[str, Any] = field(default_factory=dict)
    model_s: float = 0.0
    env_s: float = 0.0

    @property
    def whole(self) -> list[int]:
        return self.prompt + self.ids

    def update(self, merged: Any) -> None:
        """Replace the sequence with the result of verl's own token merging."""
        result, self.mask, self.logprobs = merged
        begin = len(result.token_ids) - len(self.mask)
        self.prompt, self.ids = list(result.token_ids[:begin]), list(result.token_ids[begin:])


class PalaestraLoop(AgentLoopBase):
    """Agent loop that plays an episode of the row's ``task``.

    Rows with the same ``uid``, which verl gives to all samples of a prompt, form a group. ``turn_tokens``
    limits the model's tokens per turn. ``settings`` are further keywords of ``palaestra.Env``. A void episode
    is played again, up to ``tries`` times in total, unless the model failed.
    """

    def __init__(
        self,
        *args: Any,
        server: str,
        run: int,
        pages: int = DEFAULT_PAGES,
        turn_tokens: int | None = None,
        tries: int = TRIES,
        settings: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        plain = OmegaConf.to_container(settings) if OmegaConf.is_config(settings) else settings or {}
        chosen = {"run": run, "pages": pages, **plain}
        history_check(chosen)
        self._turn_tokens, self._tries = turn_tokens, tries
        self._thought_tags = chosen.get("thought_tags", ())
        name = json.dumps([server, chosen], sort_keys=True)
        if name not in _ROLLOUTS:
            _ROLLOUTS[name] = Rollouts(server, key_read(), **chosen)
        self._rollouts = _ROLLOUTS[name]

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Play an episode and return its sequence.

        The reward is the verdict's, or the total of the ``reward_profile`` in the settings. Raises
        ``VoidEpisode`` if there is no reward.
        """
        task, uid = int(row["task"]), str(row.get("uid") or uuid4().hex)
        for _ in range(self._tries):
            started = time.perf_counter()
            async with self._rollouts.env() as env:
                # Each worker process opens its own group; the seed gives a prompt the same page in all of
                # them.
                observation = await self._rollouts.reset(env, task, seed=derive_seed(uid), round_=uid)
                sequence, info = await self._play_turns(env, observation.messages, sampling_params)
            sequence.env_s = time.perf_counter() - started - sequence.model_s
            reward = find_reward(info["verdict"], info.get("rewards"))
            if reward is not None:
                return self._build_output(sequence, info, reward, version=row.get(VERSION))
            reason = unpaid_reason(info["verdict"], info.get("rewards"))
            if info["verdict"] is not None and not info["verdict"].is_void:
                break  # there is a verdict, and only a reward component is unknown
        raise VoidEpisode(f"Task {task} has no reward ({reason}).", info.get("rewards"))

    # ---- inside
    async def _play_turns(
        self, env: AnyEnv, messages: list[Message], sampling_params: dict[str, Any]
    ) -> tuple[_Sequence, StepInfo]:
        sequence = _Sequence(await self.ct_build_initial_tokens(list(messages_textual(messages))))
        sequence.logprobs = [] if sampling_params.get("logprobs") else None
        limits, request = self.rollout_config, uuid4().hex
        while True:
            room = limits.response_length - len(sequence.ids)
            # verl truncates the beginning of a longer prompt.
            if room <= 0 or len(sequence.prompt) >= limits.prompt_length:
                lengths = f"{len(sequence.prompt)} tokens of prompt, {len(sequence.ids)} of response"
                return sequence, (await env.stop("context_length", lengths))[4]
            limit = min(room, self._turn_tokens or room)
            try:
                completion = await self._generate_turn(
                    sequence, request, {**sampling_params, "max_tokens": limit}
                )
            except Exception as failure:
                await env.stop("model_error", repr(failure))
                raise
            if completion is None:
                return sequence, (await env.stop("model_error", "verl aborted the generation"))[4]
            observation, _, terminated, truncated, info = await env.step(completion)
            if terminated or truncated:
                return sequence, info
            before, messages = messages, list(messages_textual(observation.messages))
            spoken = [*before, messages[len(before)]]
            sequence.update(
                await self.ct_merge_context_msg(
                    spoken, messages, sequence.whole, sequence.mask, sequence.logprobs
                )
            )

    async def _generate_turn(
        self, sequence: _Sequence, request: str, sampling_params: dict[str, Any]
    ) -> Completion | None:
        """Append the model's next turn to the sequence and return it; None if verl aborted it."""
        prompt, started = sequence.whole, time.perf_counter()
        written = await self.server_manager.generate(
            request_id=request, prompt_ids=prompt, sampling_params=sampling_params
        )
        taken_s = time.perf_counter() - started
        sequence.model_s += taken_s
        if written.stop_reason in ABORTED:
            return None
        sequence.versions.setdefault(FIRST, written.extra_fields.get(FIRST))
        sequence.versions[LAST] = written.extra_fields.get(LAST)
        sequence.update(
            await self.ct_merge_assistant_token(
                prompt,
                list(written.token_ids),
                sequence.mask,
                sequence.logprobs,
                assistant_logprobs=None if sequence.logprobs is None else written.log_probs,
            )
        )
        return Completion(
            text=tokens_text(self.tokenizer, written.token_ids, tags=self._thought_tags),
            usage=Usage(prompt=len(prompt), completion=len(written.token_ids)),
            finish_reason=CUT_FOR_LENGTH if self._is_cut(written, sampling_params) else "stop",
            model_ms=taken_s * 1000,
            policy_version=written.extra_fields.get(VERSION),
        )

    def _is_cut(self, written: TokenOutput, sampling_params: dict[str, Any]) -> bool:
        """Return whether the turn was cut off, which verl's vLLM server also reports as ``completed``."""
        ids = written.token_ids
        is_full = len(ids) >= sampling_params["max_tokens"] and ids[-1] != self.tokenizer.eos_token_id
        return is_full or written.stop_reason == CUT_FOR_LENGTH

    def _build_output(
        self, sequence: _Sequence, info: StepInfo, reward: float, *, version: Any
    ) -> AgentLoopOutput:
        limit = self.rollout_config.response_length
        if not sequence.ids:  # verl needs a token that carries the reward; this token is masked
            sequence.ids, sequence.mask = [self.tokenizer.eos_token_id], [0]
            sequence.logprobs = None if sequence.logprobs is None else [0.0]
        versions = {name: sequence.versions.get(name, version) for name in (FIRST, LAST)}
        named = {name: info[name] for name in ("episode", "group", "reason")}
        rewards = info.get("rewards")
        # verl's ``reward_extra_info`` needs the same names in every row, but components vary by episode.
        parts = {"reward_components": dict(rewards.components)} if rewards is not None else {}
        return AgentLoopOutput(
            prompt_ids=sequence.prompt,
            response_ids=sequence.ids[:limit],
            response_mask=sequence.mask[:limit],
            response_logprobs=None if sequence.logprobs is None else sequence.logprobs[:limit],
            reward_score=reward,
            num_turns=2 * info["step"],
            metrics=AgentLoopMetrics(generate_sequences=sequence.model_s, tool_calls=sequence.env_s),
            extra_fields={**named, **versions, **parts, "turn_scores": [], "tool_rewards": []},
        )


def row(task: Task | int) -> dict[str, Any]:
    """Return a data set's row; the gym keeps the conversation, and the loop sets the reward."""
    number = task if isinstance(task, int) else task.id
    return {
        "agent_name": AGENT,
        "task": number,
        "data_source": AGENT,
        "prompt": [{"role": "user", "content": f"Palaestra's task {number}"}],
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {"index": number},
    }


def derive_seed(uid: str) -> int:
    """Return a seed that is the same for the same prompt in every process."""
    return int.from_bytes(hashlib.sha256(uid.encode()).digest()[:8], "big") >> (64 - SEED_BITS)
