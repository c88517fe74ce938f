"""The training example's loop on a tiny model, with a fake lab and a fake gym."""

from __future__ import annotations

import argparse
import asyncio
import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import rollouts
import torch
import train
from model import Model
from prompts import Prompt
from tiny_model import model_make, tokenizer_make
from transformers import LlamaConfig, LlamaForCausalLM

SETTINGS = """
groups = 2
samples = 3
updates = 5
rate = 1e-2
rank = 2
entropy_bonus = [0.03, 0.5]
warm_updates = 1
warm_groups = 2
sampler = "success_band"
pool = 6
band = [0.1, 0.9]
evaluate_every = 2
held_out = 2
thought_tokens = 4
threads = 1
device = "cpu"
"""


NEVER = -1


class Killed(Exception):
    """Raised instead of killing the process; nothing in the loop handles it."""


class Lab:
    """A fake client with the calls that the loop makes. Draws are numbered as the server's are."""

    def __init__(self) -> None:
        self.runs, self.drawn = count(1), []

    async def tasks(self, *, limit: int, **_: Any) -> list[SimpleNamespace]:
        return [SimpleNamespace(id=number) for number in range(min(limit, 9))]

    async def run_create(self, **_: Any) -> SimpleNamespace:
        return SimpleNamespace(id=next(self.runs))

    async def sampler_create(self, **_: Any) -> SimpleNamespace:
        return SimpleNamespace(id=1)

    async def sampler_draw(self, _: int, *, count: int, number: int) -> SimpleNamespace:
        self.drawn.append(number)
        return SimpleNamespace(items=[SimpleNamespace(task=number + place) for place in range(count)])

    async def policy_register(self, *_: Any, **__: Any) -> None: ...

    async def metrics_post(self, *_: Any, **__: Any) -> None: ...

    async def trajectory(self, episode: int) -> dict[str, Any]:
        """Return a trajectory; in one of three episodes the model says nothing."""
        words = episode % 3
        return {"steps": [{"behaviour": {"thought_words": words, "restates": 0.25 if words else 0.0}}]}


async def play(
    _: Any, *, run: int, tasks: list[int], chooser: Any, samples: int = 1, **opening: Any
) -> rollouts.Batch:
    """Play the tasks; the second choice in a task's prompt is always correct."""
    if opening.get("policy_version") == play.killed_at:
        raise Killed
    batch = rollouts.Batch()
    for task in tasks:
        prompt = Prompt("", "abcd"[task % 4], "=", ("1", "2", "3"))
        made = [await chooser.choose(prompt, f"{run}/{task}/{sample}") for sample in range(samples)]
        choices = [choice for _, choice in made]
        batch.contexts.append([context for context, _ in made])
        batch.choices.append(choices)
        batch.rewards.append([float(choice == 1) for choice in choices])
        batch.paid.append(batch.rewards[-1])
        batch.tasks.append(task)
        batch.episodes.append([samples * len(batch.episodes) + sample for sample in range(samples)])
    return batch


play.killed_at = NEVER


def model_load(*_: Any, adapter: Path | None, **settings: Any) -> Model:
    torch.manual_seed(0)
    tokenizer = tokenizer_make()
    return Model(model_make(tokenizer), tokenizer, **settings)


def wide_model() -> Model:
    """Make a random two-layer model with enough width and large enough weights to distinguish letters."""
    torch.manual_seed(0)
    tokenizer = tokenizer_make()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=0.1,
    )
    return Model(LlamaForCausalLM(config), tokenizer, rate=5e-3, rank=8)


def trained(
    folder: Path,
    lab: Lab,
    *,
    is_resumed: bool = False,
    trainer: type[train.Trainer] = train.Trainer,
    start: Path | None = None,
) -> list[dict[str, Any]]:
    """Train, and return the lines that were noted, without times."""
    folder.mkdir(exist_ok=True)
    (folder / "settings.toml").write_text(SETTINGS)
    unset = dict.fromkeys(("sampler", "updates", "groups", "samples"))
    options = argparse.Namespace(
        quote=False,
        **unset,
        start=start,
        name="tiny",
        shuffle_rewards=False,
        profile=None,
        rung="r",
        seed=1,
        settings=folder / "settings.toml",
        model=folder,
        results=folder,
        resume=is_resumed,
    )
    training = trainer(options, lab)
    asyncio.run(training.train())
    lines = map(json.loads, training.file.read_text().splitlines())
    return [
        {key: value for key, value in line.items() if not key.endswith(("_s", "seconds"))} for line in lines
    ]
