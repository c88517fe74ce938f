"""The door for NeMo Gym: a resources server and an agent, each started by an ``app.py`` of one line.

The lines are ``PalaestraServer.run_webserver()`` and ``PalaestraAgent.run_webserver()``. The server reads its
key from ``PALAESTRA_KEY``.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import msgspec
from aiohttp import ClientResponseError
from fastapi import FastAPI, HTTPException, Request
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.config_types import AggregateMetrics, AggregateMetricsRequest
from nemo_gym.openai_utils import NeMoGymResponse
from nemo_gym.server_utils import get_response_json, raise_for_status
from pydantic import BaseModel, Field, PrivateAttr
from resources_servers.gymnasium import GymnasiumServer, extract_text
from responses_api_agents.gymnasium_agent.app import (
    GymnasiumAgent,
    GymnasiumAgentConfig,
    GymnasiumAgentRunRequest,
    GymnasiumRunResponse,
)

from palaestra.api.reward_calls import describe_unpaid
from palaestra.completion import CUT_FOR_LENGTH, Completion
from palaestra.doors.rollouts import AnyEnv, Rollouts, history_check, key_read, messages_new, messages_textual
from palaestra.engine import DEFAULT_PAGES
from palaestra.env import StepInfo
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message, Task, Usage

FAILURE = "_ng_failure_class"  # NeMo Gym's own field that marks a failed rollout, which has no reward
VOID = "void"
NO_REWARD = 409
CUT = "max_output_tokens"
Taken = tuple[str | None, float, bool, bool, dict[str, Any]]


class PalaestraServerConfig(BaseResourcesServerConfig):
    """Settings of the resources server.

    ``run`` is the id of the run to play in, and ``settings`` are further keywords of ``palaestra.Env``. Every
    ``samples`` consecutive rollouts of a task form a group. An episode without a step for ``idle_s`` seconds
    counts as abandoned and is cancelled when the next one begins.
    """

    server: str = "http://127.0.0.1:8001"
    run: int
    samples: int = 1
    seed: int | None = None
    pages: int = DEFAULT_PAGES
    idle_s: float = 1_800.0
    settings: dict[str, Any] = Field(default_factory=dict)


class Ending(BaseModel):
    """Request to end a rollout, with the reason."""

    rollout: str
    reason: CloseReason
    detail: str = ""


class Ended(BaseModel):
    """Result of a rollout, without a reward if the rollout is void or had ended before."""

    reward: float | None = None
    info: dict[str, Any] = Field(default_factory=dict)


@dataclass
class _Session:
    env: AnyEnv
    stack: AsyncExitStack
    used_at: float = field(default_factory=time.monotonic)


class PalaestraServer(GymnasiumServer):
    """The resources server, which plays a row's ``task`` to its verdict."""

    config: PalaestraServerConfig
    _rollouts: Rollouts = PrivateAttr()
    _opened: Counter[int] = PrivateAttr(default_factory=Counter)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        config = self.config
        history_check(config.settings)
        self._rollouts = Rollouts(
            config.server, key_read(), run=config.run, pages=config.pages, **config.settings
        )

    def setup_webserver(self) -> FastAPI:
        app = super().setup_webserver()
        app.post("/end")(self.end)
        return app

    async def reset(
        self, metadata: dict[str, Any], session_id: str | None = None
    ) -> tuple[str | None, dict[str, Any]]:
        """Open an episode of the task in ``metadata["task"]``. Raises ``HTTPException`` if it is missing."""
        if "task" not in metadata:
            raise HTTPException(422, 'Rows need a "task": make them with palaestra.doors.nemo_gym.row.')
        await self._sweep()
        name, task, stack = _find_name(metadata, session_id), int(metadata["task"]), AsyncExitStack()
        await self.close_session(name)
        env = await stack.enter_async_context(self._rollouts.env())
        self.session_state[name] = _Session(env, stack)
        round_ = self._opened[task] // self.config.samples
        self._opened[task] += 1
        try:
            observation = await self._rollouts.reset(env, task, seed=self.config.seed, round_=round_)
        except BaseException:
            await self.close_session(name)
            raise
        return join_messages(observation.messages), _identify(env)

    async def step(
        self, action: NeMoGymResponse, metadata: dict[str, Any], session_id: str | None = None
    ) -> Taken:
        """Take a model's response as a step.

        Raises ``HTTPException`` with status 409 for a void verdict, because NeMo Gym requires rewards to be
        numbers.
        """
        name = _find_name(metadata, session_id)
        session = self.session_state.get(name)
        if session is None:
            raise HTTPException(NO_REWARD, "There is no open episode in this session.")
        session.used_at = time.monotonic()
        if action.error is not None:
            stepped = await session.env.stop("model_error", action.error.message)
        else:
            stepped = await session.env.step(convert_response(action))
        observation, reward, terminated, truncated, info = stepped
        named = {**_identify(session.env), **{name: info.get(name) for name in ("action_result", "reason")}}
        named |= _list_rewards(info)
        if not terminated and not truncated:
            return join_messages(messages_new(observation.messages)), 0.0, False, False, named
        await self.close_session(name)
        if reward is None:
            message = describe_unpaid(info["episode"], info["verdict"], info.get("rewards"))
            raise HTTPException(NO_REWARD, {**named, "detail": message})
        return None, reward, terminated, truncated, named

    async def end(self, body: Ending) -> Ended:
        """End an episode that will get no further response."""
        session = self.session_state.get(body.rollout)
        if session is None:
            return Ended()
        _, reward, _, _, info = await session.env.stop(body.reason, body.detail)
        named = {**_identify(session.env), "reason": info["reason"], **_list_rewards(info)}
        await self.close_session(body.rollout)
        return Ended(reward=reward, info=named)

    async def close_session(self, session_id: str | None) -> None:
        """Close a session if it is open; its open episode ends as ``cancelled``."""
        session = self.session_state.pop(session_id, None)
        if session is not None:
            await session.stack.aclose()

    async def _sweep(self) -> None:
        before = time.monotonic() - self.config.idle_s
        for name, session in list(self.session_state.items()):
            if session.used_at < before:
                await self.close_session(name)


