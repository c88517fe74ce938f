"""An episode played through MCP, with a server process for one agent whose tools are the actions."""

import asyncio
import json
import os
import re
import sys

from mcp import Client, StdioServerParameters
from stand_in import PLAIN

import palaestra

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def main() -> None:
    async with palaestra.Client(server, key) as lab:
        run = await lab.run_create(name="MCP", observation="axtree-v2", grammar="functions")
        [task] = await lab.tasks(benchmark="gsm8k", limit=1)
        arguments = f"-m palaestra.doors.mcp --server {server} --run {run.id} --task {task.id} --look".split()
        start = StdioServerParameters(
            command=sys.executable, args=[*arguments, json.dumps(PLAIN)], env={"PALAESTRA_KEY": key}
        )
        async with Client(start) as agent:
            print("tools:", ", ".join(tool.name for tool in (await agent.list_tools()).tools))
            page = (await agent.call_tool("open_task")).content[-1].text
            print(page)
            field, button = (re.search(rf"\[(e\d+)\] {role}", page)[1] for role in ("textbox", "button"))
            for name, more in (("type", {"target": field, "text": "162"}), ("click", {"target": button})):
                result = await agent.call_tool(name, {**more, "thought": "81 rolls at $2 each."})
                print(f"{name} {more}:", result.content[-1].text.splitlines()[0])
        [episode] = (await lab.episodes_page(run=run.id)).results
        print(episode.verdict.outcome, episode.verdict.reward, episode.verdict.reason)


asyncio.run(main())
