"""Search in a real browser: by keyboard alone, without scripts, with hostile hits, in both colours."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from core.database.sessions import TooSlow
from tests import coverage_choice, factories
from tests.e2e import axe
from tests.lab import scene
from trajectories.behaviour.facts import store
from trajectories.lab.search import selectors
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
COLOURS: tuple[Any, ...] = ("light", "dark")
HOSTILE = (
    "verify \u202e<script>alert(1)</script><img src=https://evil.example/x onerror=alert(1)>"
    "<style>*{display:none}</style>" + "W" * 400 + "\u0645\u0631\u062d\u0628\u0627 e" + "\u0301" * 3_000
)
PICTURE = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xdc\xccY\xe7\x00\x00\x00\x00IEND\xaeB`\x82"
)
THOUGHTS = (
    "I read the table and look for a room with breakfast. Let me check the price again: 89 euros a night.",
    "Wait, the total says 281. A contradiction? Let me check what the fee is and verify it: 267 + 14 = 281.",
    "The fee explains it. I submit the answer.",
)


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def keep(page: Page, name: str) -> None:
    """Save a picture of the page for people to look at, if ``PALAESTRA_LOOKS`` names a folder."""
    if folder := os.environ.get("PALAESTRA_LOOKS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.fixture
def made(transactional_db: None) -> list[Episode]:
    """Six finished episodes of three steps, some with a mismatch, in two runs; the newest last."""
    scene.scene_make(picture=PICTURE)
    runs = [
        factories.run(name=name, model=name.split(",")[0]) for name in ("qwen3-8b, step 1200", "narrator")
    ]
    episodes = []
    for number in range(6):
        group = factories.group(run=runs[number % 2], arm=("gym", "gym_with_text")[number % 2])
        episode = factories.episode(group=group, policy_version=number)
        for index, thought in enumerate(THOUGHTS, start=1):
            click = {"type": "click", "target": f"e{index}"}
            factories.step(
                episode,
                index,
                thought=thought,
                action=click,
                action_type="click",
                action_result="no_target" if index == 2 and number % 3 == 0 else "ok",
                duration_ms=900.0,
            )
            if index != 2 or number % 3:
                episode.page_events.create(
                    page="p1", seq=index, step=index, kind="click", at_ms=1.0, data={"trusted": True}
                )
        factories.verdict(episode, *(("correct", "answer"), ("incorrect", "step_budget"))[number % 2])
        episodes.append(episode)
    store.facts_compute([one.pk for one in episodes])
    return episodes


def test_searching_and_opening_a_hit_and_returning_to_it_work_by_keyboard_alone(
    lab_page: LabPage, made: list[Episode]
) -> None:
    page = lab_page()
    page.goto("/system/")
    settled(page)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Search or go to")).to_be_focused()
    page.keyboard.type('"check what"')
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=%22check\+what%22$"))
    settled(page)
    expect(page.get_by_text("6 steps")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    hit = page.get_by_role("link", name=f"Episode {made[4].pk}, step 2")
    expect(hit).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_label(f"Select episode {made[4].pk}, step 2")).to_be_checked()
    expect(page.get_by_text("1 selected", exact=True)).to_be_visible()
    expect(hit).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/episodes/{made[4].pk}/steps/2\?find=check%20what"))
    expect(page.locator(".thought mark").first).to_have_text("check what")
    settled(page)
    page.go_back()
    settled(page)
    expect(hit).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Words in thoughts")).to_be_focused()
    page.keyboard.press("Escape")
    hit.focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next row")
    expect(page.get_by_role("dialog")).not_to_contain_text("slower")


def test_selecting_one_hit_selects_all_hits_of_its_episode_and_counts_them(
    lab_page: LabPage, made: list[Episode]
) -> None:
    page = lab_page(viewport={"width": 400, "height": 800})
    page.goto("/search?q=check")
    settled(page)
    count = page.locator("[data-selection]")
    page.get_by_label(f"Select episode {made[5].pk}, step 2").check()
    expect(page.get_by_label(f"Select episode {made[5].pk}, step 1")).to_be_checked()
    expect(count).to_have_text("2 selected: 1 episode")
    page.get_by_label(f"Select episode {made[3].pk}, step 1").check()
    expect(count).to_have_text("4 selected: 2 episodes")
    assert count.evaluate("(one) => one.offsetHeight < 1.9 * parseFloat(getComputedStyle(one).lineHeight)")
    page.get_by_role("link", name=f"Episode {made[5].pk}, step 2").click()
    page.wait_for_url("**/steps/2*")
    page.go_back()
    settled(page)
    ticked = page.locator(".select-box:checked").count()
    expect(count).to_have_text("4 selected: 2 episodes" if ticked else "")
    page.get_by_role("searchbox", name="Words in thoughts").fill("281")
    page.keyboard.press("Enter")
    expect(page.get_by_label(f"Select episode {made[5].pk}, step 1")).to_have_count(0)
    expect(page.locator("[data-selection]")).to_have_text("")


def test_in_the_viewer_the_search_key_searches_the_episode(lab_page: LabPage, made: list[Episode]) -> None:
    page = lab_page()
    page.goto(f"/episodes/{made[0].pk}/steps/1")
    settled(page)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Find in this episode")).to_be_focused()


def test_a_filter_updates_hits_and_address_without_a_page_load(
    lab_page: LabPage, made: list[Episode]
) -> None:
    page = lab_page()
    page.goto("/search?q=check")
    settled(page)
    page.evaluate("window.samePage = true")
    page.get_by_label("Action check").select_option("no_effect")
    expect(page).to_have_url(re.compile(r"/search\?q=check&action_check=no_effect$"))
    expect(page.locator(".grid-table tbody tr")).to_have_count(2)
    assert page.evaluate("window.samePage") is True
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Ids").click()
    assert Path(download.value.path()).read_text().split()[3:] == [str(made[3].pk), str(made[0].pk)]
    page.get_by_role("link", name="Remove the filter Action had no effect").click()
    expect(page).to_have_url(re.compile(r"/search\?q=check$"))
    page.go_back()
    expect(page.locator(".grid-table tbody tr")).to_have_count(2)
    expect(page.get_by_label("Action check")).to_have_value("no_effect")


def test_search_works_without_scripts(lab_page: LabPage, made: list[Episode]) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto("/system/")
    page.get_by_role("searchbox", name="Search thoughts").fill("contradiction")
    page.keyboard.press("Enter")
    page.get_by_text("More filters").click()
    page.get_by_label("Policy version").fill("3")
    page.get_by_role("combobox", name="Outcome").select_option("incorrect")
    page.get_by_role("button", name="Search").click()
    expect(page).to_have_url(re.compile(r"/search\?q=contradiction&outcome=incorrect&policy_version=3$"))
    expect(page.locator(".grid-table tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Count matches").click()
    expect(page.get_by_text("1 step in 1 episode")).to_be_visible()
    page.get_by_role("link", name="Search results").click()
    page.get_by_role("link", name=f"Episode {made[3].pk}, step 2").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 2")


@pytest.mark.parametrize("width", [400, 1280])
def test_a_hostile_thought_is_a_hit_like_any_other(
    lab_page: LabPage, live_server: LiveServer, width: int
) -> None:
    run = factories.run(name=HOSTILE[:200], model=HOSTILE[:200])
    episode = factories.episode(run=run, task=factories.task(key=HOSTILE[:200]))
    factories.step(episode, 1, thought=HOSTILE, action={"type": "click"}, action_type="click")
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    page = lab_page(viewport={"width": width, "height": 900})
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
    for path in ("/search?q=verify", "/search", f"/search?run={run.pk}&q=script"):
        page.goto(path)
        settled(page)
        expect(page.locator(".counts-place strong")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.goto("/search?q=verify")
    expect(page.get_by_role("link", name=f"Episode {episode.pk}, step 1")).to_be_visible()
    assert page.locator(".grid-table tbody tr").bounding_box()["height"] < (36 if width > 700 else 400)
    keep(page, f"search-hostile-{width}")
    assert [url for url in requests if not url.startswith(live_server.url)] == []
    assert messages == []


@pytest.mark.parametrize(("width", "colours"), coverage_choice.values([400, 1280], COLOURS))
def test_search_has_no_serious_accessibility_faults(
    lab_page: LabPage, made: list[Episode], colours: Any, width: int
) -> None:
    page = lab_page(color_scheme=colours, viewport={"width": width, "height": 900})
    for name, path in (
        ("hits", "/search?q=check+or+telescopes&outcome=correct&steps_min=2&arm=nowhere"),
        ("list", "/search"),
        ("wrong", "/search?q=-check&opened_from=2026-02-31"),
        ("empty", "/search?q=nobody+said+this&outcome=void"),
    ):
        page.goto(path)
        settled(page)
        if name in ("hits", "list"):
            expect(page.locator(".counts-place strong")).to_be_visible()
        assert axe.violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        keep(page, f"search-{name}-{width}-{colours}")
    page.goto("/search?q=check")
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("link", name="Facts").scroll_into_view_if_needed()
    expect(page.get_by_role("link", name="Facts")).to_be_in_viewport(ratio=1)
    assert axe.violations(page) == []
    keep(page, f"search-menu-{width}-{colours}")


def too_slow(*_args: Any, **_more: Any) -> Any:
    raise TooSlow


@pytest.mark.parametrize(("width", "colours"), coverage_choice.values([400, 1280], COLOURS))
def test_a_stopped_search_has_no_serious_accessibility_faults(
    lab_page: LabPage, made: list[Episode], colours: Any, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "search_page", too_slow)
    monkeypatch.setattr(selectors, "search_counts", too_slow)
    page = lab_page(color_scheme=colours, viewport={"width": width, "height": 900})
    for name, path in (("page", "/search?q=check&outcome=correct"), ("counts", "/search/counts?q=check")):
        answer = page.goto(path)
        assert answer
        assert answer.status == 503
        expect(page.locator("main")).to_contain_text("was stopped after")
        assert axe.violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        keep(page, f"search-stopped-{name}-{width}-{colours}")


def test_counts_that_arrive_late_move_no_hit(lab_page: LabPage, made: list[Episode]) -> None:
    page = lab_page(viewport={"width": 1280, "height": 900})
    held: list[Any] = []
    page.route("**/search/counts*", lambda route: held.append(route))
    with page.expect_request("**/search/counts*"):
        page.goto("/search?q=check&outcome=correct")
    first = page.locator(".grid-table tbody tr").first
    before = first.bounding_box()
    held[0].continue_()
    expect(page.locator(".counts-place strong")).to_be_visible()
    assert first.bounding_box() == before


def test_slow_or_failed_parts_of_a_search_show_an_error_in_their_place(
    lab_page: LabPage, made: list[Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = lab_page()
    with monkeypatch.context() as patched:
        patched.setattr(selectors, "search_counts", too_slow)
        page.goto("/search?q=check")
        expect(page.locator("#counts")).to_contain_text("Counting was stopped")
        patched.setattr(selectors, "search_page", too_slow)
        page.get_by_label("Action check").select_option("no_effect")
        expect(page.locator("#results")).to_contain_text("Search stopped")
        expect(page.locator(".grid-table tbody tr")).to_have_count(0)
    page.route("**/search/counts*", lambda route: route.fulfill(status=500, body="<b>Oops</b>"))
    page.get_by_label("Action check").select_option("")
    expect(page.locator(".grid-table tbody tr").first).to_be_visible()
    expect(page.locator("#counts")).to_contain_text("The matches could not be counted.")
    page.route("**/search?*", lambda route: route.abort())
    page.get_by_label("Action check").select_option("no_effect")
    expect(page.locator("#results")).to_have_text("The search failed. Try again, or reload this page.")
    page.unroute("**/search?*")
    page.get_by_role("searchbox", name="Words in thoughts").press("Enter")
    expect(page.locator(".grid-table tbody tr")).to_have_count(2)
