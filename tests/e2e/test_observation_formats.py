"""A scripted oracle solves every kind of question and every family of both sites by what each observation
format gives in hand.

``ORACLE_TABLE=docs/oracle.md`` writes there how many steps each took.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page

from core.episodes.presentation import Look
from palaestra.grammars import GRAMMARS
from palaestra.observation import ObservationConfig, get_format
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import VIEWPORT
from palaestra.policies import Solution, Solver
from tasks_app.families.registry import FAMILIES
from tests import coverage_choice
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.handles import Player, config_of
from tests.e2e.oracle_moves import Move, moves_noted
from tests.e2e.oracle_table import table_store
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from trajectories.models import Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """A format, and the grammars in which its actions are written."""

    form: str
    grammars: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"`{get_format(self.form).id}`: {', '.join(f'`{one}`' for one in self.grammars)}"


# What names elements by position alone has a click for each field, and keys for what it holds.
SETUPS = {
    "axtree": SetUp(form="axtree", grammars=("json", "functions", "browsergym", "structured")),
    "som": SetUp(form="som", grammars=("json", "functions", "browsergym", "structured")),
    "screenshot": SetUp(form="screenshot", grammars=("json", "functions", "structured")),
    "mouse": SetUp(form="screenshot", grammars=("computer_openai", "computer_anthropic", "browsergym")),
}
COLUMNS = [setup.label for setup in SETUPS.values()]
# Without ``WHOLE_SITES`` one family of each site stands for the others, each in half of the set-ups, and of
# set-ups, kinds of question and looks any two meet.
FEW = {"change_dates": ("axtree", "mouse"), "count_conditions": ("som", "screenshot")}
SITE_FAMILIES = dict.fromkeys(FAMILIES, tuple(SETUPS)) if IS_WHOLE else FEW
LOOKS = {"neutral": Look(), "a dialog and pop-ups": Look(form="dialog", pop_ups="often")}
OpenPage = Callable[..., Page]
Play = Callable[[Player], Awaitable[None]]
T = TypeVar("T")


Table = Callable[[str, SetUp, int], None]


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """Notes the steps that something took in a set-up."""
    solved: dict[str, dict[str, int]] = {}

    def note(name: str, setup: SetUp, steps: int) -> None:
        solved.setdefault(name, {})[setup.label] = steps

    yield note
    if named := os.environ.get("ORACLE_TABLE"):
        table_store(Path(named), solved, COLUMNS)


class Agent:
    """Plays one episode after the other in a browser and a thread of its own: another browser keeps an event
    loop in this thread."""

    def __init__(self, origin: str, thread: Executor) -> None:
        self._pool = PagePool(origin=origin, size=1)
        self._thread = thread
        self._loop = asyncio.Runner()

    def played(self, address: str, setup: SetUp, play: Play, **config: Any) -> int:
        """The steps of an episode."""
        return self._run(self._played(address, setup, play, config_of(setup.form, **config)))

    def close(self) -> None:
        self._run(self._pool.aclose())
        self._thread.submit(self._loop.close).result()

    async def _played(self, address: str, setup: SetUp, play: Play, config: ObservationConfig) -> int:
        page = await self._pool.acquire()
        try:
            player = Player(page=page, config=config, grammars=setup.grammars)
            await player.begin(address)
            await play(player)
            await page.flush_recorder()
        finally:
            await self._pool.release(page)
        assert player.is_over
        return player.steps

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._thread.submit(self._loop.run, work).result()


@pytest.fixture(scope="module")
def agent(arena_server: ArenaServer, browser: object) -> Iterator[Agent]:
    with ThreadPoolExecutor(1) as thread:
        made = Agent(arena_server.url, thread)
        yield made
        made.close()


def test_every_grammar_is_tried_in_every_format_that_has_its_handles() -> None:
    tried = {(setup.form, grammar) for setup in SETUPS.values() for grammar in setup.grammars}
    by_ids = {id_ for id_, grammar in GRAMMARS.items() if not grammar.facts.is_by_position}
    assert tried == {*product(("axtree", "som"), by_ids), *product(("screenshot",), GRAMMARS)}


@pytest.mark.parametrize(("name", "kind", "look"), coverage_choice.pairs(SETUPS, KINDS, LOOKS))
def test_the_oracle_solves_every_kind_of_question_in_every_format(
    name: str, kind: str, look: str, arena_server: ArenaServer, agent: Agent, table: Table
) -> None:
    setup = SETUPS[name]
    episode = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
    gold = KINDS[kind].gold.answer
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=gold)})
    info = info_of(episode, kind, max_steps=40)

    steps = agent.played(arena_server.address(episode), setup, lambda player: player.play(solver, info))

    answer = Submission.objects.get(episode=episode).answer
    assert ("|".join(answer) if isinstance(answer, list) else answer) == gold
    table(f"question: {kind}, {look}", setup, steps)


def recorded(
    case: families.Case, arena_server: ArenaServer, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> list[Move]:
    """The moves of the scripted solution on a page as large as the agent's."""
    width, height = VIEWPORT
    page = open_page(viewport={"width": width, "height": height}, locale="en-US", timezone_id="UTC")
    page.goto(arena_server.address(case.episode()))
    with moves_noted(monkeypatch) as moves:
        families.solved(case, page)
    return moves


@pytest.mark.slow
@pytest.mark.parametrize("family", SITE_FAMILIES)
def test_the_oracle_solves_every_family_in_every_format(
    family: str,
    arena_server: ArenaServer,
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
    agent: Agent,
    table: Table,
) -> None:
    case = families.case_of(family, 0, 0)
    moves = recorded(case, arena_server, open_page, monkeypatch)

    for setup in map(SETUPS.__getitem__, SITE_FAMILIES[family]):
        episode = case.episode()
        steps = agent.played(arena_server.address(episode), setup, lambda player: player.solve(moves))
        assert families.outcome(episode) == "correct", setup
        table(f"{FAMILIES.get(family).site}: {family}", setup, steps)


def test_a_solution_is_replayed_whichever_pop_ups_come(
    arena_server: ArenaServer, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, agent: Agent
) -> None:
    case = families.case_of("count_conditions", 0, 0)
    shown = {value: replace(case, look=replace(case.look, pop_ups=value)) for value in ("often", "none")}
    moves = recorded(shown["often"], arena_server, open_page, monkeypatch)
    for other in shown.values():
        episode = other.episode()
        address = arena_server.address(episode)
        agent.played(address, SETUPS["screenshot"], lambda player: player.solve(moves))
        assert families.outcome(episode) == "correct"


def test_the_oracle_solves_a_question_in_a_scaled_picture(arena_server: ArenaServer, agent: Agent) -> None:
    episode = episode_in(Look(), "choice")
    gold = KINDS["choice"].gold.answer
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=gold)})
    info = info_of(episode, "choice", max_steps=40)
    address, setup = arena_server.address(episode), SETUPS["screenshot"]
    agent.played(address, setup, lambda player: player.play(solver, info), picture_max=800)
    assert Submission.objects.get(episode=episode).answer == gold
