from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import Look, look_make
from gymsite.oracle.patience import wait_settled
from gymsite.oracle.stays_visitor import Visitor
from palaestra.protocol.looks import NEUTRAL
from tasks_app.families.stays import book_stay, cancel_and_rebook, change_dates, total_price
from tasks_app.families.types import SiteTask
from tasks_app.worlds.digest import plain
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal
from tasks_app.worlds.stays.state import fold
from tests import coverage_choice, factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.stays_town import FIRST_DAY, KEY, solve, task_of, world
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]


def episode_of(task: SiteTask, *, first_day: date = FIRST_DAY, **fields: Any) -> Episode:
    payload = {
        "site": "stays",
        "world": PUBLIC_WORLD,
        "edition": "train",
        "first_day": first_day.isoformat(),
        "changes": changes_seal([], key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
        "forms": task.forms,
    }
    zone = ZoneInfo(fields.get("presentation", {}).get("time_zone", "UTC"))
    start = datetime.combine(first_day, time(9), tzinfo=zone)
    return factories.episode(task=factories.task(kind="site", payload=payload), virtual_start=start, **fields)


@pytest.mark.parametrize(
    "module",
    [cancel_and_rebook, change_dates, *([book_stay, total_price] if coverage_choice.IS_WHOLE else [])],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_a_task_is_solved_without_scripts(
    arena_server: ArenaServer, open_page: OpenPage, module: Any
) -> None:
    """Stays are booked, moved and cancelled, also where forms are in dialogs, lists go on without end, and
    pop-ups come one after the other."""
    fixed = {
        **NEUTRAL,
        "form": "dialog",
        "paging": "scroll",
        "pop_ups": "often",
        "slow": "long",
        "panels": "two",
    }
    look = look_make(seed=0, fixed=fixed, page="site")
    task = task_of(module, level=2)
    episode = episode_of(task, presentation=look.as_dict("site"))
    page = open_page(java_script_enabled=False)
    page.goto(arena_server.address(episode))
    solve(page, task, look, first_day=FIRST_DAY, has_scripts=False)
    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    if task.goal:
        state = plain(fold(world(), _events(episode)))
        assert {part: state[part] for part in task.goal["state"]} == task.goal["state"]


def _events(episode: Episode) -> Any:
    return SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "data")


def test_a_day_can_be_chosen_in_the_calendar_of_its_field(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(task_of(total_price, level=1))))
    wait_settled(page)
    page.get_by_role("button", name="Calendar for check-in").click()
    picker = page.get_by_role("dialog", name="Calendar for check-in")
    expect(picker.get_by_text("March 2027")).to_be_visible()
    picker.get_by_role("button", name="Next month").click()
    picker.get_by_role("button", name="15 April").click()
    expect(picker).to_be_hidden()
    expect(page.get_by_label("Check-in", exact=True)).to_have_value("2027-04-15")
    page.get_by_role("button", name="Calendar for check-in").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(picker).to_be_hidden()
    page.get_by_role("button", name="Calendar for check-in").click()
    page.get_by_label("Check-out", exact=True).focus()
    expect(picker).to_be_hidden()


def test_a_stay_is_booked_and_cancelled_again(arena_server: ArenaServer, open_page: OpenPage) -> None:
    task = task_of(total_price, level=1)
    episode = episode_of(task)
    leg = task.given["legs"][0]
    page = open_page()
    page.goto(arena_server.address(episode))
    one = Visitor(page=page, look=Look(), town=world())
    listing, room = one.room_of(leg["room"])
    one.search(leg, house=listing.name)
    one.press("link", listing.name)
    one.press("link", f"Book {room.name}")
    one.press("button", "Complete booking")
    expect(page.get_by_text("Enter your name.")).to_be_visible()
    code = one.book()
    one.press("link", "My trips")
    one.press("link", f"Cancel {code}")
    one.press("button", "Cancel this trip")
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    assert fold(world(), _events(episode)).trips[-1].status == "cancelled"


def test_going_back_after_refused_forms_shows_pages(arena_server: ArenaServer, open_page: OpenPage) -> None:
    """Also pages whose form, or whose answer in the task bar, was refused."""
    task = task_of(total_price, level=1)
    leg = task.given["legs"][0]
    page = open_page()
    one = Visitor(page=page, look=Look(), town=world())
    listing, _ = one.room_of(leg["room"])
    query = "&".join(f"{name}={leg[name]}" for name in ("check_in", "check_out", "guests"))
    page.goto(arena_server.address(episode_of(task), f"stays/{listing.id}/book/{leg['room']}?{query}"))
    one.write(page.get_by_label("Email", exact=True), "nobody")
    one.press("button", "Complete booking")
    expect(page.get_by_text("Enter your name.")).to_be_visible()
    one.press("button", "Submit answer", within=one.bar_open())
    expect(page.get_by_text("Give an answer first.")).to_be_visible()
    expect(page.get_by_label("Email", exact=True)).to_have_value("nobody")
    one.press("link", "My trips")
    for _ in range(2):
        one.back()
        expect(page.get_by_text("Enter your name.")).to_be_visible()
        expect(page.get_by_label("Email", exact=True)).to_have_value("nobody")
    one.back()
    expect(page.get_by_role("heading", name="Confirm your booking")).to_be_visible()


def test_nothing_behind_a_wall_can_be_pressed_until_it_is_closed_by_keyboard(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    """The task bar can be used all the while."""
    episode = episode_of(task_of(total_price, level=1), presentation={"pop_ups": "often"})
    page = open_page()
    start = arena_server.address(episode)
    wall = page.get_by_role("dialog", name="Join the Staywell Club")
    for listing in world().listings[:12]:
        page.goto(f"{start}stays/{listing.id}")
        wait_settled(page)
        if wall.count():
            break
        Visitor(page=page, look=Look(), town=world()).arrive()
    expect(wall.get_by_role("button")).to_be_focused()
    box = page.get_by_role("link", name="My trips").bounding_box() or {"x": 0, "y": 0}
    page.mouse.click(box["x"] + 2, box["y"] + 2)
    page.get_by_role("region", name="Task").locator("summary").click()
    page.get_by_role("region", name="Task").get_by_role("textbox").first.fill("1.00")
    address = page.url
    assert address.endswith(listing.id)
    page.keyboard.press("Escape")
    expect(wall).to_have_count(0)
    assert page.url == address
    expect(page.get_by_role("region", name="Task").get_by_role("textbox").first).to_have_value("1.00")
