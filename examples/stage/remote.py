"""Episodes on a remote stage, played from a machine without a browser.

    palaestra stage --server http://127.0.0.1:8001        # on a machine with browsers
    python examples/stage/remote.py gsm8k                 # on this one

PALAESTRA_SERVER and PALAESTRA_KEY belong to the lab, for the run and its tasks. PALAESTRA_STAGES is a
comma-separated list of the stages' URLs, and PALAESTRA_STAGE_TOKEN is their token.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys

from palaestra import Client, RemoteEnv

TASKS = 4
SERVER = os.environ.get("PALAESTRA_SERVER", "http://127.0.0.1:8001")
STAGES = os.environ.get("PALAESTRA_STAGES", "http://127.0.0.1:8010").split(",")


def complete(page: str) -> str:
    """Type 42 and submit it, in place of a model, which would get ``observation.messages``."""
    is_filled = 'value="42"' in page
    role = "button" if is_filled else "textbox"
    target = re.search(rf"\[(e\d+)\] {role}", page)
    if target is None:
        return 'I see nothing to do.\nAction: {"type": "give_up", "reason": "no field"}'
    if is_filled:
        return f'That is my answer.\nAction: {{"type": "click", "target": "{target[1]}"}}'
    return f'It may be 42.\nAction: {{"type": "type", "target": "{target[1]}", "text": "42"}}'


async def play(env: RemoteEnv, task: int) -> None:
    observation, is_over = await env.reset(task), False
    while not is_over:
        observation, reward, terminated, truncated, info = await env.step(complete(observation.text))
        is_over = terminated or truncated
        print(f"task {task}, step {info['step']}: {info.get('action_result')}, reward {reward}")


async def main(benchmark: str) -> None:
    async with Client(SERVER, os.environ["PALAESTRA_KEY"]) as client:
        tasks = await client.tasks(benchmark=benchmark, limit=TASKS)
        run = await client.run_create(name="stage example", simulated=True, settings={"browser": "lite"})

    async def trainer(task: int) -> None:
        token = os.environ["PALAESTRA_STAGE_TOKEN"]
        async with RemoteEnv(STAGES, token, run=run.id, browser="lite") as env:
            await play(env, task)

    await asyncio.gather(*(trainer(task.id) for task in tasks))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2] or ["gsm8k"]))
