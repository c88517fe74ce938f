"""Tools: questions next to a panel of tools. Some need no tool, most need one, and some need several.

Each question is drawn by a family of ``tasks_app/tool_tasks`` over data with its own seed. The families take
turns, so half of the first stage needs no tool. A hash of what a task shows decides which split it belongs
to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import msgspec

from core.draws import Draws
from tasks_app import kinds
from tasks_app.benchmarks._hash_split import SPLITS, split_check, split_of
from tasks_app.registry import benchmark_register
from tasks_app.tool_tasks import families
from tasks_app.tool_tasks.registry import FAMILIES, STAGE_TAG, TAG
from tasks_app.tool_tasks.types import Item
from tasks_app.tools import calls
from tasks_app.tools.data import draw_data
from tasks_app.tools.types import TOOLS
from tasks_app.types import TYPE_AND_SUBMIT_STEPS, BenchmarkPlugin, GoldDraft, Row, TaskDraft

KEY_DIGITS = 20
PANEL = 5
"""Number of tools on a page, unless a task needs more."""
DATA_SEEDS = 1_000_000
VERSION = "tools-v1"


def generate(count: int, seed: int, split: str) -> Iterator[Row]:
    """Generate ``count`` tasks of a split; a higher count only adds tasks."""
    split_check(split, owner="The tools have")
    return islice(_in_turns(seed, split), count)


def _in_turns(seed: int, split: str) -> Iterator[TaskDraft]:
    FAMILIES.discover(families)
    streams = [_family_drafts(name, seed, split) for name in FAMILIES]
    number = 0
    while True:
        for stream in streams:
            number += 1
            yield replace(next(stream), place=f"task {number}")


def _family_drafts(name: str, seed: int, split: str) -> Iterator[TaskDraft]:
    """Yield one family's tasks that belong to the split; every task has its own data."""
    draws = Draws(VERSION, seed, name)
    while True:
        draft = draft_of(name, draws)
        if split_of(draft.key.rpartition("/")[2]) == split:
            yield draft


def draft_of(name: str, draws: Draws) -> TaskDraft:
    seed = draws.whole(0, DATA_SEEDS - 1)
    family = FAMILIES.get(name)
    item = family.draw(draws, draw_data(seed))
    payload = {"text": item.text, "format": "plain", "tools": _panel(item, draws), "seed": seed}
    digest = hashlib.sha256(json.dumps([item.text, seed]).encode()).hexdigest()
    return TaskDraft(
        key=f"{name}/{digest[:KEY_DIGITS]}",
        kind=kinds.TOOLS,
        payload=payload,
        gold=GoldDraft(answer=item.answer, extra=msgspec.to_builtins(item.truth)),
        difficulty=family.difficulty,
        tags=(f"{TAG}{name}", f"{STAGE_TAG}{family.stage}"),
        oracle_steps=TYPE_AND_SUBMIT_STEPS
        + sum(len(calls.get_tool(node.tool).fields) + 1 for node in item.graphs[0]),
    )


def _panel(item: Item, draws: Draws) -> list[str]:
    """Choose the tools that any way to the answer needs, their rivals, and others that fill up the panel."""
    calls.discover()
    needed = sorted({node.tool for graph in item.graphs for node in graph} | {*item.rivals, *item.harmless})
    others = draws.shuffled([tool for tool in TOOLS if tool not in needed])
    return draws.shuffled([*needed, *others[: max(0, PANEL - len(needed))]])


def starter_items() -> tuple[TaskDraft, ...]:
    """Draw one task from each family."""
    FAMILIES.discover(families)
    return tuple(draft_of(name, Draws(VERSION, "starters", name)) for name in FAMILIES)


benchmark_register(
    BenchmarkPlugin(
        id="tools",
        title="Tools",
        kind=kinds.TOOLS,
        license="Apache-2.0",
        source="made by this project",
        verifier_official="denotation-v1",
        splits=SPLITS,
        starters=starter_items,
        generate=generate,
        example_tag=TAG,
    )
)
