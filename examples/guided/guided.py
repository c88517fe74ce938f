"""Training with solution prefixes, which half of the groups get and half do not (POPE).

    python guided.py --rung table_cell --quote --seed 11 --updates 150 \\
        --settings ../grpo/cpu.toml --model FOLDER --results FOLDER

Loop, settings, episodes per update and evaluations are those of ../grpo; evaluations are without guidance.
PALAESTRA_KEY needs the scopes trainer and guidance.
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
    """A trainer that shows half of an update's groups half of their task's solution below the page."""

    variant = "guided"

    async def rollout(self, run: int, tasks: Sequence[int]) -> tuple[Batch, dict[str, float]]:
        half = tasks[: len(tasks) // 2]
        opening = {"samples": self.set["samples"], "policy_version": self.version}
        opening |= {"run": run, "tasks": half, "chooser": self.learner(), "profile": self.profile}
        guided = await play(self.client, guidance=GUIDANCE, **opening)
        plain = await play(self.client, **opening)
        return join(guided, plain), {"reward_guided": share(guided), "reward_plain": share(plain)}


def join(*batches: Batch) -> Batch:
    """Return the groups of all batches in order."""
    return Batch(
        **{
            field.name: [row for batch in batches for row in getattr(batch, field.name)]
            for field in fields(Batch)
        }
    )


if __name__ == "__main__":
    asyncio.run(main(GuidedTrainer, options_parser(__doc__).parse_args()))
