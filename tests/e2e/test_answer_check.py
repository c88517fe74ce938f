"""A first answer is checked on its page and given again, in a browser and in pages read without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.episodes.answer_check import REQUEST
from core.episodes.presentation import Look
from palaestra.policies import Solution, Solver
from tests.e2e import test_every_family as families
from tests.e2e.conftest import ArenaServer
from tests.e2e.lite_twins import NotedPlayer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_lite import Pair
from tests.e2e.test_lite import pair as pair
from tests.e2e.test_observation_formats import recorded
from tests.e2e.test_question_looks import KINDS, TOOLS, episode_in
from tests.e2e.test_scripted_policies import info_of
from trajectories.models import Episode, FirstAnswer, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LOOKS = {"neutral": Look(), "a dialog": Look(form="dialog")}
SUBMIT = re.compile(r'\[(e\d+)\] button "Submit answer"')


def checked(episode: Episode) -> Episode:
    Episode.objects.filter(pk=episode.pk).update(answer_check="due")
    return episode


def answers(episode: Episode) -> tuple[Any, Any]:
    """The first answer and the one that counts."""
    return FirstAnswer.objects.get(episode=episode).answer, Submission.objects.get(episode=episode).answer


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_confirmed_on_every_kind_of_question(
    kind: str, look: str, arena_server: ArenaServer, pair: Pair
) -> None:
    first, second = (checked(episode_in(LOOKS[look], kind, tools=TOOLS.get(kind, []))) for _ in range(2))
    addresses = arena_server.address(first), arena_server.address(second)
    solver = Solver({first.task_id: Solution(task=first.task_id, answer=KINDS[kind].gold.answer)})
    shown: list[str] = []

    async def play(player: NotedPlayer) -> None:
        await player.play(solver, info_of(first, kind, max_steps=40))
        shown.extend(turn.shown for turn in player.turns)

    steps = pair.played(addresses, play)

    assert [REQUEST in text for text in shown] == [False] * (len(shown) - 1) + [True]
    assert [step.unexplained for step in steps if step.unexplained] == []
    assert answers(first) == answers(second)
    given, counted = answers(first)
    assert given == counted


@pytest.mark.slow
def test_an_answer_is_confirmed_in_the_task_bar_of_a_site(
    arena_server: ArenaServer, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, pair: Pair
) -> None:
    case = families.case_of("change_dates", 0, 0)
    moves = recorded(case, arena_server, open_page, monkeypatch)
    first, second = (checked(case.episode()) for _ in range(2))

    async def play(player: NotedPlayer) -> None:
        await player.solve(moves)
        assert REQUEST in player.observation.text
        (button,) = SUBMIT.findall(player.observation.text)
        await player.act(type="click", target=button)
        assert player.is_over

    pair.played((arena_server.address(first), arena_server.address(second)), play)

    assert answers(first) == answers(second)
    assert families.outcome(first) == families.outcome(second) == "correct"


def test_another_answer_replaces_the_first(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = checked(episode_in(Look()))
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    page.get_by_role("textbox").fill("41")
    page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_role("status")).to_have_text(REQUEST)
    expect(page.get_by_role("textbox")).to_have_value("41")
    page.get_by_role("textbox").fill("42")
    page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_role("heading", name="Answer recorded")).to_be_visible()
    assert answers(episode) == ("41", "42")


def test_what_was_typed_for_the_second_answer_stays_in_other_views_of_a_table(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = checked(episode_in(Look(), "table", tools=TOOLS["table"]))
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    field = page.get_by_role("textbox").last
    field.fill("41")
    page.get_by_role("button", name="Submit answer").last.click()
    expect(page.get_by_role("status")).to_have_text(REQUEST)
    expect(field).to_have_value("41")
    field.fill("42")
    page.get_by_role("columnheader").first.get_by_role("link").first.click()
    expect(page.get_by_role("status")).to_have_text(REQUEST)
    expect(field).to_have_value("42")
