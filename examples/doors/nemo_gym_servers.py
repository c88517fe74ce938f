"""NeMo Gym's servers in one process: the door, its agent, and a model server that calls ``complete``."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest.mock import MagicMock

import httpx
import uvicorn
from fastapi import FastAPI
from nemo_gym import server_utils
from nemo_gym.config_types import ModelServerRef, ResourcesServerRef
from nemo_gym.global_config import ROLLOUT_INDEX_KEY_NAME, TASK_INDEX_KEY_NAME
from nemo_gym.server_utils import BaseServerConfig, GlobalAIOHTTPAsyncClientConfig, ServerClient
from omegaconf import OmegaConf
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent

from palaestra.doors.nemo_gym import (
    PalaestraAgent,
    PalaestraAgentConfig,
    PalaestraServer,
    PalaestraServerConfig,
)

HOST = "127.0.0.1"
Complete = Callable[[list[dict[str, Any]]], str]


class Gym:
    """A client that plays rows as NeMo Gym's rollout collection does."""

    def __init__(self, agent: str) -> None:
        self._agent = agent

    def rollout(self, row: dict[str, Any]) -> dict[str, Any]:
        answer = httpx.post(f"{self._agent}/run", json=row, timeout=None)
        if answer.is_error:
            raise RuntimeError(answer.text)
        return answer.json()

    def metrics(self, rollouts: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the metrics of a task's rollouts, as NeMo Gym computes them."""
        numbers = ({TASK_INDEX_KEY_NAME: 0, ROLLOUT_INDEX_KEY_NAME: index} for index in range(len(rollouts)))
        body = {
            "verify_responses": [rollout | number for rollout, number in zip(rollouts, numbers, strict=True)]
        }
        answer = httpx.post(f"{self._agent}/aggregate_metrics", json=body, timeout=None)
        return answer.raise_for_status().json()


@contextlib.contextmanager
def gym_served(
    complete: Complete, *, kind: type[GymnasiumAgent] = PalaestraAgent, max_steps: int = 50, **config: Any
) -> Iterator[Gym]:
    """Serve the door, its agent and a model. ``config`` configures the door's server."""
    ports = {"palaestra": _port_free(), "policy_model": _port_free(), "agent": _port_free()}
    kinds = {"palaestra": "resources_servers", "policy_model": "responses_api_models"}
    known = {name: {kind: {name: {"host": HOST, "port": ports[name]}}} for name, kind in kinds.items()}
    client = ServerClient(
        head_server_config=BaseServerConfig(host=HOST, port=0), global_config_dict=OmegaConf.create(known)
    )
    address = {"host": HOST, "port": 0, "entrypoint": "app.py"}
    door = PalaestraServer(
        config=PalaestraServerConfig(name="palaestra", domain="other", **address, **config),
        server_client=MagicMock(spec=ServerClient),
    )
    between = PalaestraAgentConfig(
        name="agent",
        resources_server=ResourcesServerRef(type="resources_servers", name="palaestra"),
        model_server=ModelServerRef(type="responses_api_models", name="policy_model"),
        max_steps=max_steps,
        **address,
    )
    agent = kind(config=between, server_client=client)
    apps = {
        ports["palaestra"]: door.setup_webserver(),
        ports["policy_model"]: _model_app(complete),
        ports["agent"]: agent.setup_webserver(),
    }
    agent.setup_exception_middleware(apps[ports["agent"]])
    with _served(apps):
        yield Gym(f"http://{HOST}:{ports['agent']}")


def _model_app(complete: Complete) -> FastAPI:
    """Build a model server that speaks NeMo Gym's protocol."""
    app = FastAPI()

    @app.post("/v1/responses")
    async def respond(body: dict[str, Any]) -> dict[str, Any]:
        text = complete([{"role": item["role"], "content": _read_text(item)} for item in body["input"]])
        content = [{"type": "output_text", "text": text, "annotations": []}]
        message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
        head = {"id": "r", "created_at": 0, "model": "m", "object": "response"}
        tools = {"parallel_tool_calls": False, "tool_choice": "none", "tools": []}
        return {**head, **tools, "output": [message | {"content": content}]}

    return app


def _read_text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@contextlib.contextmanager
def _served(apps: Mapping[int, FastAPI]) -> Iterator[None]:
    servers = [
        uvicorn.Server(uvicorn.Config(app, port=port, log_level="error")) for port, app in apps.items()
    ]

    async def serve() -> None:
        client = server_utils.set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
        try:
            await asyncio.gather(*(server.serve() for server in servers))
        finally:
            await client.close()
            server_utils._GLOBAL_AIOHTTP_CLIENT = None

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        while not all(server.started for server in servers):
            if not thread.is_alive():
                raise RuntimeError("a server did not start")
            threading.Event().wait(0.05)
        yield
    finally:
        for server in servers:
            server.should_exit = True
        thread.join()


def _port_free() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]
