"""Training with free-text thoughts: the model writes one, then chooses, and only the reward trains both.

    python thoughts.py --rung named_word --seed 1 --start ADAPTER --model FOLDER --results FOLDER

Training starts from a run of `train.py`, whose adapter chooses well without a thought. The lab measures the
thoughts (docs/behaviour.md), and its measurements are read back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean

import torch
from gradient import compute_loss, entropies
from model import Model
from prompts import Prompt
from rollouts import Batch, Chooser, play
from torch import Tensor
from train import NAME, SCORED_AT_ONCE, Trainer, main, options_parser, parts, share

from palaestra import Client

LEAD = "Thought:"
WRITTEN_AT_ONCE = 48
LEARNT_AT_ONCE = 4
SHOWN = 4
MEASURED_WITHIN_S = 60


@dataclass(frozen=True)
class Thought:
    """A prompt and the thought before the choice. ``drawn`` ends with a stop token unless it ``is_cut``."""

    prompt: Prompt
    drawn: tuple[int, ...]
    text: str
    is_cut: bool

    @property
    def kept(self) -> tuple[int, ...]:
        """The tokens before the choice, without the stop token, which is replaced by a new line."""
        return self.drawn if self.is_cut else self.drawn[:-1]

    def completion(self, choice: int) -> str:
        prefix = f"{LEAD}{self.text}\n{self.prompt.prefix}"
        return replace(self.prompt, prefix=prefix).completion(choice)


class Writer:
    """A writer of thoughts, which also rereads them to get their log-probabilities."""

    def __init__(self, model: Model, *, limit: int) -> None:
        self.model, self.limit = model, limit
        tokenizer = model.tokenizer
        texts = tokenizer.batch_decode([[token] for token in range(len(tokenizer))])
        self.stops = [token for token, text in enumerate(texts) if "\n" in text]
        self.stops += [token for token in tokenizer.all_special_ids if token not in self.stops]

    @torch.no_grad()
    def write(self, prompts: Sequence[Prompt], *, greedy: bool) -> list[Thought]:
        read = self.model.tokenizer(
            [self._open(prompt) for prompt in prompts], return_tensors="pt", padding=True
        )
        drawing = {"do_sample": False} if greedy else {"do_sample": True, "top_k": 0}
        with self.model.autocast():
            written = self.model.net.generate(
                **read.to(self.model.device),
                **drawing,
                max_new_tokens=self.limit,
                eos_token_id=self.stops,
                pad_token_id=self.model.tokenizer.pad_token_id,
            )
        rows = written[:, read["input_ids"].shape[1] :].tolist()
        return [self._parse(prompt, row) for prompt, row in zip(prompts, rows, strict=True)]

    def logprobs(self, thoughts: Sequence[Thought]) -> tuple[Tensor, Tensor]:
        """Return the log-probability of each thought as drawn, and a row with those of its choices."""
        code = self.model.tokenizer
        opened = code([self._open(thought.prompt) for thought in thoughts])["input_ids"]
        ends = code([f"\n{thought.prompt.prefix}" for thought in thoughts], add_special_tokens=False)[
            "input_ids"
        ]
        tails = [[*thought.kept, *end] for thought, end in zip(thoughts, ends, strict=True)]
        rows = [before + tail for before, tail in zip(opened, tails, strict=True)]
        last = max(map(len, tails)) + 1
        logits = self.model.logits(code.pad({"input_ids": rows}, return_tensors="pt"), last=last)
        spoken = []
        for row, (thought, tail) in enumerate(zip(thoughts, tails, strict=True)):
            first = last - len(tail) - 1
            scores = logits[row, first : first + len(thought.drawn)].log_softmax(-1)
            spoken.append(scores[range(len(thought.drawn)), list(thought.drawn)].sum())
        return torch.stack(spoken), self.model.choices(
            logits[:, -1], [thought.prompt.offered for thought in thoughts]
        )

    def _open(self, prompt: Prompt) -> str:
        return self.model.text(replace(prompt, prefix=LEAD))

    def _parse(self, prompt: Prompt, row: list[int]) -> Thought:
        """Return the thought in a row of drawn tokens, which is followed by padding."""
        end = next((index for index, token in enumerate(row) if token in self.stops), None)
        drawn = tuple(row if end is None else row[: end + 1])
        text = self.model.tokenizer.decode(drawn if end is None else drawn[:-1])
        return Thought(prompt, drawn, text, is_cut=end is None)


class Thinker(Chooser):
    """A chooser that first writes a thought for each sample, in batches."""

    def __init__(self, writer: Writer, *, greedy: bool = False, **settings) -> None:
        super().__init__(self._think, greedy=greedy, **settings)
        self.writer, self.free_tokens = writer, writer.limit + 1

    async def choose(self, prompt: Prompt, seed: str) -> tuple[Thought, int]:
        thought, chances = await self._scored.answer((prompt, seed))
        return thought, self._pick(chances, seed)

    @torch.no_grad()
    def _think(self, waiting: Sequence[tuple[Prompt, str]]) -> list[tuple[Thought, list[float]]]:
        prompts = [prompt for prompt, _ in waiting]
        thoughts = [
            thought
            for part in parts(prompts, WRITTEN_AT_ONCE)
            for thought in self.writer.write(part, greedy=self._greedy)
        ]
        rows = [
            row
            for part in parts(thoughts, SCORED_AT_ONCE)
            for row in self.writer.logprobs(part)[1].exp().tolist()
        ]
        return list(zip(thoughts, rows, strict=True))


class ThoughtTrainer(Trainer):
    """A trainer with the same loop that trains the tokens of the thought and the choice after it."""

    def __init__(self, options, client: Client) -> None:
        super().__init__(options, client)
        self.writer = Writer(self.model, limit=self.set["thought_tokens"])

    def learner(self) -> Thinker:
        return self.thinker()

    def thinker(self, *, greedy: bool = False) -> Thinker:
        torch.manual_seed(self.options.seed * 100_000 + self.version)
        return Thinker(self.writer, name=NAME, seed=self.options.seed, version=self.version, greedy=greedy)

    async def learn(self, batch: Batch, worths: Sequence[Sequence[float]]) -> dict[str, float]:
        samples = [
            (thought, choice, worth)
            for group in zip(batch.contexts, batch.choices, worths, strict=True)
            for thought, choice, worth in zip(*group, strict=True)
        ]
        learning = Learning(self.writer, samples, bonus=self.bonus)
        norm = await asyncio.to_thread(self.model.improve_by, learning.losses())
        for thought, choice, worth in samples[:SHOWN]:
            self.note("thought", text=thought.completion(choice), worth=worth)
        return learning.figures | {"gradient_norm": norm} | await self.figures(batch)

    async def evaluate(
        self, tasks: Sequence[int], *, arms: Sequence[str], checkpoint: str
    ) -> dict[str, float]:
        """Return the success rates on pages: with a thought (greedy and sampled) and without one (greedy)."""
        silent = Chooser(self.score, name=NAME, seed=self.options.seed, version=self.version, greedy=True)
        played = {}
        for key, kind, chooser in (
            ("gym", "eval", self.thinker(greedy=True)),
            ("sampled", "collect", self.thinker()),
            ("without_thought", "collect", silent),
        ):
            run = await self.run_open(kind, checkpoint)
            played[key] = await play(self.client, run=run, tasks=tasks, chooser=chooser)
        greedy = played["gym"]
        results = {key: share(batch) for key, batch in played.items()} | await self.figures(greedy)
        for (thought, *_), (choice, *_), (reward, *_) in islice(
            zip(greedy.contexts, greedy.choices, greedy.rewards, strict=True), SHOWN
        ):
            self.note("thought", text=thought.completion(choice), reward=reward, greedy=True)
        self.note("evaluation", checkpoint=checkpoint, tasks=len(tasks), **results)
        return results

    async def figures(self, batch: Batch) -> dict[str, float]:
        thoughts = [thought for group in batch.contexts for thought in group]
        return {
            "thought_tokens": fmean(len(thought.kept) for thought in thoughts),
            "thoughts_cut": fmean(thought.is_cut for thought in thoughts),
        } | await measure_behaviour(self.client, [episode for group in batch.episodes for episode in group])


class Learning:
    """The losses of a batch of thoughts and choices with their advantages, computed a few at a time."""

    def __init__(
        self, writer: Writer, samples: Sequence[tuple[Thought, int, float]], *, bonus: float
    ) -> None:
        self.writer, self.samples, self.bonus = writer, samples, bonus
        self.loss, self.entropy, self.surprise = 0.0, 0.0, 0.0

    def losses(self) -> Iterator[Tensor]:
        """Yield the REINFORCE losses of choices and thoughts, weighted by their share of the batch."""
        for part in parts(self.samples, LEARNT_AT_ONCE):
            thoughts, choices, worths = zip(*part, strict=True)
            spoken, rows = self.writer.logprobs(thoughts)
            chosen = compute_loss(
                rows, [[choice] for choice in choices], [[worth] for worth in worths], bonus=self.bonus
            )
            weight = len(part) / len(self.samples)
            loss = weight * (chosen - (torch.tensor(worths, device=spoken.device) * spoken).mean())
            self.loss += float(loss.detach())
            self.entropy += weight * float(entropies(rows.detach()).mean())
            self.surprise -= float(spoken.detach().sum())
            yield loss

    @property
    def figures(self) -> dict[str, float]:
        """Figures of the update. ``thought_surprise``, in nats per token, estimates the thoughts' entropy."""
        tokens = sum(len(thought.drawn) for thought, _, _ in self.samples)
        return {"entropy": self.entropy, "loss": self.loss, "thought_surprise": self.surprise / tokens}


async def measure_behaviour(client: Client, episodes: Sequence[int]) -> dict[str, float]:
    """Wait for the lab's measures; return words per thought and narration, the share that restates."""
    until = time.monotonic() + MEASURED_WITHIN_S
    while True:
        trajectories = await asyncio.gather(*map(client.trajectory, episodes))
        steps = [step["behaviour"] for trajectory in trajectories for step in trajectory["steps"][:1]]
        known = [step for step in steps if step]
        if len(known) == len(steps) or time.monotonic() > until:
            break
        await asyncio.sleep(1)
    spoken = [step["restates"] for step in known if step["thought_words"]]
    figures = {"measured": len(known) / max(len(episodes), 1)}
    if known:
        figures["thought_words"] = fmean(step["thought_words"] for step in known)
    if spoken:
        figures["narration"] = fmean(spoken)
    return figures


if __name__ == "__main__":
    parser = options_parser(__doc__)
    parser.set_defaults(settings="thoughts.toml")
    options = parser.parse_args()
    if options.start is None:
        parser.error("--start is required: a model that cannot answer yet has nothing to think about")
    options.name = options.name or f"{options.rung}-{options.seed}-thoughts"
    asyncio.run(main(ThoughtTrainer, options))
