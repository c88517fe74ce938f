"""The booking site in four looks: accessibility, width of its pages, and paging of its lists."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import AXES
from gymsite.oracle.patience import wait_settled
from tasks_app.families.stays import total_price
from tests import coverage_choice
from tests.e2e.axe import violations
from tests.e2e.conftest import ArenaServer
from tests.e2e.stays_town import task_of, world
from tests.e2e.test_stays import episode_of

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LOOKS: dict[str, dict[str, str | int]] = {
    "neutral": {},
    "table": {
        "theme": "dark", "listing": "table", "form": "above", "density": "compact", "panels": "two",
        "labels": "brisk", "paging": "scroll", "sections": "reversed", "locale": "en-US", "layout": "plain",
    },
    "rows": {
        "listing": "rows", "form": "beside", "density": "roomy", "panels": "one", "labels": "formal",
        "sections": "mixed", "accent": "clay", "font": "serif", "layout": "wide", "paging": "more",
    },
    "dialog": {
        "theme": "dark", "form": "dialog", "labels": "friendly", "pop_ups": "often", "paging": "more",
        "zoom": 125, "contrast": "high", "accent": "green", "slow": "short", "panels": "one",
    },
}  # fmt: skip


def _addresses() -> dict[str, str]:
    """A page of each kind, by its address below that of the episode."""
    leg = task_of(total_price, level=1).given["legs"][0]
    room = leg["room"]
    house = next(one for one in world().listings if room in {each.id for each in one.rooms})
    trip = next(one for one in world().trips if one.status == "booked")
    stay = f"check_in={leg['check_in']}&check_out={leg['check_out']}&guests={leg['guests']}"
    later = [day + timedelta(days=90) for day in (trip.check_in, trip.check_out)]
    return {
        "home": "",
        "results": f"search?{stay}",
        "nothing": "search?name=Xylophone",
        "bad dates": "search?check_in=tomorrow",
        "house": f"stays/{house.id}?{stay}",
        "amenities and calendar": f"stays/{house.id}?amenities=all&room={room}",
        "reviews": f"stays/{house.id}/reviews",
        "checkout": f"stays/{house.id}/book/{room}?{stay}",
        "refused": f"stays/{house.id}/book/{room}",
        "trips": "trips",
        "trip": f"trips/{trip.code}",
        "change": f"trips/{trip.code}/change?check_in={later[0]}&check_out={later[1]}",
        "cancel": f"trips/{trip.code}/cancel",
    }


def _shown(look: str) -> list[tuple[str, str]]:
    """Each page in one look, if not in every."""
    places = list(_addresses().items())
    return places if coverage_choice.IS_WHOLE else places[[*LOOKS].index(look) :: len(LOOKS)]


@pytest.mark.parametrize("look", LOOKS)
def test_pages_have_no_serious_accessibility_faults_and_fit_the_window(
    arena_server: ArenaServer, open_page: OpenPage, look: str
) -> None:
    episode, page = episode_of(task_of(total_price, level=1), presentation=LOOKS[look]), open_page()
    for kind, address in _shown(look):
        page.goto(arena_server.address(episode, address))
        wait_settled(page)
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert violations(page) == [], (kind, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (kind, width)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)


@pytest.mark.parametrize("opener", ["Change your search", "Filter and sort"])
def test_a_dialog_opens_by_keyboard_and_returns_the_focus(
    arena_server: ArenaServer, open_page: OpenPage, opener: str
) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"form": "dialog"})
    page = open_page()
    page.goto(arena_server.address(episode, "search"))
    wait_settled(page)
    dialog = page.get_by_role("dialog", name=opener)
    page.get_by_role("button", name=opener).press("Enter")
    expect(dialog).to_be_visible()
    expect(dialog).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name=opener)).to_be_focused()


CORNERS = """picker => {
    const { left, top, right, bottom } = picker.getBoundingClientRect();
    const inside = parseFloat(getComputedStyle(picker).borderTopLeftRadius) / 3 + 3;  // of the rounding
    return [left, right].flatMap(x => [top, bottom].map(y => {
        const [across, down] = [x === left ? inside : -inside, y === top ? inside : -inside];
        const at = document.elementFromPoint(x + across, y + down);
        return at !== null && picker.contains(at);
    }));
}"""


@pytest.mark.parametrize(("form", "width"), coverage_choice.values(AXES["form"], [1280, 400]))
def test_the_calendar_of_a_field_is_fully_visible_and_closes_separately(
    arena_server: ArenaServer, open_page: OpenPage, form: str, width: int
) -> None:
    """In a dialog, in a column, at the foot of the window: its corners are visible and uncovered."""
    house = world().listings[0]
    episode = episode_of(task_of(total_price, level=1), presentation={"form": form})
    page = open_page(viewport={"width": width, "height": 700})
    for path, opener in (("search", "Change your search"), (f"stays/{house.id}", "Choose dates")):
        page.goto(arena_server.address(episode, path))
        wait_settled(page)
        if form == "dialog":
            page.get_by_role("button", name=opener).click()
        for name in ("Calendar for check-in", "Calendar for check-out"):
            button = page.get_by_role("button", name=name)
            button.press("Enter")
            picker = page.get_by_role("dialog", name=name)
            expect(picker).to_be_visible()
            for _ in range(2):
                assert picker.evaluate(CORNERS) == [True] * 4
                picker.get_by_role("button", name="Next month").click()
            assert violations(page) == []
            page.keyboard.press("Escape")
            expect(picker).to_be_hidden()
            expect(button).to_be_focused()
        if form == "dialog":
            expect(page.get_by_role("dialog", name=opener)).to_be_visible()


@pytest.mark.parametrize("look", [{}, {"font": "mono", "zoom": 125}], ids=["neutral", "large"])
def test_a_price_in_the_calendar_does_not_wrap(
    arena_server: ArenaServer, open_page: OpenPage, look: dict[str, str | int]
) -> None:
    leg = task_of(total_price, level=1).given["legs"][0]
    house = next(one for one in world().listings if leg["room"] in {each.id for each in one.rooms})
    page = open_page(viewport={"width": 400, "height": 900})
    episode = episode_of(task_of(total_price, level=1), presentation=look)
    page.goto(arena_server.address(episode, f"stays/{house.id}?room={leg['room']}&month=2027-06"))
    wait_settled(page)
    lines = page.locator(".is-free .stays-night").evaluate_all(
        "all => all.map(a => a.getClientRects().length)"
    )
    assert len(lines) > 10
    assert set(lines) == {1}


def test_bad_dates_show_an_error_beside_their_dialog(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"form": "dialog"})
    page = open_page()
    page.goto(arena_server.address(episode, "search?check_in=tomorrow"))
    expect(page.get_by_role("alert")).to_contain_text("Enter the date as YYYY-MM-DD")


def _listed(page: Page) -> list[Any]:
    names: list[Any] = page.get_by_role("region", name="Results").get_by_role("heading").all_inner_texts()
    return names


def test_more_stays_are_loaded_by_a_button_that_keeps_the_focus(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"paging": "more"})
    page = open_page()
    page.goto(arena_server.address(episode, "search"))
    wait_settled(page)
    first = _listed(page)
    more = page.get_by_role("link", name="Load more stays")
    more.press("Enter")
    expect(page.get_by_text("Stays loaded: 12")).to_be_attached()
    expect(page.get_by_text(f"Showing 24 of {len(world().listings)} stays")).to_be_visible()
    expect(more).to_be_focused()
    wait_settled(page)
    page.goto(arena_server.address(episode, "search?page=2"))
    wait_settled(page)
    second = _listed(page)
    assert len(first) == len(second) == 12
    assert not set(first) & set(second)


def test_scrolling_to_the_end_loads_more_until_there_is_no_more(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"paging": "scroll"})
    page = open_page()
    page.goto(arena_server.address(episode, "search?rating=90"))
    wait_settled(page)
    more = page.get_by_role("link", name="Load more stays")
    for _ in range(20):
        known = len(_listed(page))
        if not more.count():
            break
        page.keyboard.press("Home")
        page.keyboard.press("End")
        expect(page.get_by_role("region", name="Results").get_by_role("heading").nth(known)).to_be_attached()
        wait_settled(page)
    rated = sorted(one.name for one in world().listings if one.rating >= 90)
    assert sorted(_listed(page)) == rated
    expect(page.get_by_text(f"Showing {len(rated)} of {len(rated)} stays")).to_be_visible()
    expect(page.get_by_text("You have reached the end of the list.")).to_be_visible()


def test_nothing_more_is_loaded_before_the_page_is_scrolled(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"paging": "scroll"})
    page = open_page(viewport={"width": 1280, "height": 4000})
    page.goto(arena_server.address(episode, "search"))
    wait_settled(page)
    assert len(_listed(page)) == 12


def test_if_fetching_fails_the_browser_opens_the_next_page(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(task_of(total_price, level=1), presentation={"paging": "more"})
    page = open_page()
    page.goto(arena_server.address(episode, "search"))
    wait_settled(page)
    page.route(
        "**/search?*",
        lambda route: route.abort() if route.request.resource_type == "fetch" else route.continue_(),
    )
    page.get_by_role("link", name="Load more stays").click()
    expect(page).to_have_url(arena_server.address(episode, "search?sort=recommended&page=2"))


def test_late_sections_are_shown_once_the_page_is_settled(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    house = world().listings[0]
    episode = episode_of(task_of(total_price, level=1), presentation={"slow": "long", "panels": "two"})
    page = open_page()
    page.goto(arena_server.address(episode, f"stays/{house.id}"), wait_until="commit")
    wait_settled(page)
    assert page.locator("aside.stays-panel").count() == 2
    assert page.locator(".slow-place").count() == 0
    expect(page.get_by_role("region", name="Guest reviews").get_by_role("article")).to_have_count(2)
