"""The door for Inspect: ``palaestra_task`` makes an Inspect task from Palaestra tasks; epochs form groups.

``inspect_ai.eval(palaestra_task(server, key, run=run, tasks=[...]), model=..., epochs=8)``
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ModelOutput,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from palaestra.api.reward_calls import find_reason, find_reward
from palaestra.completion import Completion
from palaestra.doors.rollouts import AnyEnv, Rollouts
from palaestra.env import StepInfo
from palaestra.observation import Observation
from palaestra.records import Message, Usage

# The names that endpoints use for Inspect's stop reasons.
FINISH_REASONS = {"max_tokens": "length", "tool_calls": "tool_calls", "content_filter": "content_filter"}
TOO_LONG = "model_length"
STORE = "palaestra"
ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def palaestra_task(
    server: str, key: str, *, run: int, tasks: Sequence[int], seed: int | None = None, **settings: Any
) -> Task:
    """Return an Inspect task with one sample per Palaestra task.

    At most ``pages`` episodes have a page at the same time. Other keywords are those of ``Env``; grammars
    that call tools are not supported.
    """
    rollouts = Rollouts(server, key, run=run, **settings)
    samples = [Sample(id=task, input=f"Palaestra's task {task}") for task in tasks]
    return Task(dataset=samples, solver=play(rollouts, seed=seed), scorer=verdict(), name="palaestra")


@solver
def play(rollouts: Rollouts, *, seed: int | None = None) -> Solver:
    """Return a solver that plays a sample to its verdict.

    Palaestra keeps the conversation, and each model output is a step.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with rollouts.env() as env:
            observation = await rollouts.reset(env, int(state.sample_id), seed=seed)
            info = await _play_turns(env, observation, state, generate)
        judged = info["verdict"]
        state.store.set(
            STORE,
            {
                "episode": info["episode"],
                "group": info["group"],
                "reward": find_reward(judged, info.get("rewards")),
                "rewards": msgspec.to_builtins(info.get("rewards")),
                "reason": find_reason(judged),
            },
        )
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def verdict() -> Scorer:
    """Return a scorer by the recorded reward; void verdicts stay unscored, so that metrics leave them out."""

    async def score(state: TaskState, target: Target) -> Score:
        ended = state.store.get(STORE, {})
        reward, reason = ended.get("reward"), ended.get("reason", "no episode")
        if reward is None:
            return Score.unscored(reason=reason, metadata=ended)
        return Score(value=reward, answer=state.output.completion, explanation=reason, metadata=ended)

    return score


async def _play_turns(
    env: AnyEnv, observation: Observation, state: TaskState, generate: Generate
) -> StepInfo:
    while True:
        messages = await env.client.messages_inline(observation.messages)
        state.messages = [convert_message(message) for message in messages]
        try:
            state = await generate(state, tool_calls="none")
        except Exception as failure:
            # Any exception from the model's provider means that there was no answer. Inspect handles it, too.
            await env.stop("model_error", repr(failure))
            raise
        if state.output.stop_reason == TOO_LONG:
            return (await env.stop("context_length", state.output.error or ""))[4]
        observation, _, terminated, truncated, info = await env.step(convert_output(state.output))
        if terminated or truncated:
            return info


def convert_message(message: Message) -> ChatMessage:
    """Convert a chat message to Inspect's type; pictures are data URLs."""
    content = message["content"]
    return ROLES[message["role"]](
        content=content if isinstance(content, str) else [_convert_part(part) for part in content]
    )


def _convert_part(part: dict[str, Any]) -> Content:
    if part["type"] == "text":
        return ContentText(text=part["text"])
    return ContentImage(image=part["image_url"]["url"])


def convert_output(output: ModelOutput) -> Completion:
    """Convert one of Inspect's model outputs to a completion to record."""
    parts = [] if isinstance(output.message.content, str) else output.message.content
    reasoning = [part.reasoning for part in parts if part.type == "reasoning"]
    return Completion(
        text=output.completion,
        reasoning="\n\n".join(reasoning) or None,
        usage=_convert_usage(output),
        finish_reason=FINISH_REASONS.get(output.stop_reason, output.stop_reason),
        model=output.model or None,
        model_ms=output.time * 1000 if output.time is not None else None,
    )


def _convert_usage(output: ModelOutput) -> Usage | None:
    used = output.usage
    if used is None:
        return None
    cached = used.input_tokens_cache_read
    return Usage(
        prompt=used.input_tokens + (cached or 0) + (used.input_tokens_cache_write or 0),
        completion=used.output_tokens,
        reasoning=used.reasoning_tokens,
        cached=cached,
    )
