from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests import factories
from tests.e2e.conftest import ArenaServer
from trajectories.models import Episode, PageEvent

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
TRIES = 100


def rows(episode: Episode, kind: str | None = None) -> list[PageEvent]:
    events = PageEvent.objects.filter(episode=episode, **({"kind": kind} if kind else {}))
    return list(events.order_by("received_at", "page", "seq"))


def arrived(page: Page, episode: Episode, kind: str, *, count: int = 1) -> list[PageEvent]:
    """The events of a kind, once ``count`` of them have been stored."""
    for _ in range(TRIES):
        if len(events := rows(episode, kind)) >= count:
            return events
        page.evaluate("new Promise((done) => setTimeout(done, 50))")
    raise AssertionError(f"{kind}: {[event.kind for event in rows(episode)]} after all tries")


def visit(page: Page, server: ArenaServer, episode: Episode) -> None:
    page.goto(server.address(episode))
    page.wait_for_selector("html[data-settled=true]", state="attached")


def tall(server: ArenaServer, open_page: OpenPage) -> tuple[Page, Episode]:
    """A question that is much higher than its window."""
    text = "\n\n".join(f"Paragraph {n}. " + "word " * 60 for n in range(1, 30))
    episode = factories.episode(task=factories.task(payload={"text": text, "format": "plain"}))
    page = open_page(viewport={"width": 800, "height": 500})
    visit(page, server, episode)
    return page, episode


