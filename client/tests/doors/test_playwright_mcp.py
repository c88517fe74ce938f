"""Playwright MCP from npm, driven as an agent drives it: by the tools that it offers."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from foreign import answered_correctly, episode_make
from mcp import Client, StdioServerParameters
from script import GOLD

from palaestra.pages.browser import browser_find

# Where `make test-doors` installs npm packages: beside the environment's Python.
PROGRAM = Path(sys.prefix) / "node_modules" / ".bin" / "playwright-mcp"


def server() -> StdioServerParameters:
    options = ["--headless", "--isolated", "--no-sandbox", "--executable-path", browser_find()]
    return StdioServerParameters(command=str(PROGRAM), args=options, env=dict(os.environ))


async def snapshot(agent: Client) -> str:
    result = await agent.call_tool("browser_snapshot", {})
    return "\n".join(part.text for part in result.content if part.type == "text")


async def test_an_agent_of_playwright_mcp_is_recorded_by_the_page_and_judged() -> None:
    async with await episode_make() as episode, Client(server()) as agent:
        await agent.call_tool("browser_navigate", {"url": episode.start_url})
        shown = await snapshot(agent)
        field, button = (re.search(rf"{role}\b.*?\[ref=(\w+)\]", shown)[1] for role in ("textbox", "button"))
        await agent.call_tool("browser_type", {"target": field, "text": GOLD})
        await agent.call_tool("browser_click", {"target": button})
        await answered_correctly(episode)
