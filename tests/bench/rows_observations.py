"""Rows of one step on a mock site in each observation format: an action, the page settled, the observation.

The script follows the way of a task of each site, as in ``rows_site_browser``; only the step itself is timed.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from palaestra.actions import action_check, action_perform
from palaestra.observation import ObservationConfig, Observer
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.protocol.observations import OBSERVATION_FORMATS, ObservationFormat
from tests.bench.installation import Installation
from tests.bench.rows_site_browser import FAMILIES, Way, ways_of
from tests.bench.table import Row

TARGET_MS = 100.0
MARKED_TARGET_MS = 200.0
TURNS = 2


@dataclass
class Steps:
    """The durations of steps in one observation format, and the lengths of its texts."""

    milliseconds: list[float] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)


def rows(place: Installation) -> Iterator[Row]:
    ways = {task: way for site in FAMILIES for task, way in ways_of(place, site).items()}
    for form in OBSERVATION_FORMATS.values():
        steps = asyncio.run(_measure(place, ways, form))
        yield Row(
            f"step with observation, {form.id}",
            statistics.median(steps.milliseconds),
            "ms",
            MARKED_TARGET_MS if form.has_marks else TARGET_MS,
            is_lower_better=True,
            note=f"{len(steps.chars)} steps, {statistics.mean(steps.chars):,.0f} characters each on average",
        )


async def _measure(place: Installation, ways: dict[int, Way], form: ObservationFormat) -> Steps:
    steps = Steps()
    pool = PagePool(origin=place.arena, size=1)
    try:
        page = await pool.acquire()
        for _ in range(TURNS):
            episodes = place.episodes_open(place.run_create("observations"), list(ways))
            for episode, way in zip(episodes, ways.values(), strict=True):
                await _episode(page, episode["start_url"], way, form=form, steps=steps)
    finally:
        await pool.aclose()
    return steps


async def _episode(page: WarmPage, address: str, way: Way, *, form: ObservationFormat, steps: Steps) -> None:
    observer = Observer(ObservationConfig(form=form))
    await page.begin(address)
    for step, move in enumerate(way, start=1):
        # The element is found in an outline, because some formats have none.
        outline = await page.observe(acted=False)
        action = action_check(move.action(outline.text if outline else ""))
        page.turn(step)
        begun = time.perf_counter()
        outcome = await action_perform(page, action)
        view = await page.observe(acted=True, with_text=form.has_text)
        if view is None:
            return
        observation = await observer.observe(page, view)
        steps.milliseconds.append((time.perf_counter() - begun) * 1000)
        steps.chars.append(len(observation.text))
        if not outcome.is_ok:
            raise RuntimeError(f"{move}: {outcome}")
