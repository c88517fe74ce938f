"""The door for verifiers (Prime): the taskset and environment ``palaestra_vf``.

``vf-eval palaestra_vf --env.taskset.server URL --env.run N``, with the key in ``PALAESTRA_KEY``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from palaestra.api import Client
from palaestra.api.reward_calls import find_reward, unpaid_reason
from palaestra.completion import Completion
from palaestra.doors.rollouts import AnyEnv, Rollouts, history_check, key_read, messages_new
from palaestra.engine import DEFAULT_PAGES
from palaestra.env import StepInfo, Stepped
from palaestra.errors import VoidEpisode
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message, Task
from palaestra.records.rewards import Rewards

REWARD = "verdict"


class PalaestraData(vf.TaskData):
    """A task's data; ``task`` is the task's id in Palaestra."""

    task: int


class PalaestraTask(vf.Task[PalaestraData]):
    """A task without a prompt, since the environment opens the conversation."""


class PalaestraTasksetConfig(vf.TasksetConfig):
    """Selection of tasks, either by ``ids`` or at most ``limit`` tasks of a benchmark and split."""

    server: str = "http://127.0.0.1:8001"
    benchmark: str = ""
    split: str = ""
    ids: list[int] = Field(default_factory=list)
    limit: int = 100


class PalaestraTaskset(vf.Taskset[PalaestraTask, PalaestraTasksetConfig]):
    def load(self) -> Iterator[PalaestraTask]:
        with ThreadPoolExecutor(1) as thread:  # an event loop may already be running in this thread
            tasks = thread.submit(asyncio.run, self._read_tasks()).result()
        for task in tasks:
            name = f"{task.benchmark}/{task.key}"
            data = PalaestraData(id=str(task.id), name=name, prompt=None, task=task.id)
            yield PalaestraTask(data, self.config.task)

    async def _read_tasks(self) -> list[Task]:
        config = self.config
        filters = {"benchmark": config.benchmark, "split": config.split, "ids": config.ids}
        async with Client(config.server, key_read()) as client:
            chosen = {name: value for name, value in filters.items() if value}
            return await client.tasks(limit=config.limit, **chosen)


class PalaestraEnvConfig(vf.EnvConfig):
    """Settings of the environment.

    ``run`` is the id of the run to play in, and ``settings`` are further keywords of ``palaestra.Env``.
    """

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())
    run: int = 0
    seed: int | None = None
    pages: int = DEFAULT_PAGES
    settings: dict[str, Any] = Field(default_factory=dict)


class PalaestraEnv(vf.Env[PalaestraEnvConfig]):
    """An environment that plays a task to its verdict; all rollouts of a task form one group."""

    async def start(self) -> None:
        config = self.config
        history_check(config.settings)
        self._rollouts = Rollouts(
            config.taskset.server, key_read(), run=config.run, pages=config.pages, **config.settings
        )

    async def run(self, task: PalaestraTask, agents: vf.Agents) -> None:
        async with self._rollouts.env() as env:
            observation = await self._rollouts.reset(env, task.data.task, seed=self.config.seed)
            async with agents.player.interaction(task) as interaction:
                info = await _play(env, observation.messages, interaction)
                rewards = info.get("rewards")
                reward = find_reward(info["verdict"], rewards)
                interaction.trace.record_metrics(_collect_metrics(rewards))
                if reward is None:
                    # It is a failure without a reward, which verifiers may retry and does not count as zero.
                    raise VoidEpisode(f"void: {unpaid_reason(info['verdict'], rewards)}", rewards)
                interaction.trace.record_reward(REWARD, reward)


def _collect_metrics(rewards: Rewards | None) -> dict[str, float]:
    """Return the components that have a value, by name, since verifiers cannot represent a missing value."""
    components = rewards.components if rewards is not None else {}
    return {name: value for name, value in components.items() if value is not None}


async def _play(env: AnyEnv, messages: list[Message], interaction: vf.Interaction) -> StepInfo:
    while True:
        segment = await interaction.turn(await env.client.messages_inline(messages_new(messages)))
        if segment.terminated:
            reason, detail = convert_ending(interaction.trace)
            return (await env.stop(reason, detail))[4]
        stepped: Stepped = await env.step(convert_segment(segment))
        observation, _, terminated, truncated, info = stepped
        if terminated or truncated:
            return info
        messages = observation.messages


def convert_segment(segment: vf.Segment) -> Completion:
    """Convert a turn's message from the model to a completion; its tokens stay in the trace of verifiers."""
    [written] = segment.messages[-1:]
    return Completion(text=written.content or "", reasoning=written.reasoning_content or None)


def convert_ending(trace: vf.Trace) -> tuple[CloseReason, str]:
    """Return why there is no further turn: the model failed (void), or a limit of verifiers was reached."""
    if trace.errors:
        error = trace.errors[-1]
        return "model_error", f"{error.type}: {error.message}"
    condition = trace.stop_condition or ""
    return ("token_budget" if "token" in condition else "time_budget"), condition
