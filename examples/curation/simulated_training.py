"""Comparison of two samplers by the share of groups that teach a simulated policy something.

    python examples/curation/simulated_training.py http://127.0.0.1:8001 KEY reasoning_gym generated

The arguments are the lab's URL, a key, a benchmark and one of its splits. The first 40 tasks are played.
The key needs the scopes `trainer` and `golds`, because the simulated policy looks up the right answers. It
gives them with a probability per task, its skill, which grows whenever a group of that task taught something.
No model is involved, and the runs are marked as simulated.
"""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any

from palaestra import Client

POOL, DRAWS, TASKS, SAMPLES = 40, 24, 8, 6
STRATEGIES: dict[str, dict[str, Any]] = {
    "uniform": {"kind": "uniform"},
    "success_band": {"kind": "success_band", "low": 0.2, "high": 0.8, "exploration": 0.2},
}


async def train(client: Client, strategy: dict[str, Any], golds: dict[int, str]) -> float:
    """Train a simulated policy and return the share of groups whose rewards differed."""
    chance = random.Random(1)
    skills = {task: chance.choice([0.02, 0.1, 0.5, 0.95, 0.99]) for task in golds}
    run = await client.run_create(name=f"simulated {strategy['kind']}", kind="train", simulated=True)
    sampler = await client.sampler_create(
        run=run.id,
        strategy=strategy,
        tasks={"ids": list(golds)},
        rollouts={"kind": "constant", "count": SAMPLES},
        seed=1,
    )
    completed, teaching = client.groups(run.id), 0
    for step in range(1, DRAWS + 1):
        await client.policy_register(run.id, version=step)
        draw = await client.sampler_draw(sampler.id, count=TASKS, number=step)
        for opening in draw.openings:
            opened = await client.episodes_open(
                run=run.id, arm="text_zero_shot", policy_version=step, **opening
            )
            for episode in opened.episodes:
                is_right = chance.random() < skills[episode.task]
                answer = golds[episode.task] if is_right else "no idea"
                await client.submission_post(episode.id, answer=answer)
        for _ in draw.items:
            _, group = await anext(completed)
            if group.teaches:
                teaching += 1
                skills[group.task] = min(0.99, skills[group.task] + 0.1)
    return teaching / (DRAWS * TASKS)


async def main(server: str, key: str, benchmark: str, split: str) -> None:
    async with Client(server, key) as client:
        golds = {
            gold["task"]: gold["answer"]
            async for gold in client.golds_export(benchmark=benchmark, split=split)
        }
        golds = dict(list(golds.items())[:POOL])
        for name, strategy in STRATEGIES.items():
            share = await train(client, strategy, golds)
            print(f"{name}: {share:.0%} of groups teach something")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:5]))
