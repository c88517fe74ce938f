from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import AXES, ROTATION, Look, look_rotate
from gymsite.arena.sites.pop_ups import schedule
from gymsite.oracle.patience import wait_settled
from gymsite.oracle.reviews import Solver
from tests import coverage_choice
from tests.e2e import axe
from tests.e2e.conftest import ArenaServer
from tests.reviews_shop import episode_of, smallest, task_of, world

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
PAGES = (
    "",
    "products/{}",
    "products/{}/reviews",
    "products/{}/questions",
    "products/{}/reviews?q=zzzz",
    "?q=zzzz",
    "basket",
    "account",
    "help/delivery",
)
LOOKS = [look_rotate(seed=1, place=place, fixed={}, page="site") for place in range(ROTATION)]


@pytest.mark.parametrize("turn", range(4))
def test_no_page_kind_has_a_grave_fault_of_access(
    arena_server: ArenaServer, open_page: OpenPage, turn: int
) -> None:
    """Among these looks are every list and form, dark and light pages, and pop-ups."""
    look = LOOKS[(0, 4, 7, 8)[turn]]
    page, address = open_page(), arena_server.address(episode_of(task_of(), look=look))
    solver = Solver(page, world(), task_of(), look)
    for path in PAGES if coverage_choice.IS_WHOLE or look.form == "dialog" else PAGES[turn % 2 :: 2]:
        page.goto(address + path.format(smallest().id))
        wait_settled(page)
        if path == "basket":
            put_into_basket(page, address, solver)
        assert axe.violations(page) == [], path
        if look.form == "dialog" and path in ("", PAGES[2]):
            name = solver.say["filters" if path else "categories"]
            solver.press(page.get_by_role("button", name=name, exact=True))
            assert axe.violations(page) == [], f"{path} with its dialog"


def put_into_basket(page: Page, address: str, solver: Solver) -> None:
    page.goto(f"{address}products/{smallest().id}")
    wait_settled(page)
    solver.close_pop_ups()
    page.locator("[name=product] ~ button").click()
    wait_settled(page)
    expect(page.locator(".basket-line")).to_have_count(1)


def test_a_wall_over_a_page_has_no_grave_fault_of_access(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    looks = (Look(pop_ups="early", theme="dark", accent=accent) for accent in AXES["accent"])
    look = next(look for look in looks if [name for name, _ in schedule(look)][1] == "sign_up")
    address = arena_server.address(episode_of(task_of(), look=look))
    wall = page.locator("[data-pop-up=sign_up]")
    for number in range(12):
        sort = ("newest", "oldest", "helpful", "best", "worst")[number % 5]
        page.goto(f"{address}products/{smallest().id}/reviews?page={number % 6 + 1}&sort={sort}")
        wait_settled(page)
        if wall.count():
            break
        Solver(page, world(), task_of()).close_pop_ups()
    expect(wall).to_be_visible()
    assert axe.violations(page) == []


def test_nothing_is_beyond_the_edge_of_a_phone(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 400, "height": 800})
    for place, look in enumerate(LOOKS):
        address = arena_server.address(episode_of(task_of(), look=look))
        for path in PAGES if coverage_choice.IS_WHOLE else PAGES[place % 3 :: 3]:
            page.goto(address + path.format(smallest().id))
            wait_settled(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400, (look, path)
