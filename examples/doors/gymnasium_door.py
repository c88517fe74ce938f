"""An episode played through Gymnasium."""

import asyncio
import os

import gymnasium
from stand_in import PLAIN, complete

from palaestra import Client

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def run_open() -> tuple[int, list[int]]:
    async with Client(server, key) as client:
        run = await client.run_create(name="Gymnasium", kind="train", observation="axtree-v2")
        return run.id, [task.id for task in await client.tasks(benchmark="gsm8k", limit=1)]


run, tasks = asyncio.run(run_open())
name = "palaestra.doors.gymnasium:Palaestra-v0"
env = gymnasium.make(name, server=server, key=key, run=run, tasks=tasks, presentation=PLAIN)
page, info = env.reset(seed=1)
print(page)
is_over = False
while not is_over:
    completion = complete(info["messages"])  # your model: chat messages in, raw text out
    page, reward, terminated, truncated, info = env.step(completion)
    is_over = terminated or truncated
    print(completion.splitlines()[-1], "->", info["action_result"], reward)
print("void" if info["void"] else f"reward {reward}", info["reason"])
env.close()