class PalaestraAgentConfig(GymnasiumAgentConfig):
    """Settings of the agent; an episode of more than ``max_steps`` steps is cut off and judged incorrect."""

    max_steps: int = Field(1_000, ge=1)


class PalaestraRunResponse(GymnasiumRunResponse):
    """A rollout; a void rollout has no reward and is marked as failed.

    Reward components are named as in NeMo Gym's own environments with several rewards.
    """

    response: NeMoGymResponse | None = None
    reward: float | None = None
    reward_components: dict[str, float | None] | None = None
    failure: str | None = Field(default=None, serialization_alias=FAILURE)


class PalaestraAgent(GymnasiumAgent):
    """NeMo Gym's own agent, extended to report the end of rollouts that get no further response."""

    config: PalaestraAgentConfig

    async def run(self, request: Request, body: GymnasiumAgentRunRequest) -> PalaestraRunResponse:
        """Play a row; a rollout that fails after ``reset`` is void instead of a reward of zero.

        If ``reset`` fails, the server's exception is raised.
        """
        rollout = uuid4().hex
        try:
            played = await super().run(request, body.model_copy(update={"rollout": rollout}))
        except Exception as failure:
            path = failure.request_info.url.path if isinstance(failure, ClientResponseError) else ""
            if path == "/reset":
                raise
            info = _parse_refusal(failure)
            reason: CloseReason = "harness_error" if path == "/step" else "model_error"
            ended = await self._end(rollout, reason, info["detail"])
            return _build_void(body, {**ended.info, **info})
        if not played.info.get("reason"):
            ended = await self._end(rollout, "time_budget", f"{self.config.max_steps} steps of the agent's")
            if ended.reward is None:
                return _build_void(body, ended.info)
            played = played.model_copy(update={"reward": ended.reward, "info": ended.info})
        return PalaestraRunResponse.model_validate({**played.model_dump(), **_list_components(played.info)})

    async def aggregate_metrics(self, body: AggregateMetricsRequest) -> AggregateMetrics:
        """Aggregate the rollouts that have a reward."""
        judged = [response for response in body.verify_responses if response.get("reward") is not None]
        return await super().aggregate_metrics(body.model_copy(update={"verify_responses": judged}))

    async def _end(self, rollout: str, reason: CloseReason, detail: str) -> Ended:
        ending = Ending(rollout=rollout, reason=reason, detail=detail)
        answer = await self.server_client.post(
            server_name=self.config.resources_server.name, url_path="/end", json=ending
        )
        await raise_for_status(answer)
        return Ended.model_validate(await get_response_json(answer))


def row(task: Task | int) -> dict[str, Any]:
    """Return a data set's row, with an empty input because ``reset`` returns the conversation's beginning."""
    return {"responses_create_params": {"input": []}, "task": task if isinstance(task, int) else task.id}


def join_messages(messages: Sequence[Message]) -> str:
    """Join messages into the single text that NeMo Gym's agent passes to the model as the user's message."""
    return "\n\n".join(message["content"] for message in messages_textual(messages))


def convert_response(response: NeMoGymResponse) -> Completion:
    """Convert a model's response to a completion to record."""
    thoughts = [part.text for item in response.output if item.type == "reasoning" for part in item.summary]
    used, cut = response.usage, response.incomplete_details
    return Completion(
        text=extract_text(response),
        reasoning="\n\n".join(thoughts) or None,
        usage=Usage(prompt=used.input_tokens, completion=used.output_tokens) if used else None,
        finish_reason=CUT_FOR_LENGTH if cut is not None and cut.reason == CUT else "stop",
        model=response.model or None,
    )


def _find_name(metadata: dict[str, Any], session_id: str | None) -> str | None:
    """Return a rollout's name, which is the name that the door's agent gave it, or else the session's."""
    return metadata.get("rollout") or session_id


def _identify(env: AnyEnv) -> dict[str, Any]:
    opened = env.episode.opened if env.episode else None
    return {"episode": opened.id, "group": opened.group} if opened else {}


def _list_rewards(info: StepInfo) -> dict[str, Any]:
    """Return the parts that a reward profile pays; empty if the run has no profile."""
    rewards = info.get("rewards")
    return {"rewards": msgspec.to_builtins(rewards)} if rewards is not None else {}


def _build_void(body: GymnasiumAgentRunRequest, info: dict[str, Any]) -> PalaestraRunResponse:
    return PalaestraRunResponse(
        responses_create_params=body.responses_create_params,
        truncated=True,
        info=info,
        failure=VOID,
        **_list_components(info),
    )


def _list_components(info: dict[str, Any]) -> dict[str, Any]:
    rewards = info.get("rewards")
    return {"reward_components": rewards["components"]} if rewards else {}


def _parse_refusal(failure: Exception) -> dict[str, Any]:
    """Return the server's message on why it refused to continue a rollout, with a ``detail`` in words."""
    content = getattr(failure, "response_content", b"") or b""
    try:
        answer = json.loads(content)["detail"]
    except (ValueError, TypeError, KeyError):
        answer = content.decode(errors="replace") or repr(failure)
    return answer if isinstance(answer, dict) else {"detail": str(answer)}
