"""A question with a panel of tools in a browser: the scripted solution of every family, by the forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import look_rotate
from gymsite.arena.wording import WORDINGS
from tasks_app.models import Gold
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.oracle import list_calls
from tasks_app.tool_tasks.types import Call, Truth
from tasks_app.tools.calls import get_tool
from tests import coverage_choice
from tests.e2e.axe import violations
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_question_kinds import episode_of, submitted
from trajectories.models import Episode, SiteEvent

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
PAGE_ARMS = ["gym", "gym_with_text"]
DRAFTS = {draft.key.partition("/")[0]: draft for draft in starter_drafts("tools")}


def tools_episode(family: str, **fields: Any) -> Episode:
    draft = DRAFTS[family]
    return episode_of(draft, variation={"tools": draft.payload["tools"]}, **fields)


def press(page: Page, call: Call) -> None:
    """Fill in the form of a tool and send it."""
    tool = get_tool(call.tool)
    form = page.get_by_role("form", name=tool.title, exact=True)
    for field in tool.fields:
        control = form.get_by_label(field.label, exact=True)
        if field.options:
            control.select_option(call.arguments[field.name])
        else:
            control.fill(call.arguments[field.name])
    form.get_by_role("button", name=tool.button, exact=True).click()
    expect(page.get_by_role("heading", name=f"{tool.title}: result")).to_be_visible()


def oracle_calls(family: str) -> list[Call]:
    return list_calls(msgspec.convert(DRAFTS[family].gold.extra, Truth).graphs[0])


@pytest.mark.parametrize(
    ("family", "arm", "has_scripts"), coverage_choice.pairs(DRAFTS, PAGE_ARMS, [True, False])
)
def test_the_oracle_solves_a_family_by_the_forms(
    family: str, arm: str, has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode, answer = tools_episode(family, arm=arm), DRAFTS[family].gold.answer
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))

    for call in oracle_calls(family):
        press(page, call)
    if oracle_calls(family):
        expect(page.get_by_role("status")).to_contain_text(answer)
    page.get_by_label(WORDINGS["question"].label, exact=True).fill(answer)
    page.get_by_role("button", name=WORDINGS["question"].button).click()

    assert submitted(page, episode) == answer
    events = SiteEvent.objects.filter(episode=episode, kind="tool_called").order_by("seq")
    assert [(event.data["tool"], event.data["arguments"]) for event in events] == [
        (call.tool, dict(call.arguments)) for call in oracle_calls(family)
    ]
    assert Gold.objects.filter(task=episode.task).count() == 1


@pytest.mark.parametrize("place", range(0, 12, 1 if coverage_choice.IS_WHOLE else 4))
def test_a_panel_is_accessible_and_fits_in_every_look(
    place: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look = look_rotate(
        seed=3, place=place, fixed={"pop_ups": "none", "form": ("below", "above", "beside")[place % 3]}
    )
    episode = tools_episode("pipeline", presentation=look.as_dict())
    page = open_page(viewport={"width": 400, "height": 800})
    page.goto(arena_server.address(episode))
    settled(page)
    press(page, oracle_calls("pipeline")[0])
    settled(page)

    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert violations(page) == []


def test_a_tool_is_called_by_the_keyboard_alone(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = tools_episode("one_tool")
    (call,) = oracle_calls("one_tool")
    tool = get_tool(call.tool)
    page = open_page()
    page.goto(arena_server.address(episode))
    form = page.get_by_role("form", name=tool.title, exact=True)
    form.get_by_label(tool.fields[0].label, exact=True).focus()
    for field in tool.fields:
        page.keyboard.type(call.arguments[field.name])
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{tool.title}: result")).to_be_visible()
