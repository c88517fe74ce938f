from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from samples import Seat, note
from script import (
    SCRIPTS,
    SEED,
    UNREADABLE,
    Move,
    Scene,
    Script,
    episodes_of,
    example_run,
    play,
    recorded,
    resolved,
    same,
    scene_make,
)

from palaestra.doors.mcp import ENDED, NO_MORE, list_tools, server_make

GRAMMAR = "functions"


@pytest.fixture
def scene(request: pytest.FixtureRequest, script: Script) -> Scene:
    return asyncio.run(scene_make(f"doors: {request.node.name}", script=script, grammar=GRAMMAR))


def connect(scene: Scene, *, tasks: int = 1, **settings: Any) -> Client:
    """A client with a server of its own, in this process."""
    return Client(server_make(tasks=[scene.task] * tasks, seed=SEED, **scene.env, **settings))


def called(script: Script) -> Script:
    """A call to a tool always names an action: what has none cannot come through this door."""
    return replace(script, moves=[move for move in script.moves if move is not UNREADABLE])


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


async def take(client: Client, move: Move, page: str) -> str:
    fields = dict(resolved(move, page).action or {})
    return text_of(await client.call_tool(fields.pop("type"), {**fields, "thought": move.thought}))


@pytest.mark.parametrize("script", [called(one) for one in SCRIPTS.values()], ids=SCRIPTS)
async def test_a_script_leaves_the_same_record_as_through_the_client(scene: Scene, script: Script) -> None:
    reference = await play(script, grammar="functions")
    sent = [reference.messages[0], *([turn[-1]] for turn in reference.messages[1:])]
    async with connect(scene) as client:
        page = outline = text_of(await client.call_tool("open_task"))
        for move, messages in zip(script.moves, sent, strict=True):
            assert page == "\n".join(message["content"] for message in messages)
            page = await take(client, move, outline)
            outline = page if "[e1]" in page else outline  # a page that is as it was is not shown again
        assert page == ENDED
    [episode] = await episodes_of(scene.run)
    same(await recorded(episode.id), reference)


async def test_no_reward_of_an_episode_of_the_table_reaches_the_agent(seat: Seat) -> None:
    server = server_make(tasks=[seat.scene.task], seed=SEED, **seat.env)
    async with Client(server) as client:
        seen = [text_of(await client.call_tool("open_task"))]
        for move in seat.moves:
            fields = dict(move.action or {})
            called = await client.call_tool(fields.pop("type"), {**fields, "thought": move.thought})
            seen.append(text_of(called))
        if seat.sample.is_void:
            seen.append(text_of(await client.call_tool("close_task", {"reason": "model_error"})))
    assert ENDED in seen[-1]
    assert not any(word in "".join(seen).lower() for word in ("reward", "verdict", "incorrect"))
    note("MCP", seat, "no reward", None)


async def test_the_tools_are_the_actions_of_pages(scene: Scene) -> None:
    async with connect(scene) as client:
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    assert {"open_task", "click", "type", "press", "select", "scroll", "back", "give_up"} <= tools.keys()
    assert "close_task" not in tools
    assert tools["type"]["required"] == ["text"]


@pytest.mark.parametrize(
    ("arm", "is_offered"), [("text_agent", True), ("text_zero_shot", False), ("gym", False)]
)
def test_tools_of_tasks_are_called_where_no_page_shows_them(arm: str, is_offered: bool) -> None:
    assert ("call_tool" in {tool.name for tool in list_tools(arm, "axtree", "api")}) is is_offered


async def test_a_picture_is_a_picture(scene: Scene) -> None:
    async with connect(scene, observation="both") as client:
        result = await client.call_tool("open_task")
    assert [part.mime_type for part in result.content if part.type == "image"] == ["image/png"]


async def test_a_client_that_leaves_has_stopped_and_a_harness_may_say_why(scene: Scene) -> None:
    async with connect(scene, tasks=2) as client:
        await client.call_tool("open_task")
        await client.call_tool("close_task", {"reason": "model_error", "detail": "the endpoint is down"})
        await client.call_tool("open_task")
        assert text_of(await client.call_tool("close_task", {"reason": "bored"})).startswith("The reason")
    failed, left = [episode.verdict for episode in await episodes_of(scene.run)]
    assert (failed.outcome, failed.reward, failed.reason) == ("void", None, "model_error")
    assert (left.outcome, left.reward, left.reason) == ("incorrect", 0.0, "no_submission")


async def test_without_a_task_a_call_says_what_to_do(scene: Scene) -> None:
    async with connect(scene, tasks=0) as client:
        assert text_of(await client.call_tool("open_task")) == NO_MORE
        result = await client.call_tool("click", {"target": "e1"})
    assert result.is_error


def test_the_example_runs() -> None:
    assert re.search(r"The task has ended\.\n\w+ 1\.0 answer\n$", example_run("mcp"))
