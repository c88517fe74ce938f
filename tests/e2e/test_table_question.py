"""Questions about tables in a real browser, with JavaScript and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from core.episodes.presentation import AXES, Look
from gymsite.arena.questions import table
from gymsite.question_pages.server import Item
from tasks_app.questions import Move
from tests import coverage_choice, factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from trajectories.models import Episode, Submission
from validation.parity.check import items_check

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
SHIPS = {
    "header": ["Ship", "Built", "Home\nport"],
    "rows": [
        ["Halcyon", "1902", "Vigo\nBrest"],
        ["Ariel", "87", ""],
        ["Petrel", "1,450", "a|b"],
        ["\ufeffMorgan\u2019s Luck", "1450", "<i>Cork</i> & \\| \u00a0 co"],
    ],
}
WIDE = {
    "header": [f"Column {n}" for n in range(12)],
    "rows": [[f"value{n * row}" for n in range(11)] + ["word " * 30] for row in range(150)],
}
JAVASCRIPT = pytest.mark.parametrize("javascript", [True, False])


def episode_of(of: Mapping[str, Any] = SHIPS, *, tools: Sequence[str] = (), **fields: Any) -> Episode:
    task = factories.task(kind="table", payload={"text": "which ships?", "format": "plain", "table": of})
    fields.setdefault("presentation", Look().as_dict())
    return factories.episode(task=task, variation={"tools": list(tools)} if tools else None, **fields)


def first_cells(page: Page) -> list[str]:
    return [cell.strip() for cell in page.locator("tbody td:first-child").all_inner_texts()]


def play(page: Page, moves: Sequence[Move]) -> None:
    """What a scripted client does."""
    for move in moves:
        elements = page.get_by_role(move.role, name=move.name, exact=True)  # type: ignore[arg-type]
        target = elements.nth(move.place) if move.place >= 0 else elements.nth(elements.count() + move.place)
        if move.act == "type":
            target.fill(move.text)
        else:
            target.click()


@pytest.mark.parametrize(("wording", "javascript"), coverage_choice.values(AXES["wording"], [True, False]))
def test_the_moves_of_the_kind_submit_several_answers(
    javascript: bool, wording: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(presentation=Look(wording=wording).as_dict())
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))

    play(page, table.moves({}, ["Halcyon", "a|b", "<1902>"]))

    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
    assert Submission.objects.get(episode=episode).answer == ["Halcyon", "a|b", "<1902>"]


@JAVASCRIPT
def test_an_added_field_is_labelled_with_its_number_and_focused(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode_of()))
    page.get_by_label("Your answer 1").fill("Halcyon")

    page.get_by_role("button", name="Add another answer").click()

    expect(page.get_by_label("Your answer 1")).to_have_value("Halcyon")
    expect(page.get_by_label("Your answer 2")).to_have_value("")
    expect(page.get_by_label("Your answer 2")).to_be_focused()


def test_with_javascript_adding_a_field_sends_no_request(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(recording="off")))
    settled(page)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))

    for _ in range(100):
        adder = page.get_by_role("button", name="Add another answer")
        if adder.count():
            adder.click()

    expect(page.get_by_role("textbox")).to_have_count(100)
    assert requests == []


@JAVASCRIPT
def test_several_answers_can_be_given_by_keyboard_and_submitted_with_enter(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of()
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))

    page.keyboard.press("Tab")
    expect(page.get_by_role("figure", name="Table")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("Ariel")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your answer 2")).to_be_focused()
    page.keyboard.type("Petrel")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
    assert Submission.objects.get(episode=episode).answer == ["Ariel", "Petrel"]


@JAVASCRIPT
def test_an_empty_submission_shows_an_error_at_the_first_field(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode_of()))
    page.get_by_role("button", name="Submit answer").click()

    expect(page.get_by_label("Your answer 1")).to_have_accessible_description(re.compile("an answer first"))
    page.get_by_role("button", name="Add another answer").click()
    expect(page.get_by_label("Your answer 2")).to_have_accessible_description("")


@pytest.mark.parametrize(
    ("width", "layout", "zoom"), coverage_choice.pairs([400, 1280], AXES["layout"], AXES["zoom"])
)
def test_a_wide_table_scrolls_inside_its_frame_only(
    width: int, layout: str, zoom: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    look = Look(layout=layout, zoom=zoom, font="mono")
    page.goto(arena_server.address(episode_of(WIDE, presentation=look.as_dict())))
    settled(page)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    frame = page.locator(".table-frame")
    assert width > 400 or frame.evaluate("(frame) => frame.scrollWidth > frame.clientWidth")
    frame.evaluate("(frame) => frame.scrollTo(frame.scrollWidth, 0)")
    expect(page.get_by_role("columnheader", name="Column 11")).to_be_in_viewport()


def test_the_header_stays_visible_at_the_last_row(arena_server: ArenaServer, open_page: OpenPage) -> None:
    rows = [[str(n), str(n * n)] for n in range(150)]
    page = open_page(viewport={"width": 1280, "height": 700})
    page.goto(arena_server.address(episode_of({"header": ["Number", "Square"], "rows": rows})))
    page.get_by_role("cell", name="22201").scroll_into_view_if_needed()

    expect(page.get_by_role("columnheader", name="Square")).to_be_in_viewport()
    expect(page.get_by_role("cell", name="22201")).to_be_in_viewport()


def test_line_breaks_in_cells_are_shown(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of()))

    assert page.get_by_role("cell", name="Vigo").inner_text() == "Vigo\nBrest"
    assert page.get_by_role("columnheader", name="Home").inner_text() == "Home\nport"


@JAVASCRIPT
def test_a_column_can_be_sorted_both_ways_and_reset(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode_of(tools=["sort"])))
    own = first_cells(page)
    header = page.get_by_role("columnheader", name="Built")
    expect(header).to_have_attribute("aria-sort", "none")

    page.get_by_role("link", name="Built").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert [cell[:5] for cell in first_cells(page)] == ["Ariel", "Petre", "\ufeffMorg", "Halcy"]
    page.get_by_role("link", name="Built").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    page.get_by_role("link", name="Back to the original order").click()

    expect(header).to_have_attribute("aria-sort", "none")
    assert first_cells(page) == own


@JAVASCRIPT
def test_adding_an_answer_field_keeps_the_state_of_the_tools(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(WIDE, tools=["sort", "find", "paging"])
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))
    page.get_by_role("searchbox", name="Find rows with").fill("value9")
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("link", name="Column 1", exact=True).click()
    page.get_by_role("link", name="Next page").click()
    expect(page.get_by_text("Sorted by Column 1, ascending.")).to_be_visible()
    shown = first_cells(page)

    page.get_by_label("Your answer 1").fill("x")
    page.get_by_role("button", name="Add another answer").click()
    expect(page.get_by_label("Your answer 2")).to_be_focused()
    assert first_cells(page) == shown
    expect(page.get_by_text("Page 2")).to_be_visible()
    page.get_by_role("link", name="Previous page").click()
    page.get_by_role("link", name="Show all rows").click()

    expect(page.get_by_role("searchbox")).to_have_value("")
    expect(page.get_by_text("Sorted by Column 1, ascending.")).to_be_visible()


def test_with_javascript_typed_answers_survive_the_tools_and_belong_to_their_episode(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_of(tools=["sort"])))
    page.get_by_label("Your answer 1").fill("Ariel")
    page.get_by_role("button", name="Add another answer").click()
    page.get_by_label("Your answer 2").fill("Petrel")
    page.get_by_role("link", name="Ship").click()

    expect(page.get_by_label("Your answer 1")).to_have_value("Ariel")
    expect(page.get_by_label("Your answer 2")).to_have_value("Petrel")
    page.goto(arena_server.address(episode_of(tools=["sort"])))
    expect(page.get_by_role("textbox")).to_have_count(1)
    expect(page.get_by_label("Your answer 1")).to_have_value("")


def test_the_policy_of_the_page_is_never_violated(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(arena_server.address(episode_of(tools=["sort", "find", "paging"])))
    settled(page)
    page.get_by_role("searchbox").fill("e")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_role("link", name="Ship").click()
    page.get_by_role("button", name="Add another answer").click()
    page.get_by_label("Your answer 2").fill("1")
    page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")

    assert complaints == []


def test_every_cell_can_be_recovered_from_an_observation(browser: Browser) -> None:
    items = [
        Item("table", {"text": "which $5 ships?", "format": "plain", "table": of}) for of in (SHIPS, WIDE)
    ]
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(items_check, items).result() == [None, None]
