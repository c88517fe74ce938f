"""A scripted oracle solves every kind of question and every family of both sites by what each observation
format gives in hand.

``ORACLE_TABLE=file`` writes how many steps each took, as the table of ``docs/observations.md``.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.presentation import Look
from palaestra.observation import ObservationConfig
from palaestra.pages import VIEWPORT
from palaestra.policies import Solution, Solver
from palaestra.pool import PagePool
from tasks_app.families.registry import FAMILIES
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.handles import Player, config_of
from tests.e2e.oracle_moves import moves_noted
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from trajectories.models import Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

FORMATS = ("axtree", "screenshot", "som")
# Without ``WHOLE_SITES`` one family of each site stands for the others.
FEW = ("total_price", "count_mentions")
SITE_FAMILIES = [family for family in FAMILIES if IS_WHOLE or family in FEW]
LOOKS = {"neutral": Look(), "a dialog and pop-ups": Look(form="dialog", pop_ups="often")}
Play = Callable[[Player], object]


@pytest.fixture(scope="module")
def table() -> Iterator[dict[str, dict[str, int]]]:
    """Steps by what was solved and format."""
    rows: dict[str, dict[str, int]] = {}
    yield rows
    if path := os.environ.get("ORACLE_TABLE"):
        head = ["| solved | " + " | ".join(FORMATS) + " |", "|---|" + "---|" * len(FORMATS)]
        cells = [
            f"| {name} | " + " | ".join(str(row.get(one, "no")) for one in FORMATS) + " |"
            for name, row in rows.items()
        ]
        Path(path).write_text("\n".join([*head, *cells]) + "\n", "utf-8")


def played(address: str, config: ObservationConfig, play: Play) -> int:
    """The steps of an episode, in a thread of its own: another browser keeps an event loop in this one."""

    async def run() -> int:
        pool = PagePool(origin="/".join(address.split("/")[:3]), size=1)
        try:
            player = Player(page=await pool.acquire(), config=config)
            await player.begin(address)
            await play(player)  # type: ignore[misc]
            assert player.is_over
            return player.steps
        finally:
            await pool.aclose()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, run()).result()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_solves_every_kind_of_question_in_every_format(
    kind: str,
    look: str,
    form: str,
    arena_server: ArenaServer,
    browser: object,
    table: dict[str, dict[str, int]],
) -> None:
    episode = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
    gold = KINDS[kind].gold.answer
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=gold)})
    info = info_of(episode, kind, max_steps=40)

    steps = played(arena_server.address(episode), config_of(form), lambda player: player.play(solver, info))

    answer = Submission.objects.get(episode=episode).answer
    assert ("|".join(answer) if isinstance(answer, list) else answer) == gold
    table.setdefault(f"{kind}, {look}", {})[form] = steps


@pytest.mark.slow
@pytest.mark.parametrize("family", SITE_FAMILIES)
def test_the_oracle_solves_every_family_in_every_format(
    family: str,
    arena_server: ArenaServer,
    open_page: Callable[..., Page],
    monkeypatch: pytest.MonkeyPatch,
    table: dict[str, dict[str, int]],
) -> None:
    case = families.case_of(family, 0, 0)
    page = open_page(
        viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]}, locale="en-US", timezone_id="UTC"
    )
    page.goto(arena_server.address(case.episode()))
    with moves_noted(monkeypatch) as moves:
        families.solved(case, page)

    for form in FORMATS:
        episode = case.episode()
        steps = played(arena_server.address(episode), config_of(form), lambda player: player.solve(moves[:]))
        assert families.outcome(episode) == "correct", form
        table.setdefault(f"{FAMILIES.get(family).site}: {family}", {})[form] = steps


def test_the_oracle_solves_a_question_in_a_scaled_picture(arena_server: ArenaServer, browser: object) -> None:
    episode = episode_in(Look(), "choice")
    gold = KINDS["choice"].gold.answer
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=gold)})
    info = info_of(episode, "choice", max_steps=40)
    config = config_of("screenshot", picture_max=800)
    played(arena_server.address(episode), config, lambda player: player.play(solver, info))
    assert Submission.objects.get(episode=episode).answer == gold
