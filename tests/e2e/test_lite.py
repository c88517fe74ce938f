"""Pages read without a browser beside the same pages in one: every kind of question and every family of both
sites, step by step, with the server's events and the verdict.

``LITE_TABLE=docs/lite.md`` writes there how often the outlines were the same; ``WHOLE_SITES=1`` takes every
family, and every question in every look.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from core.episodes.presentation import Look
from palaestra.observation import Observer
from palaestra.pages.lite import LitePool
from palaestra.pages.pool import PagePool
from palaestra.policies import Solution, Solver
from tasks_app.families.registry import FAMILIES
from tests import coverage_choice
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.handles import config_of
from tests.e2e.lite_reasons import HINT
from tests.e2e.lite_twins import NotedPlayer, Step, Twin
from tests.e2e.oracle_table import table_store
from tests.e2e.test_observation_formats import recorded
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
Play = Callable[[NotedPlayer], Any]
LOOKS = {"neutral": Look(), "a dialog and pop-ups": Look(form="dialog", pop_ups="often")}
COLUMNS = ("turns", "same outline", "but for hints", "same ids", "why not")
FEW = ("change_dates", "count_conditions")
# Their lists were loaded into one page in the browser and are on several here: a twin that
# knows elements by their names opens another item on some of them, or leaves the last page out.
OVER_PAGES = frozenset(("count_mentions", "mean_rating"))
LOADED = ("shown", "end_reached")
TASKS = list(FAMILIES) if IS_WHOLE else list(FEW)
CONFIG = config_of("axtree", max_chars=100_000)


class Pair:
    """A browser and what reads pages without one, in a thread of their own: another browser keeps an event
    loop in this one."""

    def __init__(self, origin: str, thread: ThreadPoolExecutor) -> None:
        self._origin, self._thread, self._loop = origin, thread, asyncio.Runner()

    def played(self, addresses: tuple[str, str], play: Play) -> list[Step]:
        """The steps of the same actions at the addresses of two episodes."""
        return self._thread.submit(self._loop.run, self._played(*addresses, play)).result()

    def close(self) -> None:
        self._thread.submit(self._loop.close).result()

    async def _played(self, browser: str, lite: str, play: Play) -> list[Step]:
        pool, pages = PagePool(origin=self._origin, size=1), LitePool(size=1)
        page = await pool.acquire()
        try:
            player = NotedPlayer(page=page, config=CONFIG)
            await player.begin(browser)
            await play(player)
            twin = Twin(page=await pages.acquire(), observer=Observer(CONFIG))
            await twin.play(lite, player.turns)
            return twin.steps
        finally:
            await pool.release(page)
            await pool.aclose()
            await pages.aclose()


@pytest.fixture(scope="module")
def pair(arena_server: ArenaServer, browser: object) -> Iterator[Pair]:
    with ThreadPoolExecutor(1) as thread:
        made = Pair(arena_server.url, thread)
        yield made
        made.close()


Note = Callable[[str, list[Step]], None]


@pytest.fixture(scope="module")
def note() -> Iterator[Note]:
    """Notes how often both were the same."""
    noted: dict[str, dict[str, Any]] = {}

    def add(name: str, steps: list[Step]) -> None:
        reasons = {reason for step in steps for reason in step.reasons}
        noted[name] = {
            "turns": len(steps),
            "same outline": sum(step.is_same for step in steps),
            "but for hints": sum(step.is_same or step.reasons == {HINT} for step in steps),
            "same ids": sum(step.has_same_ids for step in steps),
            "why not": ", ".join(sorted(reasons)) or "-",
        }

    yield add
    if named := os.environ.get("LITE_TABLE"):
        table_store(Path(named), noted, COLUMNS)


@pytest.mark.parametrize(("kind", "look"), coverage_choice.values(KINDS, LOOKS))
def test_every_kind_of_question_is_answered_alike(
    kind: str, look: str, arena_server: ArenaServer, pair: Pair, note: Note
) -> None:
    first, second = (episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, [])) for _ in range(2))
    addresses = arena_server.address(first), arena_server.address(second)
    gold = KINDS[kind].gold.answer
    solver = Solver({first.task_id: Solution(task=first.task_id, answer=gold)})
    info = info_of(first, kind, max_steps=40)

    steps = pair.played(addresses, lambda player: player.play(solver, info))

    note(f"question: {kind}, {look}", steps)
    assert [step.unexplained for step in steps if step.unexplained] == []
    answers = [Submission.objects.get(episode=one).answer for one in (first, second)]
    assert answers[0] == answers[1]
    assert families.outcome(first) == families.outcome(second)
    assert events_of(second) == events_of(first)


@pytest.mark.slow
@pytest.mark.parametrize("family", TASKS)
def test_every_family_is_solved_alike(
    family: str,
    arena_server: ArenaServer,
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
    pair: Pair,
    note: Note,
) -> None:
    case = families.case_of(family, 0, 0)
    moves = recorded(case, arena_server, open_page, monkeypatch)
    first, second = case.episode(), case.episode()
    addresses = arena_server.address(first), arena_server.address(second)

    steps = pair.played(addresses, lambda player: player.solve(moves))

    note(f"{FAMILIES.get(family).site}: {family}", steps)
    assert [step.unexplained for step in steps if step.unexplained] == []
    assert families.outcome(first) == families.outcome(second) == "correct"
    left_out = LOADED if family in OVER_PAGES else ()
    assert events_of(second, left_out) == events_of(first, left_out)


def events_of(episode: Episode, left_out: Sequence[str] = ()) -> Counter[str]:
    """All but the pages served: what scripts fetch to take a part of is a whole page without them."""
    events = episode.site_events.exclude(kind__in=["page_served", *left_out])
    return Counter(f"{one.kind} {json.dumps(one.data, sort_keys=True)}" for one in events)
