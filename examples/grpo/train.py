"""Training of a small language model in the live gym: first the format, then from reward alone.

    python train.py --rung named_word --seed 1 --settings cpu.toml --model FOLDER --results FOLDER

PALAESTRA_SERVER and PALAESTRA_KEY name the installation. Every event becomes a line in RESULTS/NAME.jsonl,
which plots.py reads. With --resume, training continues from its last evaluation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import torch
from curriculum import IN_ORDER, SAMPLERS, Curriculum, tasks_filter
from gradient import advantages, bonus_adapted, compute_loss, divergence, entropies, entropies_after, shuffled
from model import Model
from prompts import Prompt
from rollouts import OBSERVATION, Batch, Chooser, Score, play
from torch import Tensor

from palaestra import Client

NAME = "SmolLM2-135M-Instruct"
ARMS = ("gym", "text_zero_shot")
SCORED_AT_ONCE = 16
NOT_PLAYED = "No page of update {} could be played. Fix the installation, then continue with --resume."


class Trainer:
    """One training run: its model, its tasks, its run in the lab, and its log file."""

    variant = ""  # appears in the names of this loop's runs

    def __init__(self, options: argparse.Namespace, client: Client) -> None:
        self.options, self.client = options, client
        self.set = tomllib.loads(Path(options.settings).read_text()) | {
            key: value
            for key, value in vars(options).items()
            if key in ("updates", "groups", "samples", "sampler") and value
        }
        self.name = options.name or make_name(options, sampler=self.set["sampler"], variant=self.variant)
        torch.manual_seed(options.seed)
        torch.set_num_threads(self.set["threads"])
        settings = {key: self.set[key] for key in ("rate", "rank", "device")}
        self.model = Model.load(options.model, adapter=options.start, **settings)
        self.rows: dict[Prompt, Tensor] = {}
        self.started, self.file = time.monotonic(), Path(options.results) / f"{self.name}.jsonl"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.state_file = self.file.with_suffix(".state")
        self.start_rows: Tensor | None = None
        self.version = 0
        self.profile = "" if options.profile else None  # "" stands for the run's own profile
        self.bonus, self.bonus_limits = self.set["entropy_bonus"][0], tuple(self.set["entropy_bonus"])

    # ---- logging
    def note(self, kind: str, **values: object) -> None:
        line = {"kind": kind, "version": self.version, "seconds": round(time.monotonic() - self.started, 1)}
        with self.file.open("a") as out:
            out.write(json.dumps(line | values) + "\n")
        print(line | values, flush=True)

    async def run_open(self, kind: str, checkpoint: str) -> int:
        settings = {"browser": "lite"}
        if kind == "train" and self.options.profile:
            profile = tomllib.loads(self.options.profile.read_text())
            settings["reward_profile"] = (await self.client.reward_profile_store(profile)).reference
        run = await self.client.run_create(
            name=f"grpo {self.name if kind == 'train' else checkpoint}",
            kind=kind,
            model=NAME,
            checkpoint=checkpoint,
            observation=OBSERVATION,
            actions_per_turn=2,
            settings=settings,
            tags=["grpo", self.options.rung],
        )
        return int(run.id)

    # ---- scoring
    def score_with_graph(self, prompts: Sequence[Prompt]) -> list[list[float]]:
        """Return probabilities but keep the graph, so that one forward pass also serves learning."""
        rows = self.model.logprobs(prompts)
        self.rows |= dict(zip(prompts, rows, strict=True))
        return rows.detach().exp().tolist()

    @torch.no_grad()
    def score(self, prompts: Sequence[Prompt]) -> list[list[float]]:
        scored = map(self.model.logprobs, parts(prompts, SCORED_AT_ONCE))
        return [row for rows in scored for row in rows.exp().tolist()]

    # ---- the parts of a run
    async def tasks(self, part: str, *, limit: int) -> list[int]:
        return [
            task.id for task in await self.client.tasks(**tasks_filter(self.options.rung, part), limit=limit)
        ]

    async def warm_up(self, tasks: Sequence[int]) -> None:
        """Learn only the format, by writing the id of a randomly drawn element. No reward is used."""
        run = await self.run_open("collect", f"{self.name}/raw")
        chooser = self.chooser(uniform, name="uniform")
        batch = await play(self.client, run=run, tasks=tasks, chooser=chooser)
        for first in range(0, len(batch.prompts), self.set["warm_groups"]):
            part = slice(first, first + self.set["warm_groups"])
            prompts = batch.prompts[part]
            rows = await asyncio.to_thread(self.model.logprobs, prompts)
            loss = warm_loss(rows, [group[0] for group in batch.choices[part]], prompts)
            await asyncio.to_thread(self.model.improve, loss)
            self.note("warm", loss=float(loss.detach()), entropy=float(entropies(rows.detach()).mean()))

    async def update(self, run: int, tasks: Sequence[int]) -> None:
        began = time.monotonic()
        batch, parts_of = await self.rollout(run, tasks)
        if not batch.prompts:
            raise SystemExit(NOT_PLAYED.format(self.version))
        played = time.monotonic() - began
        paid = batch.paid
        if self.options.shuffle_rewards:
            paid = shuffled(paid, seed=self.options.seed * 100_000 + self.version)
        learnt = await self.learn(batch, [advantages(group) for group in paid])
        reward, entropy = share(batch), learnt["entropy"]
        values = {
            "reward": reward,
            "paid": mean(batch.paid),
            **parts_of,
            **learnt,
            "entropy_bonus": self.bonus,
            "void": float(sum(reward is None for group in batch.rewards for reward in group)),
            "play_s": played,
            "update_s": time.monotonic() - began,
        }
        self.bonus = bonus_adapted(self.bonus, entropy=entropy, reward=reward, limits=self.bonus_limits)
        await self.client.metrics_post(run, policy_version=self.version, values=values)
        self.note("update", **values)

    async def rollout(self, run: int, tasks: Sequence[int]) -> tuple[Batch, dict[str, float]]:
        """Play an update's episodes and return them, with the reward of each part if the update has parts."""
        opening = {"samples": self.set["samples"], "policy_version": self.version}
        opening |= {"chooser": self.learner(), "profile": self.profile}
        return await play(self.client, run=run, tasks=tasks, **opening), {}

    def learner(self) -> Chooser:
        """Return the current policy in a form whose choices can be learnt from."""
        self.rows.clear()
        return self.chooser(self.score_with_graph)

    def chooser(self, score: Score, **settings: Any) -> Chooser:
        settings = {"name": NAME, "seed": self.options.seed, "version": self.version} | settings
        return Chooser(score, quotes=self.options.quote, **settings)

    async def learn(self, batch: Batch, worths: Sequence[Sequence[float]]) -> dict[str, float]:
        """Improve the model with a batch and return figures of the update, including ``entropy``."""
        logprobs = torch.nn.utils.rnn.pad_sequence(
            [self.rows[prompt] for prompt in batch.prompts], batch_first=True, padding_value=-torch.inf
        )
        spread = entropies(logprobs)
        if self.options.quote:
            # Use only the entropy of clicks: quoting earns nothing by itself, so a bonus would spread it
            # evenly.
            spread = entropies_after(logprobs, len(batch.prompts[0].offered))
        loss = compute_loss(logprobs, batch.choices, worths, bonus=self.bonus, spread=spread)
        norm = await asyncio.to_thread(self.model.improve, loss)
        return {"entropy": float(spread.detach().mean()), "loss": float(loss.detach()), "gradient_norm": norm}

    async def evaluate(
        self, tasks: Sequence[int], *, arms: Sequence[str], checkpoint: str
    ) -> dict[str, float]:
        """Return greedy success by arm and, for pages, sampled success and the divergence from version 0."""
        run, sampled = await self.run_open("eval", checkpoint), await self.run_open("collect", checkpoint)
        results: dict[str, float] = {}
        for arm in arms:
            chooser = self.chooser(self.score, greedy=True)
            batch = await play(self.client, run=run, tasks=tasks, chooser=chooser, arm=arm)
            results[arm] = share(batch)
            if arm == "gym":
                known = chooser.chances
                again = self.chooser(partial(map, known.__getitem__), seed=0)
                results["sampled"] = share(await play(self.client, run=sampled, tasks=tasks, chooser=again))
                rows = torch.tensor([known[prompt] for prompt in batch.prompts]).log()
                results["entropy"] = float(entropies(rows).mean())
                self.start_rows = rows if self.version == 0 else self.start_rows
                results["kl"] = divergence(rows, self.start_rows)
        self.note("evaluation", checkpoint=checkpoint, tasks=len(tasks), **results)
        return results

    async def begin(self, test: Sequence[int]) -> tuple[int, Curriculum]:
        """Evaluate before training, run the warm start unless one is given, and open the training run."""
        options = self.options
        train = await self.tasks("train", limit=5_000)
        Random(options.seed).shuffle(train)
        named = {"rung": options.rung, "seed": options.seed, "shuffle": options.shuffle_rewards}
        named |= {"quote": options.quote, "profile": options.profile and options.profile.stem}
        self.note("settings", **self.set, **named, variant=self.variant)
        if options.start is None:
            await self.evaluate(test, arms=ARMS, checkpoint=f"{self.name}/raw")
            count = self.set["warm_updates"] * self.set["warm_groups"]
            await self.warm_up(train[:count])
            train = train[count:]
        start = f"{self.name}/0"
        await self.evaluate(test, arms=ARMS, checkpoint=start)
        run = await self.run_open("train", start)
        curriculum = await Curriculum.open(
            self.client, run=run, tasks=train, settings=self.set, seed=options.seed
        )
        self.note("run", run=run, sampler=curriculum.sampler)
        self.keep(run, curriculum)
        return run, curriculum

    async def train(self) -> None:
        test = await self.tasks("test", limit=self.set["held_out"])
        run, curriculum = self.resume() if self.options.resume else await self.begin(test)
        while self.version < self.set["updates"]:
            await self.update(run, await curriculum.choose_tasks(self.version))
            self.version += 1
            checkpoint = f"{self.name}/{self.version}"
            await self.client.policy_register(
                run, version=self.version, checkpoint=checkpoint, trainer_step=self.version
            )
            is_last = self.version == self.set["updates"]
            if is_last or self.version % self.set["evaluate_every"] == 0:
                arms = ARMS if is_last else ARMS[:1]
                results = await self.evaluate(test, arms=arms, checkpoint=checkpoint)
                values = {"held_out": results["gym"]} | {
                    key: results[key] for key in ("kl",) if key in results
                }
                await self.client.metrics_post(run, policy_version=self.version, values=values)
                self.keep(run, curriculum)
        self.model.save(Path(self.options.results) / self.name)

    # ---- recovery after a crash
    def keep(self, run: int, curriculum: Curriculum) -> None:
        """Write the state for ``resume`` atomically, so that a crash leaves the previous file intact."""
        state = {
            "run": run,
            "sampler": curriculum.sampler,
            "tasks": curriculum.tasks,
            "version": self.version,
            "bonus": self.bonus,
            "start_rows": self.start_rows,
            "model": self.model.state,
            "written": self.file.stat().st_size,
            "seconds": time.monotonic() - self.started,
        }
        part = self.state_file.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.state_file)

    def resume(self) -> tuple[int, Curriculum]:
        """Return the run and its tasks as of the last evaluation, dropping later log lines.

        Updates since then are played again with the same tasks.
        """
        state = torch.load(self.state_file, map_location=self.set["device"])
        os.truncate(self.file, state["written"])
        self.started -= state["seconds"]
        self.version, self.bonus = state["version"], state["bonus"]
        self.start_rows = state["start_rows"]
        self.model.restore(state["model"])
        return state["run"], Curriculum(self.client, state["tasks"], self.set["groups"], state["sampler"])