def test_a_click_event_names_its_element_and_place(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode(presentation={})
    page = open_page()
    visit(page, arena_server, episode)

    page.get_by_label("Your answer").click(position={"x": 20, "y": 10})
    page.get_by_role("heading").click()
    field, heading = (event.data for event in arrived(page, episode, "click", count=2))

    box = page.get_by_label("Your answer").bounding_box()
    assert box is not None
    assert (field["role"], field["name"], field["trusted"]) == ("textbox", "Your answer", True)
    assert abs(field["x"] - box["x"] - 20) <= 1
    assert abs(field["y"] - box["y"] - 10) <= 1
    sides = (box["x"], box["y"], box["width"], box["height"])
    assert all(abs(recorded - side) <= 1 for recorded, side in zip(field["box"], sides, strict=True))
    assert field["scroll"] == [0, 0]
    assert (heading["role"], heading["name"]) == ("heading", "Question")


@pytest.mark.parametrize("is_left_at_once", [False, True])
def test_a_load_event_has_the_path_and_the_window_size(
    is_left_at_once: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = factories.episode()
    page = open_page(viewport={"width": 800, "height": 500}, device_scale_factor=2)
    page.goto(arena_server.address(episode), wait_until="domcontentloaded")
    if is_left_at_once:
        page.goto("about:blank")
    [load] = arrived(page, episode, "load")
    origin = load.data.pop("origin")
    assert (load.seq, load.data) == (1, {"path": "", "width": 800, "height": 500, "ratio": 2})
    assert abs(origin + load.at_ms - load.received_at.timestamp() * 1000) < 60_000


def test_typing_is_one_event_with_the_last_value(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode(presentation={})
    page = open_page()
    visit(page, arena_server, episode)

    page.get_by_role("textbox").press_sequentially("12\ud83d\ude0034")
    page.get_by_role("heading").click()
    arrived(page, episode, "click")

    values = [event.data["value"] for event in rows(episode, "input")]
    assert values[-1] == "12😀34"
    assert len(values) <= 2


def test_passwords_are_not_recorded(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode()
    page = open_page()
    visit(page, arena_server, episode)

    page.evaluate("document.querySelector('input').type = 'password'")
    page.locator("input").fill("hunter2")
    arrived(page, episode, "input")

    assert "hunter2" not in str([event.data for event in rows(episode)])


def test_a_scroll_is_reported_before_the_next_click_and_with_its_own_step(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page, episode = tall(arena_server, open_page)

    page.evaluate(
        """async () => {
            const root = document.documentElement;
            root.dataset.step = "4";
            scrollBy({ top: 300, behavior: "instant" });
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            root.dataset.step = "5";
            document.querySelector("h1").click();
        }"""
    )
    arrived(page, episode, "click")
    events = [event for event in rows(episode) if event.kind in ("scroll", "click")]
    assert [(event.kind, event.step) for event in events] == [("scroll", 4), ("click", 5)]
    assert events[0].data == {"x": 0, "y": 300}


def test_keys_focus_scrolls_and_visible_blocks_are_recorded(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page, episode = tall(arena_server, open_page)

    first = {event.data["block"] for event in arrived(page, episode, "visible")}
    page.mouse.move(400, 300)
    page.mouse.wheel(0, 700)
    scroll = arrived(page, episode, "scroll")[-1]
    page.get_by_text("Paragraph 9.").click()
    at = arrived(page, episode, "click")[0].data["scroll"]
    assert at == page.evaluate("[Math.round(scrollX), Math.round(scrollY)]")
    page.get_by_role("textbox").focus()
    page.keyboard.press("Tab")

    assert "1" in first
    assert "29" not in first
    assert scroll.data["y"] > 0
    assert arrived(page, episode, "focus", count=2)[0].data["role"] == "textbox"
    assert arrived(page, episode, "key")[0].data["key"] == "Tab"
    assert {"block": "29", "is_visible": True} in [
        event.data for event in arrived(page, episode, "visible", count=9)
    ]


def test_no_event_is_lost_when_the_form_is_submitted(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode()
    page = open_page()
    visit(page, arena_server, episode)

    page.get_by_role("textbox").press_sequentially("7")
    page.get_by_role("button").click()
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
    arrived(page, episode, "load", count=2)
    arrived(page, episode, "submit")

    first = [event for event in rows(episode) if event.page == rows(episode, "submit")[0].page]
    assert [event.seq for event in first] == list(range(1, len(first) + 1))
    assert [event.kind for event in first if event.kind in ("input", "click", "submit")] == [
        "input",
        "click",
        "submit",
    ]


def test_no_event_is_lost_when_the_page_is_left_at_once(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = factories.episode()
    page = open_page()
    visit(page, arena_server, episode)

    for _ in range(5):
        page.get_by_role("heading").click()
    page.goto(arena_server.address(episode, "done"))

    assert len(arrived(page, episode, "click", count=5)) == 5


@pytest.mark.parametrize("status", [503, 429])
def test_a_batch_that_fails_is_sent_again_and_stored_once(
    status: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = factories.episode()
    page = open_page()
    failures: list[str] = []

    def flaky(route: Route) -> Any:
        if len(failures) < 2:
            failures.append(route.request.post_data or "")
            return route.abort() if len(failures) == 1 else route.fulfill(status=status)
        return route.continue_()

    page.route("**/events", flaky)
    visit(page, arena_server, episode)
    page.get_by_role("heading").click()
    arrived(page, episode, "click")

    seqs = [event.seq for event in rows(episode)]
    assert len(failures) == 2
    assert sorted(seqs) == list(range(1, len(seqs) + 1))


def test_errors_of_the_page_are_reported(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode()
    page = open_page()
    visit(page, arena_server, episode)

    page.evaluate("setTimeout(() => { throw new Error('it broke') })")

    assert "it broke" in arrived(page, episode, "error")[0].data["message"]


def test_characters_that_cannot_be_stored_are_replaced(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = factories.episode()
    page = open_page()
    visit(page, arena_server, episode)

    page.evaluate(
        """() => { const field = document.querySelector("input"); field.value = "a\\0b\\ud800c";
                   field.dispatchEvent(new Event("input", { bubbles: true })); }"""
    )

    assert arrived(page, episode, "input")[0].data["value"] == "a\ufffdb\ufffdc"


def test_events_carry_the_step_of_the_harness(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode()
    page = open_page(extra_http_headers={"X-Gym-Step": "2"})
    visit(page, arena_server, episode)
    arrived(page, episode, "settled")
    page.context.set_extra_http_headers({"X-Gym-Step": "3"})
    page.get_by_role("heading").click()
    arrived(page, episode, "click")
    page.evaluate("document.documentElement.dataset.step = 4")
    page.get_by_role("textbox").click()

    assert [event.step for event in arrived(page, episode, "click", count=2)] == [3, 4]
    assert rows(episode, "load")[0].step == 2


def test_the_marker_does_not_wait_for_the_recorder(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/events", lambda route: None)

    visit(page, arena_server, factories.episode())

    expect(page.locator("html")).to_have_attribute("data-settled", "true")


def test_without_recording_nothing_is_sent(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    episode = factories.episode(recording="off")
    visit(page, arena_server, episode)
    page.get_by_role("heading").click()
    page.goto(arena_server.address(episode, "done"))

    assert not [url for url in sent if url.endswith("/events")]
