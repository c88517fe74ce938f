"""Stages for an installation, which are killed and started again, and rollouts on them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import psutil

from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo
from palaestra.protocol.looks import NEUTRAL
from palaestra.remote import RemoteEnv
from palaestra.stage.orphans import find_marked
from tests.bench.scale import TURNS, SlowSolver
from tests.bench.servers import free_ports, stage_spawn


@dataclass
class Stage:
    """A stage in its own process at a fixed URL; ``kill`` returns when the stage listens again.

    ``killed`` are the ids of the processes that were killed.
    """

    lab: str
    key: str
    lite_pages: int
    pages: int
    token: str
    port: int = field(default_factory=lambda: free_ports(1)[0])
    killed: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        pages = ["--pages", str(self.pages), "--lite-pages", str(self.lite_pages)]
        sizes = [*pages, "--memory-floor", "0"]
        self.process = stage_spawn(self.lab, key=self.key, token=self.token, port=self.port, sizes=sizes)

    def end(self) -> None:
        """End the stage together with its browsers, which SIGKILL would leave behind."""
        self.process.terminate()
        self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.killed.append(self.process.pid)
        self.start()


@contextlib.contextmanager
def stages_start(lab: str, key: str, *, count: int, lite_pages: int, pages: int) -> Iterator[list[Stage]]:
    """Start ``count`` stages with the same token, each with these numbers of pages, and yield them."""
    token = secrets.token_urlsafe(24)
    stages = [Stage(lab, key, lite_pages, pages, token) for _ in range(count)]
    with contextlib.ExitStack() as started:
        for stage in stages:
            stage.start()
            started.callback(stage.end)
        yield stages


async def rewards_on(
    stages: Sequence[Stage], policy: SlowSolver, *, run: int, browser: str, tasks: Sequence[int]
) -> list[float | None]:
    """Play an episode of each task, all at the same time, and return the rewards."""
    addresses, token = [stage.address for stage in stages], stages[0].token
    opening = {"presentation": dict(NEUTRAL), "max_steps": TURNS}

    async def reward_of(task: int) -> float | None:
        async with RemoteEnv(addresses, token, run=run, browser=browser, **opening) as env:
            return await play(env, policy, await env.reset(task))

    return list(await asyncio.gather(*map(reward_of, tasks)))


def left_behind(stages: Sequence[Stage]) -> list[str]:
    """Return the marks of browsers that are still alive although their stage was killed."""
    killed = {pid for stage in stages for pid in stage.killed}
    return [mark for _, mark in find_marked(psutil.process_iter()) if int(mark.split(":")[1]) in killed]


async def play(env: RemoteEnv, policy: SlowSolver, observation: Observation) -> float | None:
    """Play an episode that has begun with this observation, and return its reward."""
    memory: dict[str, Any] = {}
    while True:
        completion = await policy.act(observation, _info(env, memory))
        assert completion is not None, "the policy knows every task"
        observation, reward, terminated, truncated, _ = await env.step(completion)
        if terminated or truncated:
            return reward


def _info(env: RemoteEnv, memory: dict[str, Any]) -> EpisodeInfo:
    assert env.episode is not None
    opened = env.episode.opened
    return EpisodeInfo(
        id=opened.id,
        task=opened.task,
        arm=opened.arm,
        step=env.episode.steps + 1,
        max_steps=opened.max_steps,
        sample_index=opened.sample_index,
        memory=memory,
        answer_form=opened.answer_form,
    )
