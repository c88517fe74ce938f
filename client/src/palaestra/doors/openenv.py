"""The door for OpenEnv: a server whose sessions are environments.

``python -m palaestra.doors.openenv --server URL --run N [--port 8009]``, with the key in ``PALAESTRA_KEY``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import uvicorn
from openenv.core.env_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from openenv.core.rubrics import Rubric
from pydantic import Field

from palaestra.admission import TOKEN_SETTING, Admission, token_check
from palaestra.completion import Completion
from palaestra.doors.rollouts import KEY, AnyEnv, Rollouts, stages_add
from palaestra.engine import DEFAULT_PAGES
from palaestra.env import Stepped
from palaestra.errors import PalaestraError
from palaestra.observation import Observation as Look
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message

ONLY_ASYNC = "This environment is asynchronous: serve it, or call reset_async and step_async."


class PalaestraAction(Action):
    """A completion as the model wrote it, or instead a reason to ``stop``, such as ``model_error``."""

    completion: str = ""
    stop: CloseReason | None = None
    policy_version: int | None = None


class PalaestraObservation(Observation):
    """An observation; ``messages`` is the conversation for a chat model, ``text`` is the page.

    ``reward`` is None until the episode ends, and stays None if the episode is ``void``. ``rewards`` are the
    parts that a reward profile pays (``palaestra.Rewards``), or None if there is no profile.
    """

    text: str = ""
    messages: list[Message] = Field(default_factory=list)
    void: bool = False
    rewards: dict[str, Any] | None = None
    truncated: bool = False
    reason: str | None = None
    action_result: str | None = None
    episode: int | None = None
    group: int | None = None


class PalaestraState(State):
    """State of the session's latest episode."""

    episode: int | None = None
    group: int | None = None


class Component(Rubric):
    """A rubric with a reward component's recorded value; ``last_score`` is None if it cannot be computed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def forward(self, action: Any, observation: Any) -> Any:
        return observation.rewards["components"][self._name]


class RecordedRewards(Rubric):
    """A rubric with the reward as the gym computed it; its child rubrics are the episode's components."""

    def forward(self, action: Any, observation: Any) -> Any:
        for name in (observation.rewards or {}).get("components", {}):
            setattr(self, name, Component(name))
        for child in self.children():
            child(action, observation)
        return observation.reward

    def reset(self) -> None:
        self._rubric_children.clear()


class PalaestraEnvironment(Environment[PalaestraAction, PalaestraObservation, PalaestraState]):
    """A session, in which rollouts of the same ``task`` and ``round`` are samples of one group."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, rollouts: Rollouts) -> None:
        super().__init__(rubric=RecordedRewards())
        self._rollouts = rollouts
        self._stack = AsyncExitStack()
        self._env: AnyEnv | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: int | None = None,
        round: int | str | None = None,
        **_: Any,
    ) -> PalaestraObservation:
        """Open an episode of ``task``, which begins a new group if no ``round`` is given.

        Raises ``PalaestraError`` if no task is given.
        """
        if task is None:
            raise PalaestraError("Name a task: reset(task=...).")
        if self._env is None:
            self._loop = asyncio.get_running_loop()
            self._env = await self._stack.enter_async_context(self._rollouts.env())
        self._reset_rubric()
        if round is None:
            look = await self._env.reset(task, seed=seed)
        else:
            look = await self._rollouts.reset(self._env, task, seed=seed, round_=round)
        return await self._convert_observation(self._env, look)

    async def step_async(
        self, action: PalaestraAction, timeout_s: float | None = None, **_: Any
    ) -> PalaestraObservation:
        """Take a completion as a step; ``timeout_s`` is ignored, because the gym has its own limits.

        Raises ``PalaestraError`` before ``reset_async``.
        """
        if self._env is None:
            raise PalaestraError("There is no open episode: call reset(task=...) first.")
        if action.stop is not None:
            stepped = await self._env.stop(action.stop)
        else:
            completion = Completion(text=action.completion, policy_version=action.policy_version)
            stepped = await self._env.step(completion)
        observation = await self._convert_step(self._env, stepped)
        self._apply_rubric(action, observation)
        return observation

    def reset(self, *_: Any, **__: Any) -> PalaestraObservation:
        """Raise ``PalaestraError``: use ``reset_async``."""
        raise PalaestraError(ONLY_ASYNC)

    def step(self, *_: Any, **__: Any) -> PalaestraObservation:
        """Raise ``PalaestraError``: use ``step_async``."""
        raise PalaestraError(ONLY_ASYNC)

    @property
    def state(self) -> PalaestraState:
        episode = self._env.episode if self._env else None
        if episode is None:
            return PalaestraState()
        opened = episode.opened
        return PalaestraState(
            episode_id=str(opened.id), step_count=episode.steps, episode=opened.id, group=opened.group
        )

    def close(self) -> None:
        """End the session; an open episode is closed as ``cancelled``. May be called from any thread."""
        if self._loop is None or self._loop.is_closed():
            return
        closing = asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop)
        self._env = None
        try:
            is_within = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_within = False
        if not is_within:
            closing.result()

    async def _convert_step(self, env: AnyEnv, stepped: Stepped) -> PalaestraObservation:
        look, reward, terminated, truncated, info = stepped
        observation = await self._convert_observation(env, look)
        observation.done = terminated or truncated
        observation.reward, observation.truncated = reward, truncated
        observation.void = observation.done and reward is None
        observation.rewards = msgspec.to_builtins(info.get("rewards"))
        observation.reason, observation.action_result = info["reason"], info.get("action_result")
        return observation

    async def _convert_observation(self, env: AnyEnv, look: Look) -> PalaestraObservation:
        state = self.state
        messages = await env.client.messages_inline(look.messages)
        return PalaestraObservation(
            text=look.text, messages=messages, episode=state.episode, group=state.group
        )


def app_make(
    server: str, key: str, *, run: int, pages: int = DEFAULT_PAGES, token: str = "", **settings: Any
) -> Any:
    """Return an OpenEnv server for at most ``pages`` concurrent sessions; other keywords are those of
    ``Env``.

    Without a ``token`` it only admits programs on this machine (``palaestra.admission``).
    """
    rollouts = Rollouts(server, key, run=run, pages=pages, **settings)
    app = create_fastapi_app(
        lambda: PalaestraEnvironment(rollouts),
        PalaestraAction,
        PalaestraObservation,
        max_concurrent_envs=pages,
        env_name="palaestra",
        state_cls=PalaestraState,
    )
    app.add_middleware(Admission, token=token)
    return app


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m palaestra.doors.openenv", description=__doc__)
    parser.add_argument("--server", required=True, help="address of the lab")
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--arm", default="gym")
    parser.add_argument("--observation", default="axtree")
    parser.add_argument("--look", type=json.loads, default={}, help="axes of the look, as a JSON object")
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, help="sessions at once")
    stages_add(parser)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help=f"address to listen on; addresses that other machines can reach need {TOKEN_SETTING}",
    )
    parser.add_argument("--port", type=int, default=8009)
    options = vars(parser.parse_args())
    key = os.environ.get(KEY) or parser.error(f"put a key of scope trainer into {KEY}")
    host, port, look = (options.pop(name) for name in ("host", "port", "look"))
    token = os.environ.get(TOKEN_SETTING, "")
    try:
        token_check(token, host=host)
    except ValueError as problem:
        parser.error(str(problem))
    app = app_make(options.pop("server"), key, presentation=look, token=token, **options)
    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
