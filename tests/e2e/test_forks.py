"""Forks in a browser and without one: every kind of question, and the families of both sites.

``WHOLE_SITES=1`` takes every family, and forks after every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from core.presentation import Look
from palaestra.episode_config import EpisodeConfig
from palaestra.policies import Solution, Solver
from palaestra.records import OpenedEpisode
from tasks_app.families.registry import FAMILIES
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.fork_line import Stage, Taken
from tests.e2e.test_observation_formats import recorded
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from trajectories.api import auth
from trajectories.models import Episode, SiteEvent

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LOOKS = {"neutral": Look(), "a dialog and pop-ups": Look(form="dialog", pop_ups="often")}
FEW = ("change_dates", "count_conditions", "book_stay")
TASKS = list(FAMILIES) if IS_WHOLE else list(FEW)
STEPS_MAX = 120


@pytest.fixture
def stage(
    live_server: LiveServer, arena_server: ArenaServer, settings: LazySettings, browser: object
) -> Iterator[Stage]:
    settings.ARENA_URL = arena_server.url
    key = auth.key_create(name="forks", scopes=["read", "trainer"])
    with ThreadPoolExecutor(1) as thread:
        made = Stage(live_server.url, key, arena=arena_server.url, thread=thread, config=EpisodeConfig())
        yield made
        made.close()


def opened_of(episode: Episode, arena_server: ArenaServer, **fields: Any) -> OpenedEpisode:
    Episode.objects.filter(pk=episode.pk).update(max_steps=STEPS_MAX)
    return OpenedEpisode(
        id=episode.pk,
        task=episode.task_id,
        group=episode.group_id,
        sample_index=0,
        arm=episode.arm,
        start_url=arena_server.address(episode),
        max_steps=STEPS_MAX,
        **fields,
    )


def steps_chosen(taken: Taken) -> list[int]:
    last = len(taken.completions) - 1
    return list(range(last + 1)) if IS_WHOLE else sorted({0, 1, last // 2, last - 1, last} - {-1})


def hold(stage: Stage, parent: Taken, *, browser: str) -> None:
    """Each fork shows what the parent did, and goes on as it did, to the same verdict."""
    verdict = families.outcome(Episode.objects.get(pk=parent.episode))
    for step in steps_chosen(parent):
        opened = stage.forked(parent.episode, step=step)
        fork = stage.taken(opened, parent.completions[step:], browser=browser)
        expected = parent.shown[step:]
        for number, (own, others) in enumerate(zip(fork.shown, expected, strict=True), start=step):
            assert own.text == others.text, f"fork after {step}, shown after {number}"
            assert own.url == others.url
            assert own.messages == others.messages
        assert families.outcome(Episode.objects.get(pk=fork.episode)) == verdict
        assert events_of(fork.episode) == events_of(parent.episode)


def events_of(episode: int) -> list[tuple[Any, ...]]:
    rows = SiteEvent.objects.filter(episode_id=episode).order_by("seq")
    return list(rows.values_list("seq", "step", "kind", "data"))


@pytest.mark.parametrize("browser_name", ["chromium", "lite"])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fork_of_every_kind_of_question_is_its_parent(
    kind: str, look: str, browser_name: str, arena_server: ArenaServer, stage: Stage
) -> None:
    episode = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
    solver = Solver({episode.task_id: Solution(task=episode.task_id, answer=KINDS[kind].gold.answer)})
    info = info_of(episode, kind, max_steps=40)
    taken, turns = stage.played(opened_of(episode, arena_server), lambda player: player.play(solver, info))
    if browser_name == "lite":
        other = episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))
        taken = stage.twin_played(opened_of(other, arena_server), turns)
    hold(stage, taken, browser=browser_name)


@pytest.mark.slow
@pytest.mark.parametrize("browser_name", ["chromium", "lite"])
@pytest.mark.parametrize("family", TASKS)
def test_a_fork_of_every_family_is_its_parent(
    family: str,
    browser_name: str,
    arena_server: ArenaServer,
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
    stage: Stage,
) -> None:
    case = families.case_of(family, 0, 0)
    moves = recorded(case, arena_server, open_page, monkeypatch)
    opened = opened_of(case.episode(), arena_server, is_site=True)
    taken, turns = stage.played(opened, lambda player: player.solve(moves))
    if browser_name == "lite":
        taken = stage.twin_played(opened_of(case.episode(), arena_server, is_site=True), turns)
    hold(stage, taken, browser=browser_name)
