"""Train with the beginnings of solutions: each task is played with one and without, 1 : 1 (POPE).

    python guided.py --rung table_cell --quote --seed 11 --updates 150 \\
        --settings ../grpo/cpu.toml --model FOLDER --results FOLDER

The loop is that of ../grpo, and so are its settings, the episodes of an update and the evaluations, which are
without guidance. PALAESTRA_KEY needs the scopes trainer and guidance.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "grpo"))

from prompts import INSTRUCTION
from rollouts import Batch, play
from train import Trainer, main, options_parser, share

GUIDANCE = {"kind": "prefix", "fraction": 0.5, "instruction": INSTRUCTION}


class GuidedTrainer(Trainer):
    """Half of the groups of an update have half of their task's solution below the page."""

    variant = "guided"

    async def rollout(self, run: int, tasks: Sequence[int]) -> tuple[Batch, dict[str, float]]:
        half = tasks[: len(tasks) // 2]
        opening = {"samples": self.set["samples"], "policy_version": self.version}
        opening |= {"run": run, "tasks": half, "chooser": self.learner(), "profile": self.pays}
        guided = await play(self.client, guidance=GUIDANCE, **opening)
        plain = await play(self.client, **opening)
        return joined(guided, plain), {"reward_guided": share(guided), "reward_plain": share(plain)}


def joined(*batches: Batch) -> Batch:
    """All groups of the batches, in their order."""
    return Batch(
        **{one.name: [row for batch in batches for row in getattr(batch, one.name)] for one in fields(Batch)}
    )


if __name__ == "__main__":
    asyncio.run(main(GuidedTrainer, options_parser(__doc__).parse_args()))
