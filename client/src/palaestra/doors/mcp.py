"""The door for MCP: a server on standard input and output, whose tools are the agent's actions.

``python -m palaestra.doors.mcp --server URL --run N --task N``, with the key in ``PALAESTRA_KEY``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from palaestra.completion import Completion, ToolCall
from palaestra.doors.rollouts import KEY, AnyEnv, env_make, messages_new, stages_add
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.grammars.base import list_singles
from palaestra.grammars.schemas import fields_schemas
from palaestra.observation import Observation
from palaestra.protocol.actions import ACTION_SPECS
from palaestra.protocol.arms import arm_of
from palaestra.protocol.offers import fields_offered

OPEN, CLOSE = "open_task", "close_task"
NO_MORE = "There is no further task."
ENDED = "The task has ended."
THOUGHT = {"type": "string", "description": "your reasoning before this action, which is recorded"}
REASONS = (
    "model_error",
    "harness_error",
    "context_length",
    "token_budget",
    "time_budget",
    "content_filter",
    "cancelled",
)


def server_make(
    server: str, key: str, *, run: int, tasks: Sequence[int], arm: str = "gym", **settings: Any
) -> Server[Desk]:
    """Return a server for one agent, which gets ``tasks`` in order; other keywords are those of ``Env``.

    The run's grammar must be ``functions``. The tools are ``open_task`` and one per action. ``close_task``,
    whose ``reason`` is one of ``REASONS``, is meant for the harness and is not listed.
    """
    offered = list_tools(arm, settings.get("observation", "axtree"), settings.get("answer_channel") or "page")

    @asynccontextmanager
    async def desk(_: Server[Desk]) -> AsyncIterator[Desk]:
        async with env_make(server, key, run=run, arm=arm, grammar="functions", **settings) as env:
            opened = Desk(env, tasks)
            yield opened
            # A client that disconnects cleanly has stopped; a killed server loses its lease, which is void.
            await opened.close("agent_stopped")

    async def tools_list(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offered)

    async def tool_call(context: Any, call: types.CallToolRequestParams) -> types.CallToolResult:
        return await context.lifespan_context.call(call.name, dict(call.arguments or {}))

    return Server("palaestra", lifespan=desk, on_list_tools=tools_list, on_call_tool=tool_call)


class Desk:
    """The tasks of one agent, of which one at a time is open."""

    def __init__(self, env: AnyEnv, tasks: Sequence[int]) -> None:
        self._env, self._tasks = env, iter(tasks)
        self._turn = asyncio.Lock()  # makes concurrent calls run one after the other

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Carry out a tool call; problems are returned as results with ``is_error``."""
        async with self._turn:
            try:
                if name == OPEN:
                    return await self._open()
                if name == CLOSE:
                    await self.close(arguments.get("reason", ""), arguments.get("detail", ""))
                    return _build_result(ENDED)
                return await self._act(name, arguments)
            except PalaestraError as problem:
                return _build_result(str(problem), is_error=True)

    async def close(self, reason: Any, detail: str = "") -> None:
        """End the open episode, if there is one. Raises ``PalaestraError`` for an unknown reason."""
        if reason not in (*REASONS, "agent_stopped"):
            raise PalaestraError(f"The reason must be one of {', '.join(REASONS)}.")
        if self._env.episode is not None and not self._env.episode.is_over:
            await self._env.stop(reason, detail)

    async def _open(self) -> types.CallToolResult:
        await self.close("agent_stopped")  # a task that the agent leaves stays unanswered
        task = next(self._tasks, None)
        if task is None:
            return _build_result(NO_MORE, is_error=True)
        return await self._render(await self._env.reset(task))

    async def _act(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        thought = arguments.pop("thought", None)
        call = ToolCall(name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        completion = Completion(text=thought if isinstance(thought, str) else "", tool_calls=(call,))
        observation, _, terminated, truncated, info = await self._env.step(completion)
        if not (terminated or truncated):
            return await self._render(observation)
        return _build_result(
            f"{observation.result_message}\n{ENDED}".strip() if not info["verdict"] else ENDED
        )

    async def _render(self, observation: Observation) -> types.CallToolResult:
        """Return the messages since the agent's last turn. They never contain a reward."""
        content: list[types.TextContent | types.ImageContent] = []
        for message in await self._env.client.messages_inline(messages_new(observation.messages)):
            parts = message["content"]
            for part in [{"type": "text", "text": parts}] if isinstance(parts, str) else parts:
                content.append(_convert_part(part))
        return types.CallToolResult(content=content)


def list_tools(arm: str, observation: str, answer_channel: str) -> list[types.Tool]:
    """Return ``open_task`` and a tool for every action that any task in the arm offers."""
    config = EpisodeConfig(observation=observation, answer_channel=answer_channel)
    conditions = config.conditions(arm, is_site=True, has_tools=arm_of(arm).calls_tools)
    opening = types.Tool(
        name=OPEN,
        description="Open the next task, to get its instructions and its first page.",
        input_schema={"type": "object", "properties": {}},
    )
    return [opening] + [
        types.Tool(
            name=kind,
            description=ACTION_SPECS[kind].description,
            input_schema={
                "type": "object",
                "properties": {**fields_schemas(kind, conditions), "thought": THOUGHT},
                "required": [spec.name for spec in fields_offered(kind, conditions) if spec.is_required],
            },
        )
        for kind in list_singles(conditions)
    ]


def _build_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


def _convert_part(part: dict[str, Any]) -> types.TextContent | types.ImageContent:
    if part["type"] == "text":
        return types.TextContent(type="text", text=part["text"])
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return types.ImageContent(type="image", data=data, mime_type=kind)


async def serve(server: Server[Desk]) -> None:
    """Serve one client on standard input and output."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m palaestra.doors.mcp", description=__doc__)
    parser.add_argument("--server", required=True, help="address of the lab")
    parser.add_argument("--run", type=int, required=True, help='a run with the grammar "functions"')
    parser.add_argument("--task", dest="tasks", type=int, action="append", required=True, help="(repeatable)")
    parser.add_argument("--arm", default="gym")
    parser.add_argument("--observation", default="axtree")
    parser.add_argument("--seed", type=int, help="seed of looks and worlds")
    parser.add_argument("--look", type=json.loads, default={}, help="axes of the look, as a JSON object")
    stages_add(parser)
    options = vars(parser.parse_args())
    key = os.environ.get(KEY) or parser.error(f"put a key of scope trainer into {KEY}")
    asyncio.run(serve(server_make(options.pop("server"), key, presentation=options.pop("look"), **options)))


if __name__ == "__main__":
    main()
