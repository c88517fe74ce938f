"""The door for Gymnasium: importing it registers ``Palaestra-v0``.

``gymnasium.make("palaestra.doors.gymnasium:Palaestra-v0", server=..., key=..., run=..., tasks=[...])``
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
from gymnasium.spaces import Text

from palaestra.api.reward_calls import describe_unpaid
from palaestra.doors.loop_thread import LoopThread
from palaestra.doors.rollouts import AnyEnv, env_make
from palaestra.env import Stepped
from palaestra.errors import VoidEpisode
from palaestra.observation import Observation
from palaestra.protocol.end_reasons import CloseReason

Taken = tuple[str, float, bool, bool, dict[str, Any]]
OBSERVATION_MAX = 1_000_000
COMPLETION_MAX = 1_000_000
SEED_MAX = 2**62
OPTIONS = ("task", "group", "fork")


class AnyText(Text):
    """A space of texts with any characters; samples are those of ``Text``, letters and digits only."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class PalaestraEnv(gymnasium.Env[str, str]):
    """An environment that plays one task at a time; observations are the page's text, actions raw
    completions.

    The ``info`` of ``reset`` and ``step`` has the conversation for a chat model as ``messages``, the ``task``
    and ``void``. The ids of the ``episode`` and its ``group`` are attributes of the environment instead,
    because they differ each time and the ``info`` of equal episodes must be equal.

    A reset plays ``options["task"]``, or a task drawn from ``tasks``. With ``options["group"]`` it plays
    another sample of that group; with ``options["fork"]``, a pair of an episode and a step, it continues from
    there. The reward is 0.0 until the end. If the verdict is void, it is NaN, or ``VoidEpisode`` is raised
    with ``void="raise"``. Other keywords are ``stages``, the addresses of stages that have the pages, and
    those of ``palaestra.Env``. Leave out ``max_episode_steps``, since the gym counts the steps.
    """

    def __init__(
        self,
        *,
        server: str,
        key: str,
        run: int,
        tasks: Sequence[int] = (),
        void: Literal["nan", "raise"] = "nan",
        **settings: Any,
    ) -> None:
        self.observation_space = AnyText(OBSERVATION_MAX, min_length=0)
        self.action_space = AnyText(COMPLETION_MAX, min_length=0)
        self._tasks, self._void = list(tasks), void
        self._loop = LoopThread()
        self.episode: int | None = None
        self.group: int | None = None
        self._env: AnyEnv = self._loop.call(self._enter(env_make(server, key, run=run, **settings)))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Open an episode. The same ``seed`` leads to the same tasks, each in the same look.

        Raises ``ValueError`` for unknown options, or if there is no task to play.
        """
        super().reset(seed=seed)
        chosen = options or {}
        if unknown := chosen.keys() - set(OPTIONS):
            raise ValueError(f"Unknown options: {', '.join(sorted(unknown))}. Known: {', '.join(OPTIONS)}.")
        if "fork" in chosen:
            parent, step = chosen["fork"]
            return self._convert_reset(self._loop.call(self._env.fork(parent, step)))
        if "task" not in chosen and not self._tasks:
            raise ValueError('Name a task: reset(options={"task": id}), or give tasks to make().')
        task = chosen["task"] if "task" in chosen else int(self.np_random.choice(self._tasks))
        drawn = int(self.np_random.integers(SEED_MAX)) if seed is None else seed
        return self._convert_reset(
            self._loop.call(self._env.reset(task, seed=drawn, group=chosen.get("group")))
        )

    def step(self, action: str) -> Taken:
        """Take a step; ``action`` is a completion as the model wrote it.

        Raises ``VoidEpisode`` for a void verdict if the environment was made with ``void="raise"``.
        """
        return self._convert_step(self._loop.call(self._env.step(action)))

    def stop(self, reason: CloseReason, detail: str = "") -> Taken:
        """End the episode without an answer; ``model_error``, for a missing completion, is void."""
        return self._convert_step(self._loop.call(self._env.stop(reason, detail)))

    def close(self) -> None:
        """Close the browser; an episode that is still open ends ``cancelled``."""
        if self._loop.is_running:
            self._loop.call(self._env.__aexit__(None, None, None))
            self._loop.end()

    # ---- inside
    async def _enter(self, env: AnyEnv) -> AnyEnv:
        return await env.__aenter__()

    def _convert_reset(self, observation: Observation) -> tuple[str, dict[str, Any]]:
        episode = self._env.episode
        assert episode is not None
        self.episode, self.group = episode.opened.id, episode.opened.group
        return observation.text, self._build_info(observation, {"task": episode.opened.task})

    def _convert_step(self, stepped: Stepped) -> Taken:
        observation, reward, terminated, truncated, details = stepped
        is_over = terminated or truncated
        is_void = is_over and reward is None
        if is_void and self._void == "raise":
            rewards = details["rewards"]
            raise VoidEpisode(describe_unpaid(self.episode, details["verdict"], rewards), rewards)
        number = math.nan if is_void else reward or 0.0
        return (
            observation.text,
            number,
            terminated,
            truncated,
            self._build_info(observation, details, is_void),
        )

    def _build_info(
        self, observation: Observation, details: Mapping[str, Any], is_void: bool = False
    ) -> dict[str, Any]:
        messages = self._loop.call(self._env.client.messages_inline(observation.messages))
        known = {name: value for name, value in details.items() if name not in ("episode", "group")}
        return {**known, "messages": messages, "void": is_void}


gymnasium.register("Palaestra-v0", entry_point="palaestra.doors.gymnasium:PalaestraEnv")
