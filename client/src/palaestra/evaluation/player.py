"""Plays what is missing of an evaluation, arms interleaved, no cell twice."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from palaestra.api import Client
from palaestra.background import VERDICT_LIMIT_S
from palaestra.engine import Engine
from palaestra.episode import Episode
from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Cell, Series, page_kind, presentation_of
from palaestra.evaluation.looks import Look
from palaestra.evaluation.plan import Plan
from palaestra.policies import Policy
from palaestra.records import EpisodeState, Run, Task
from palaestra.rollout import Rollout
from palaestra.run_plan import PLAIN, episodes_list

# Items whose episodes are opened together: few calls, and little to resume after a crash.
ITEMS_AT_ONCE = 12
OPEN, FINISHED = "open", "finished"
PAUSE_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Held:
    """What has been played: the cells that need no more turns, and the open episodes of others."""

    done: dict[Cell, EpisodeState]
    interrupted: dict[Cell, EpisodeState]


@dataclass
class Player:
    """``items`` are the cells of each item, in order; ``cells`` are those of the episodes that were opened or
    resumed, by episode. ``inflight`` bounds the episodes at once: without it text would run far ahead of
    pages, which wait for a browser."""

    engine: Engine
    plan: Plan
    runs: Mapping[Series, Run]
    tasks: Mapping[int, Task]
    items: Sequence[Sequence[Cell]]
    held: Held
    _: KW_ONLY
    inflight: int
    cells: dict[int, Cell]

    async def play(self, policy: Policy, on_done: Callable[[Rollout], None]) -> None:
        """Play every cell that is not done. Raises ``ApiError`` when opening is refused."""
        looks = self.plan.looks_made
        await self.engine.play(self._episodes(looks), policy, on_done, inflight=self.inflight)

    async def _episodes(self, looks: Sequence[Look]) -> AsyncIterator[tuple[int, Episode]]:
        for first in range(0, len(self.items), ITEMS_AT_ONCE):
            block = [cell for item in self.items[first : first + ITEMS_AT_ONCE] for cell in item]
            cells = [cell for cell in block if cell not in self.held.done]
            opened = await self._open([cell for cell in cells if cell not in self.held.interrupted], looks)
            for cell in cells:
                state = self.held.interrupted.get(cell)
                config = self.plan.config_of(cell.series.planned)
                episode = await self.engine.episode_resume(state, config) if state else opened[cell]
                if episode is not None:
                    self.cells[episode.opened.id] = cell
                    yield self.runs[cell.series].id, episode

    async def _open(self, cells: Iterable[Cell], looks: Sequence[Look]) -> dict[Cell, Episode]:
        """The opened episodes of cells, in as few calls as there are runs, looks and numbers of samples."""
        by_group = defaultdict[tuple[Series, int, int | None], list[Cell]](list)
        for cell in cells:
            by_group[cell.series, cell.task, cell.look].append(cell)
        calls = defaultdict[tuple[Series, str, int], list[list[Cell]]](list)
        for group in by_group.values():
            # Two kinds of page have different looks at the same place.
            calls[group[0].series, group[0].digest, len(group)].append(group)
        opened: dict[Cell, Episode] = {}
        for (series, _, samples), groups in calls.items():
            opened |= await self._open_groups(series, groups, looks, samples=samples)
        return opened

    async def _open_groups(
        self, series: Series, groups: Sequence[Sequence[Cell]], looks: Sequence[Look], *, samples: int
    ) -> dict[Cell, Episode]:
        look = groups[0][0].look
        kind = page_kind(self.tasks[groups[0][0].task])
        opening = {
            "run": self.runs[series].id,
            "arm": series.planned.arm,
            "seed": self.plan.seed,
            "token_budget": self.plan.token_budget,
            "samples_per_task": samples,
            "presentation": None if look is None else presentation_of(looks[look], kind),
        }
        cells = {group[0].task: list(group) for group in groups}
        opened = {}
        config, tasks = self.plan.config_of(series.planned), [group[0].task for group in groups]
        async for episode in self.engine.episodes_open(tasks, opening, config):
            cell = cells[episode.opened.task].pop()
            if cell.digest and episode.opened.presentation_hash != cell.digest:
                raise PalaestraError("The server has other looks than this client: bring both up to date.")
            opened[cell] = episode
        return opened


async def held_read(client: Client, runs: Mapping[Series, Run], items: Sequence[Sequence[Cell]]) -> Held:
    """Return the cells that have been played. Void episodes count for nothing: their cells are played again.
    Neither do forks, nor episodes with help."""
    states: dict[tuple[Series, int, str], list[EpisodeState]] = defaultdict(list)
    for series, run in runs.items():
        for state in await episodes_list(client, run.id, origin=PLAIN):
            if not state.is_void:
                # Text has no look, and yet its episodes are drawn one.
                digest = state.presentation_hash if series.arm.has_page else ""
                states[series, state.task, digest].append(state)
    for group in states.values():
        # Judged episodes first: an open one beside them is more than the plan asks for.
        group.sort(key=lambda state: (state.status == OPEN, state.id), reverse=True)
    held = Held(done={}, interrupted={})
    for cell in (cell for item in items for cell in item):
        key = (cell.series, cell.task, cell.digest)
        if states[key]:
            state = states[key].pop()
            (held.interrupted if state.status == OPEN else held.done)[cell] = state
    return held


async def verdicts_wait(client: Client, runs: Iterable[Run], *, limit_s: float = VERDICT_LIMIT_S) -> int:
    """Wait for the verdicts of answers that were given; returns how many are missing after ``limit_s``."""
    waited = 0.0
    while True:
        states = [state for run in runs for state in await episodes_list(client, run.id)]
        waiting = sum(state.status not in (OPEN, FINISHED) for state in states)
        if not waiting or waited >= limit_s:
            return waiting
        await asyncio.sleep(PAUSE_S)
        waited += PAUSE_S