def make_name(options: argparse.Namespace, *, sampler: str, variant: str = "") -> str:
    parts = [options.rung, str(options.seed), *[sampler] * (sampler != IN_ORDER)]
    parts += ["quote"] * options.quote + [variant] * bool(variant) + ["shuffled"] * options.shuffle_rewards
    parts += [options.profile.stem] if options.profile else []
    return "-".join(parts)


def warm_loss(rows: Tensor, choices: Sequence[int], prompts: Sequence[Prompt]) -> Tensor:
    """Return the supervised loss for random choices, in which rewards play no part.

    For pairs, it is the loss of the option given the row, so the choice of the row is not trained.
    """
    losses = []
    for row, choice, count in zip(rows, choices, (len(prompt.offered) for prompt in prompts), strict=True):
        first = choice - choice % count
        losses.append(row[first : first + count].logsumexp(0) - row[choice])
    return torch.stack(losses).mean()


def uniform(prompts: Sequence[Prompt]) -> list[list[float]]:
    return [[1 / prompt.choices] * prompt.choices for prompt in prompts]


def parts(items: Sequence, count: int) -> list[Sequence]:
    return [items[first : first + count] for first in range(0, len(items), count)]


def share(batch: Batch) -> float:
    """Return the share of correct answers among those with a verdict."""
    return mean(batch.rewards)


