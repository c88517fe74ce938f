from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.presentation import ROTATION, Look, look_rotate
from tests import coverage_choice
from tests.e2e import axe
from tests.e2e.conftest import ArenaServer
from tests.e2e.reviews_solution import Solver, settled, solve
from tests.reviews_shop import FAMILIES_OF_SHOP, drawn_task, edition_of, episode_of, smallest, task_of, world

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
PAGES = ("", "products/{}", "products/{}/reviews", "products/{}/questions", "products/{}/reviews?q=zzzz")
LOOKS = [look_rotate(seed=1, place=place, fixed={}, page="site") for place in range(ROTATION)]
SLACK = 0.6


def solved(
    arena_server: ArenaServer, page: Page, family: str, look: Look, *, level: int, seed: int
) -> Solver:
    edition = edition_of(family)
    task = drawn_task(family, level=level, seed=seed)
    page.goto(arena_server.address(episode_of(task, edition=edition, look=look)))
    settled(page)
    solver = Solver(page, world(edition), task, look)
    answer = solve(solver)
    solver.submit(answer)
    assert answer == task.answer
    return solver


# The longest family is solved at its first level.
LEVELS = [
    (family, 1 if family == "most_of_five" else level)
    for family, level in coverage_choice.values(FAMILIES_OF_SHOP, [1, 3], is_whole=False)
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "level"),
    coverage_choice.values(FAMILIES_OF_SHOP, [1, 3]) if coverage_choice.IS_WHOLE else LEVELS,
)
def test_a_task_takes_the_moves_that_its_family_says(
    arena_server: ArenaServer, open_page: OpenPage, family: str, level: int
) -> None:
    solver = solved(arena_server, open_page(), family=family, look=Look(), level=level, seed=level)
    assert SLACK * solver.task.oracle_steps <= solver.moves <= solver.task.oracle_steps


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
        settled(page)
        assert axe.violations(page) == [], path
        if look.form == "dialog" and path in ("", PAGES[2]):
            name = solver.say["filters" if path else "categories"]
            solver.press(page.get_by_role("button", name=name, exact=True))
            assert axe.violations(page) == [], f"{path} with its dialog"


def test_a_wall_over_a_page_has_no_grave_fault_of_access(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    address = arena_server.address(episode_of(task_of(), look=Look(pop_ups="often", theme="dark")))
    wall = page.locator("[data-pop-up=sign_up]")
    for number in range(60):
        sort = ("newest", "oldest", "helpful", "best", "worst")[number % 5]
        page.goto(f"{address}products/{smallest().id}/reviews?page={number % 6 + 1}&sort={sort}")
        settled(page)
        if wall.count():
            break
        Solver(page, world(), task_of()).close_pop_ups()
    expect(wall).to_be_visible()
    assert axe.violations(page) == []


@pytest.mark.parametrize("place", range(ROTATION))
def test_nothing_is_beyond_the_edge_of_a_phone(
    arena_server: ArenaServer, open_page: OpenPage, place: int
) -> None:
    page = open_page(viewport={"width": 400, "height": 800})
    address = arena_server.address(episode_of(task_of(), look=LOOKS[place]))
    for path in PAGES if coverage_choice.IS_WHOLE else PAGES[place % 3 :: 3]:
        page.goto(address + path.format(smallest().id))
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
