"""An episode played through BrowserGym."""

import asyncio
import os
import re

import gymnasium
from browsergym.utils.obs import flatten_axtree_to_str
from stand_in import PLAIN

from palaestra import Client
from palaestra.doors.browsergym import tasks_register

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def run_open() -> int:
    async with Client(server, key) as client:
        return (await client.run_create(name="BrowserGym", kind="eval")).id


def agent(page: str) -> tuple[str, str]:
    """Return a thought and an action for a page, in place of your agent."""
    field, button = (re.search(rf"\[(\w+)\] {role}(.*)", page) for role in ("textbox", "button"))
    if "162" in field[2]:
        return "I hand it in.", f"click('{button[1]}')"
    return "96 rolls less 15 are 81, at $2 each.", f"fill('{field[1]}', '162')"


names = tasks_register(server, run=asyncio.run(run_open()), benchmark="gsm8k", limit=1, presentation=PLAIN)
env = gymnasium.make(names[0], pre_observation_delay=0)
observation, info = env.reset(seed=1)
is_over = False
while not is_over:
    page = flatten_axtree_to_str(observation["axtree_object"])
    print(page)
    thought, action = agent(page)
    env.unwrapped.chat.add_message("info", thought)
    observation, reward, terminated, truncated, info = env.step(action)
    is_over = terminated or truncated
    print(action, "->", observation["last_action_error"] or "ok", reward)
print("reward", reward, info["task_info"]["reason"])
env.close()
