"""The ladder: narrow questions with four choices on one short page, for models that start to learn.

Each question is drawn by a rung of ``tasks_app/ladder``, and the rungs take turns. The split is decided by a
hash of what the task shows, so no seed can ever move a question to the other split.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from core.draws import Draws
from tasks_app import kinds
from tasks_app.benchmarks import _choices
from tasks_app.benchmarks._hash_split import SPLITS, split_check, split_of
from tasks_app.ladder.registry import RUNGS, TAG, Item, discover
from tasks_app.registry import benchmark_register
from tasks_app.solutions import lines
from tasks_app.types import BenchmarkPlugin, GoldDraft, Row, TaskDraft

KEY_DIGITS = 20
MISSES_MAX = 1_000
"""Consecutive known items after which a rung counts as exhausted."""


def generate(count: int, seed: int, split: str) -> Iterator[Row]:
    """Generate up to ``count`` tasks of a split; a higher count only adds tasks."""
    split_check(split, owner="The ladder has")
    return islice(_in_turns(seed, split), count)


def _in_turns(seed: int, split: str) -> Iterator[TaskDraft]:
    discover()
    streams = [_rung_drafts(name, seed, split) for name in RUNGS]
    number = 0
    while streams:
        for stream in list(streams):
            draft = next(stream, None)
            if draft is None:
                streams.remove(stream)
                continue
            number += 1
            yield replace(draft, place=f"task {number}")


def _rung_drafts(name: str, seed: int, split: str) -> Iterator[TaskDraft]:
    """Yield one rung's new tasks that belong to the split."""
    seen: set[str] = set()
    draws, misses = Draws("ladder-v1", seed, name), 0
    while misses < MISSES_MAX:
        item = RUNGS.get(name).draw(draws)
        order = draws.shuffled(range(len(item.choices)))
        digest = hash_item(item)
        misses += 1
        if digest not in seen and split_of(digest) == split:
            seen.add(digest)
            misses = 0
            yield item_draft(name, item, order)


def hash_item(item: Item) -> str:
    """Hash what is shown, regardless of the order of the choices and of which one is right."""
    content = json.dumps([item.text, item.passage, sorted(item.choices)])
    return hashlib.sha256(content.encode()).hexdigest()


def item_draft(name: str, item: Item, order: list[int]) -> TaskDraft:
    """Build an item's task, with its choices in this order.

    The order is fixed so that all samples of a group read one prompt, which a trainer computes once.
    Positions give nothing away because every task has its own order.
    """
    draft = _choices.with_choices(
        TaskDraft(
            key=f"{name}/{hash_item(item)[:KEY_DIGITS]}",
            payload={"text": item.text, "format": "plain"},
            gold=GoldDraft(answer=_choices.LETTERS[order.index(0)], solution="\n".join(item.steps)),
            difficulty=RUNGS.get(name).difficulty,
            tags=(f"{TAG}{name}",),
        ),
        [item.choices[index] for index in order],
        passage=item.passage,
    )
    return replace(draft, payload={**draft.payload, "order": "fixed"})


def starter_items() -> tuple[TaskDraft, ...]:
    """Draw one task from each rung, with different golds."""
    discover()
    starters = []
    for place, name in enumerate(RUNGS):
        item = RUNGS.get(name).draw(Draws("ladder-v1", "starters", name))
        wrong = list(range(1, len(item.choices)))
        starters.append(item_draft(name, item, [*wrong[:place], 0, *wrong[place:]]))
    return tuple(starters)


benchmark_register(
    BenchmarkPlugin(
        id="ladder",
        title="Ladder",
        kind=kinds.CHOICE,
        license="Apache-2.0",
        source="made by this project",
        verifier_official="choice-v2",
        splits=SPLITS,
        starters=starter_items,
        generate=generate,
        has_guess_rates=True,
        example_tag=TAG,
        cut=lines.cut,
    )
)