def mean(groups: Sequence[Sequence[float | None]]) -> float:
    numbers = [number for group in groups for number in group if number is not None]
    return sum(numbers) / max(len(numbers), 1)


def options_parser(description: str | None = __doc__) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rung", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settings", default="cpu.toml")
    parser.add_argument("--model", type=Path, required=True, help="a folder that `model.converted` wrote")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="the adapter of an earlier run, instead of a warm start")
    parser.add_argument("--name", default="")
    parser.add_argument("--sampler", choices=SAMPLERS, help="overrides the sampler in the settings")
    parser.add_argument("--resume", action="store_true", help="continue from the last evaluation")
    parser.add_argument(
        "--quote", action="store_true", help="choose a row of the table first and quote it in a thought"
    )
    parser.add_argument(
        "--profile", type=Path, help="a reward profile (TOML) to train on instead of the outcome"
    )
    parser.add_argument("--shuffle-rewards", action="store_true", help="the control: nothing can be learnt")
    for name in ("updates", "groups", "samples"):
        parser.add_argument(f"--{name}", type=int)
    return parser


async def main(trainer: type[Trainer], options: argparse.Namespace) -> None:
    async with Client(os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]) as client:
        await trainer(options, client).train()


if __name__ == "__main__":
    asyncio.run(main(Trainer, options_parser().parse_args()))
