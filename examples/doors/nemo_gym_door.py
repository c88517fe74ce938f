"""Two rollouts of a task through NeMo Gym's servers, with a stand-in for a model."""

import asyncio
import os

from nemo_gym_servers import gym_served
from stand_in import PLAIN, complete

from palaestra import Client
from palaestra.doors.nemo_gym import row

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def run_open() -> tuple[int, int]:
    async with Client(server, key) as client:
        run = await client.run_create(name="NeMo Gym", kind="train", observation="axtree-v2")
        return run.id, (await client.tasks(benchmark="gsm8k", limit=1))[0].id


run, task = asyncio.run(run_open())
with gym_served(complete, server=server, run=run, samples=2, settings={"presentation": PLAIN}) as gym:
    rollouts = [gym.rollout(row(task)) for _ in range(2)]
    for rollout in rollouts:
        info = rollout["info"]
        print(f"group {info['group']}: reward {rollout['reward']} {info['reason']}")
    print("mean", gym.metrics(rollouts)["agent_metrics"]["mean/reward"])
