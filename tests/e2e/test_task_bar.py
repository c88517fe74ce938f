"""The task bar of a mock site from page to page, wide and narrow, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e import axe
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_site_frame import SAMPLE, episode_make
from trajectories.models import Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 400, "height": 800}
FIELDS = SAMPLE.payload["fields"]
# What the page has under the bar, where a picture shows the bar alone.
COVERED = """() => {
    const bar = document.querySelector("[data-task-bar]"), box = bar.getBoundingClientRect();
    const isOther = el => !bar.contains(el) && !el.contains(bar);
    const under = (x, y) => document.elementsFromPoint(x, y).filter(isOther);
    const across = [0.05, 0.3, 0.5, 0.7, 0.95].map(part => part * innerWidth);
    const down = [0.1, 0.5, 0.9].map(part => box.top + part * box.height);
    return across.flatMap(x => down.flatMap(y => under(x, y))).map(el => el.outerHTML.slice(0, 80));
}"""
ONE_LINE = 64
"""Pixels: one line of text with what is around it."""


def bar_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Task")


def field(page: Page, place: int) -> Locator:
    return bar_of(page).get_by_role("textbox", name=FIELDS[place], exact=True)


def height(page: Page) -> float:
    box = bar_of(page).bounding_box()
    assert box is not None
    return box["height"]


def visit(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)


def test_typed_text_and_the_folded_state_persist_on_the_next_page(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page(viewport=WIDE)
    visit(page, arena_server.address(episode))
    field(page, 0).fill("412.")
    bar_of(page).locator("summary").click()

    visit(page, arena_server.address(episode, "trips"))
    expect(field(page, 0)).to_be_hidden()
    assert height(page) <= ONE_LINE
    bar_of(page).locator("summary").click()
    expect(field(page, 0)).to_have_value("412.")
    field(page, 0).fill("412.50")
    field(page, 1).fill("L-1")

    visit(page, arena_server.address(episode))
    expect(field(page, 0)).to_be_visible()
    bar_of(page).get_by_role("button", name="Submit answer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    assert Submission.objects.get(episode=episode).answer == ["412.50", "L-1"]


def test_another_episode_in_the_same_tab_starts_with_an_empty_open_bar(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=NARROW)
    visit(page, arena_server.address(episode_make()))
    field(page, 0).fill("412.50")
    bar_of(page).locator("summary").click()

    visit(page, arena_server.address(episode_make()))

    expect(field(page, 0)).to_have_value("")
    expect(field(page, 0)).to_be_visible()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_later_pages_start_with_one_line_of_the_task(
    viewport: dict[str, int], has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page(viewport=viewport, java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))
    expect(field(page, 1)).to_be_visible()
    assert height(page) <= 0.6 * viewport["height"] + 2
    assert bar_of(page).locator("noscript p").is_visible() != has_scripts

    page.goto(arena_server.address(episode, "trips"))
    expect(field(page, 0)).to_be_hidden()
    assert height(page) <= ONE_LINE
    bar_of(page).locator("summary").click()
    expect(field(page, 0)).to_be_visible()

    page.goto(arena_server.address(episode, "search"))
    expect(field(page, 0)).to_be_visible(visible=has_scripts)


def test_typing_into_the_bar_keeps_it_open_on_the_next_page(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page(viewport=WIDE)
    visit(page, arena_server.address(episode))
    field(page, 0).fill("4")
    visit(page, arena_server.address(episode, "trips"))
    expect(field(page, 0)).to_have_value("4")
    expect(field(page, 0)).to_be_visible()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_folded_bar_still_contains_the_whole_task(
    viewport: dict[str, int], arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=viewport)
    visit(page, arena_server.address(episode_make()))
    bar_of(page).locator("summary").click()
    text = " ".join(SAMPLE.payload["text"].split())
    assert text in " ".join(bar_of(page).aria_snapshot().replace('\\"', '"').split())


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_bar_covers_nothing_wherever_the_page_is_scrolled(
    viewport: dict[str, int], arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=viewport)
    visit(page, arena_server.address(episode_make(), "search"))
    for top in (0, 120, 600):
        page.evaluate("top => scrollTo(0, top)", top)
        assert page.evaluate(COVERED) == []


def test_a_refused_answer_reopens_the_bar_with_the_typed_text(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=WIDE)
    visit(page, arena_server.address(episode_make()))
    field(page, 0).fill("   ")
    bar_of(page).get_by_role("button", name="Submit answer").click()
    settled(page)
    expect(bar_of(page).get_by_text("Give an answer first.")).to_be_visible()
    expect(field(page, 1)).to_be_visible()


def test_without_storage_the_bar_works_all_the_same(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make()
    page = open_page(viewport=WIDE)
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no'); } })"
    )
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    visit(page, arena_server.address(episode))
    field(page, 0).fill("1.00")
    bar_of(page).locator("summary").click()
    expect(field(page, 0)).to_be_hidden()
    assert errors == []


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_without_the_bar_the_page_offers_no_way_to_answer(
    viewport: dict[str, int], arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make(answer_channel="api", variation={"task_bar": False})
    page = open_page(viewport=viewport)
    visit(page, arena_server.address(episode, "trips"))
    expect(bar_of(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Submit answer")).to_have_count(0)
    assert SAMPLE.payload["text"] not in page.content()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_open_or_folded_the_bar_is_accessible(
    viewport: dict[str, int], theme: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=viewport)
    visit(page, arena_server.address(episode_make(presentation={"theme": theme})))
    assert axe.violations(page) == []
    bar_of(page).locator("summary").press("Enter")
    expect(field(page, 0)).to_be_hidden()
    assert axe.violations(page) == []


def lengthen(page: Page) -> None:
    """Lengthen the task; returns when the page has measured its bar again, in the next frame."""
    page.locator(".task-text").evaluate("(text) => { text.textContent = text.textContent.repeat(12); }")
    page.wait_for_function(
        """() => getComputedStyle(document.documentElement).getPropertyValue("--bar") ===
          `${document.querySelector("[data-task-bar]").offsetHeight}px`"""
    )


@pytest.mark.parametrize(
    ("width", "window", "zoom"), [(1280, 720, 125), (1280, 800, 125), (400, 800, 100), (400, 800, 125)]
)
def test_a_long_task_scrolls_and_leaves_its_fields_in_sight(
    width: int, window: int, zoom: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport={"width": width, "height": window})
    visit(page, arena_server.address(episode_make(presentation={"zoom": zoom})))
    lengthen(page)

    button = bar_of(page).get_by_role("button", name="Submit answer")
    for control in (field(page, 0), field(page, 1), button):
        box = control.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height(page)
    shown, whole = (
        bar_of(page).locator(".task-text").evaluate("(text) => [text.clientHeight, text.scrollHeight]")
    )
    assert ONE_LINE <= shown < whole
    assert axe.violations(page) == []


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_walls_and_jump_targets_stay_clear_of_a_tall_bar(
    viewport: dict[str, int], arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport=viewport)
    visit(page, arena_server.address(episode_make(presentation={"zoom": 125})))
    house = page.locator("a[href*='stays/L-']").first.evaluate("(link) => link.href")
    page.goto(house)
    settled(page)
    lengthen(page)
    page.evaluate("location.hash = 'amenities'")
    expect(page.locator("#amenities")).to_be_in_viewport(ratio=1)
    page.evaluate("scrollTo(0, 0)")

    page.evaluate(
        """() => document.body.insertAdjacentHTML("beforeend", `<div class="pop-up-layer is-sign_up">
          <section class="pop-up"><h2>Join</h2><p>${"Be first to know. ".repeat(8)}</p></section></div>`)"""
    )
    wall = page.locator(".pop-up").bounding_box()
    assert wall is not None
    assert wall["y"] >= height(page)
    assert wall["y"] + wall["height"] <= viewport["height"]


@pytest.mark.parametrize("zoom", [100, 125], ids=["short", "longer-than-its-share"])
def test_a_wheel_over_the_bar_scrolls_the_page(
    zoom: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    """The mouse of an agent starts in the corner, where the bar is."""
    page = open_page(viewport=WIDE)
    visit(page, arena_server.address(episode_make(presentation={"zoom": zoom})))
    if zoom > 100:
        lengthen(page)
    page.mouse.move(0, 0)
    for _ in range(8):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(100)
    page.wait_for_function("scrollY > 0")
    bar = bar_of(page).bounding_box()
    assert bar is not None
    assert bar["y"] < 0
