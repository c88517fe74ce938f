"""Player of an evaluation's missing cells, which interleaves the arms and plays no cell twice."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from palaestra.api import Client
from palaestra.api.background import VERDICT_LIMIT_S
from palaestra.engine import Engine
from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Cell, Series, build_presentation, find_page_kind
from palaestra.evaluation.looks import Look
from palaestra.evaluation.plan import Plan
from palaestra.play.episode import Episode
from palaestra.policies import Policy
from palaestra.records import EpisodeState, Run, Task
from palaestra.rollouts import Rollout
from palaestra.run.plan import PLAIN, episodes_list

# How many items' episodes are opened together: enough for few calls, but few to resume after a crash.
ITEMS_AT_ONCE = 12
OPEN, FINISHED = "open", "finished"
PAUSE_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Played:
    """Played cells: those in ``done`` need no more turns, those in ``interrupted`` have an open episode."""

    done: dict[Cell, EpisodeState]
    interrupted: dict[Cell, EpisodeState]


@dataclass
class Player:
    """A player of a plan's cells.

    ``items`` has the cells of each item, in order; ``cells`` collects the cells of opened and resumed
    episodes, by episode. ``inflight`` limits concurrent episodes, because otherwise text arms would run far
    ahead of arms with pages, which wait for a browser.
    """

    engine: Engine
    plan: Plan
    runs: Mapping[Series, Run]
    tasks: Mapping[int, Task]
    items: Sequence[Sequence[Cell]]
    played: Played
    _: KW_ONLY
    inflight: int
    cells: dict[int, Cell]

    async def play(self, policy: Policy, on_done: Callable[[Rollout], None]) -> None:
        """Play every cell that is not done. Raises ``ApiError`` if the server refuses to open episodes."""
        looks = self.plan.all_looks
        await self.engine.play(self._episodes(looks), policy, on_done, inflight=self.inflight)

    async def _episodes(self, looks: Sequence[Look]) -> AsyncIterator[tuple[int, Episode]]:
        for first in range(0, len(self.items), ITEMS_AT_ONCE):
            block = [cell for item in self.items[first : first + ITEMS_AT_ONCE] for cell in item]
            cells = [cell for cell in block if cell not in self.played.done]
            opened = await self._open([cell for cell in cells if cell not in self.played.interrupted], looks)
            for cell in cells:
                state = self.played.interrupted.get(cell)
                config = self.plan.build_config(cell.series.planned)
                episode = await self.engine.episode_resume(state, config) if state else opened[cell]
                if episode is not None:
                    self.cells[episode.opened.id] = cell
                    yield self.runs[cell.series].id, episode

    async def _open(self, cells: Iterable[Cell], looks: Sequence[Look]) -> dict[Cell, Episode]:
        """Open episodes for cells, in one call per run, look and number of samples."""
        by_group = defaultdict[tuple[Series, int, int | None], list[Cell]](list)
        for cell in cells:
            by_group[cell.series, cell.task, cell.look].append(cell)
        calls = defaultdict[tuple[Series, str, int], list[list[Cell]]](list)
        for group in by_group.values():
            # Cells are grouped by digest, not index, because a look of the plan differs between kinds of
            # page.
            calls[group[0].series, group[0].digest, len(group)].append(group)
        opened: dict[Cell, Episode] = {}
        for (series, _, samples), groups in calls.items():
            opened |= await self._open_groups(series, groups, looks, samples=samples)
        return opened

    async def _open_groups(
        self, series: Series, groups: Sequence[Sequence[Cell]], looks: Sequence[Look], *, samples: int
    ) -> dict[Cell, Episode]:
        look = groups[0][0].look
        kind = find_page_kind(self.tasks[groups[0][0].task])
        opening = {
            "run": self.runs[series].id,
            "arm": series.planned.arm,
            "seed": self.plan.seed,
            "token_budget": self.plan.token_budget,
            "samples_per_task": samples,
            "presentation": None if look is None else build_presentation(looks[look], kind),
        }
        cells = {group[0].task: list(group) for group in groups}
        opened = {}
        config, tasks = self.plan.build_config(series.planned), [group[0].task for group in groups]
        async for episode in self.engine.episodes_open(tasks, opening, config):
            cell = cells[episode.opened.task].pop()
            if cell.digest and episode.opened.presentation_hash != cell.digest:
                raise PalaestraError("The server's looks differ from this client's: update both.")
            opened[cell] = episode
        return opened


async def played_read(client: Client, runs: Mapping[Series, Run], items: Sequence[Sequence[Cell]]) -> Played:
    """Return the cells that were already played.

    Void episodes do not count, so that their cells are played again. Forks and episodes with help do not
    count either.
    """
    states: dict[tuple[Series, int, str], list[EpisodeState]] = defaultdict(list)
    for series, run in runs.items():
        for state in await episodes_list(client, run.id, origin=PLAIN):
            if not state.is_void:
                # Text arms do not show their look, although their episodes have one.
                digest = state.presentation_hash if series.arm.has_page else ""
                states[series, state.task, digest].append(state)
    for group in states.values():
        # Judged episodes come first, because an open one in addition to them would exceed the plan.
        group.sort(key=lambda state: (state.status == OPEN, state.id), reverse=True)
    played = Played(done={}, interrupted={})
    for cell in (cell for item in items for cell in item):
        key = (cell.series, cell.task, cell.digest)
        if states[key]:
            state = states[key].pop()
            (played.interrupted if state.status == OPEN else played.done)[cell] = state
    return played


async def verdicts_wait(client: Client, runs: Iterable[Run], *, limit_s: float = VERDICT_LIMIT_S) -> int:
    """Wait for the verdicts of submitted answers; return how many are missing after ``limit_s`` seconds."""
    waited = 0.0
    while True:
        states = [state for run in runs for state in await episodes_list(client, run.id)]
        waiting = sum(state.status not in (OPEN, FINISHED) for state in states)
        if not waiting or waited >= limit_s:
            return waiting
        await asyncio.sleep(PAUSE_S)
        waited += PAUSE_S
