"""Rows of prompt lengths on mock sites under each history: what a step adds, and what a solved task needs.

The oracle of ``rows_site_browser`` plays the tasks, and every one must be judged correct. Its completions are
short, so nearly everything that is counted is pages.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterator, Sequence

from palaestra.api import Client
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.protocol.looks import NEUTRAL
from palaestra.run.prompt_sizes import PromptLengths, measure_prompts
from tests.bench.installation import Installation
from tests.bench.rows_browser import PAGES
from tests.bench.rows_site_browser import FAMILIES, Guide, ways_of
from tests.bench.table import Row

# What axtree-v1, which sent every page in full, added per step on these sites, over eight episodes.
FORMER_CHARS = {"stays": 5_400, "reviews": 11_100}
TARGET_SHARE = 1 / 3
# For English text and outlines, with current models' tokenizers.
CHARS_PER_TOKEN = 4
# Under the other histories, earlier pages are removed from the prompt, so a step adds nothing permanent.
APPENDING = ("full", "diff")
HISTORIES = (*APPENDING, "last_k:3", "last_k:1")


def rows(place: Installation) -> Iterator[Row]:
    for site in FAMILIES:
        lengths = asyncio.run(_lengths(place, site))
        for history in APPENDING:
            added = [_added(one.characters[history]) for one in lengths]
            yield Row(
                f"characters that a step adds, {site}, {history}",
                statistics.mean(added),
                "characters",
                FORMER_CHARS[site] * TARGET_SHARE,
                is_lower_better=True,
                note=f"axtree-v1: {FORMER_CHARS[site]:,}; {len(added)} episodes of {FAMILIES[site]}",
            )
        whole = statistics.mean(sum(one.characters["full"]) for one in lengths)
        for history in HISTORIES:
            prompts = statistics.mean(sum(one.characters[history]) for one in lengths)
            yield Row(
                f"prompts of a solved task, {site}, {history}",
                prompts / CHARS_PER_TOKEN,
                "tokens",
                whole / CHARS_PER_TOKEN,
                is_lower_better=True,
                note=f"all prompts of an episode, {CHARS_PER_TOKEN} characters a token; the target is full",
            )


async def _lengths(place: Installation, site: str) -> list[PromptLengths]:
    """Return the prompt lengths of solved episodes, one for each task."""
    ways, run = ways_of(place, site), place.run_create("prompts")
    config = EpisodeConfig()
    async with Client(place.lab, place.key) as client, Engine(client, pages=PAGES, config=config) as engine:
        done = await engine.rollout(
            run=run, tasks=list(ways), samples_per_task=1, policy=Guide(ways), presentation=dict(NEUTRAL)
        )
        if bad := [one for one in done if one.outcome != "correct"]:
            raise RuntimeError(f"{len(bad)} of {len(done)} were not correct: {bad[0]}")
        record = await client.run(run)
        return [await measure_prompts(client, record, one.episode, histories=HISTORIES) for one in done]


def _added(prompts: Sequence[int]) -> float:
    """Return how many characters longer each prompt is than the one before, on average."""
    return (prompts[-1] - prompts[0]) / max(1, len(prompts) - 1)
