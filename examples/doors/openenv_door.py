"""An episode played through OpenEnv: a server with browsers and a client that knows nothing of Palaestra."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request

from openenv.core import GenericEnvClient
from stand_in import PLAIN, complete

from palaestra import Client

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]
address = "http://127.0.0.1:8009"


async def run_open() -> tuple[int, list[int]]:
    async with Client(server, key) as client:
        run = await client.run_create(name="OpenEnv", kind="train", observation="axtree-v2")
        return run.id, [task.id for task in await client.tasks(benchmark="gsm8k", limit=1)]


def is_served() -> bool:
    try:
        return urllib.request.urlopen(f"{address}/health").status == 200
    except OSError:
        return False


run, tasks = asyncio.run(run_open())
command = f"-m palaestra.doors.openenv --server {server} --run {run} --look".split()
with subprocess.Popen([sys.executable, *command, json.dumps(PLAIN)]) as door:  # reads PALAESTRA_KEY
    while not is_served():
        time.sleep(0.2)
    with GenericEnvClient(base_url=address).sync() as env:
        result = env.reset(task=tasks[0], round=1)
        while not result.done:
            completion = complete(result.observation["messages"])  # your model
            result = env.step({"completion": completion})
            print(completion.splitlines()[-1], "->", result.observation["action_result"], result.reward)
    reward = "void" if result.observation["void"] else f"reward {result.reward}"
    print(reward, result.observation["reason"])
    door.terminate()
