"""A task sampled four times by verl's rollout worker, with advantages from verl's GRPO."""

import asyncio
import itertools
import os
import tempfile
from pathlib import Path

from stand_in import PLAIN, complete
from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage
from verl_worker import Servers, batch_make, worker_make

from palaestra import Client
from palaestra.doors.verl import row

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]
samples = itertools.count()


async def run_open() -> tuple[int, int]:
    async with Client(server, key) as client:
        run = await client.run_create(name="verl", kind="train", observation="axtree-v2")
        return run.id, (await client.tasks(benchmark="gsm8k", limit=1))[0].id


def answer(conversation: str) -> str:
    """Return the stand-in's completion, which gives up in one of four samples."""
    if conversation.count("<|im_start|>assistant") == 1 and next(samples) % 4 == 3:
        return 'I cannot tell.\nAction: {"type": "give_up"}'
    return complete([{"role": "user", "content": conversation.rpartition("<|im_start|>user\n")[2]}])


run, task = asyncio.run(run_open())
with tempfile.TemporaryDirectory() as folder:
    worker = worker_make(
        Path(folder), Servers(answer), server=server, run=run, settings={"presentation": PLAIN}
    )
    output = asyncio.run(worker.generate_sequences(batch_make(row(task), samples=4)))
rewards, mask = output.batch["rm_scores"], output.batch["response_mask"]
advantages, _ = compute_grpo_outcome_advantage(rewards, mask, index=[0] * 4)
for index in range(4):
    details = {name: output.non_tensor_batch[name][index] for name in ("group", "reason")}
    advantage = advantages[index][mask[index].bool()][0]
    print(f"reward {rewards[index].sum():.1f}, advantage {advantage:+.2f}", details)
print(f"{server}/runs/{run}")
