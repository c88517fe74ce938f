"""The main journey by keyboard alone, and what a screen reader announces on the way."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from tasks_app.models import Task
from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.lab.long_scene import long_episode
from trajectories.models import Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
STOPS_MOST = 120
# An outline or a ring, on the thing itself or on what it stretches over; and in sight.
FOCUS = """() => {
    const one = document.activeElement;
    if (one === document.body) return "nothing";
    const looks = [null, "::after", "::before"].map((part) => getComputedStyle(one, part));
    const isSeen = looks.some((look) =>
        (look.outlineStyle !== "none" && parseFloat(look.outlineWidth) > 0) || look.boxShadow !== "none");
    const box = one.getBoundingClientRect();
    const isHere = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return isSeen && isHere && box.width > 0 ? "" : `${isSeen} ${isHere} ${one.outerHTML.slice(0, 200)}`;
}"""


def tab_to(page: Page, goal: Locator) -> None:
    """Press Tab until the goal has the focus; the focus must be visible at every stop."""
    for _ in range(STOPS_MOST):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS) == ""
        if goal.evaluate_all("all => all.includes(document.activeElement)"):
            return
    raise AssertionError(f"Tab does not come to {goal}")


def enter(page: Page, goal: Locator) -> None:
    tab_to(page, goal)
    page.keyboard.press("Enter")


def at_step(page: Page, index: int) -> None:
    expect(page.locator("#step")).to_have_attribute("data-step", str(index))
    settled(page)


@pytest.fixture
def pair(transactional_db: None) -> tuple[Episode, Episode]:
    """Two episodes of one task; the second is correct."""
    task: Task = factories.task()
    wrong = factories.episode(group=factories.group(task=task))
    factories.step(wrong, 1, thought="I guess.", action={"type": "answer", "text": "7"}, action_type="answer")
    factories.submission(wrong, "7")
    factories.verdict(wrong, outcome="incorrect")
    right = long_episode(steps=12, group=factories.group(task=task))
    factories.step(right, 40, thought="A needle in the last step.")
    factories.step(right, 41, thought="Another needle.")
    return wrong, right


@pytest.mark.slow
def test_the_main_journey_works_by_keyboard_alone(
    live_server: LiveServer, open_page: OpenPage, pair: tuple[Episode, Episode]
) -> None:
    wrong, right = pair
    User.objects.create_user("owner", password="correct horse", is_staff=True)
    page = open_page(
        base_url=live_server.url,
        viewport={"width": 1440, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )

    page.goto("/")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("owner")
    tab_to(page, page.get_by_label("Password"))
    page.keyboard.type("correct horse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    enter(page, page.get_by_role("navigation", name="Lab").get_by_role("link", name="Episodes"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Episodes")
    settled(page)
    tab_to(page, page.get_by_role("combobox", name="Outcome"))
    page.keyboard.type("correct")
    expect(page.get_by_role("link", name=str(wrong.pk), exact=True)).to_have_count(0)
    settled(page)
    enter(page, page.get_by_role("link", name=str(right.pk), exact=True))
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Episode {right.pk}")
    settled(page)

    enter(page, page.get_by_role("link", name="Replay from the first step"))
    at_step(page, 1)
    page.keyboard.press("j")
    at_step(page, 2)
    page.keyboard.press("g")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    at_step(page, 5)
    page.keyboard.press("ArrowLeft")
    at_step(page, 4)

    page.keyboard.press("/")
    page.keyboard.type("needle")
    page.keyboard.press("Enter")
    at_step(page, 40)
    page.keyboard.press("n")
    at_step(page, 41)
    expect(page.locator(".thought mark")).to_have_text("needle")

    tab_to(page, page.get_by_role("tab", name="Raw and JSON", selected=True))  # step 41 has no tree
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tabpanel", name="Changes")).to_be_visible()
    page.keyboard.press("k")
    at_step(page, 40)
    expect(page.get_by_role("tab", name="Changes")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("o")
    expect(page.get_by_role("button", name="Marks")).to_have_attribute("aria-pressed", "false")

    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()

    page.keyboard.press("c")
    expect(page.locator("[data-status]")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url

    page.keyboard.press("u")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Episode {right.pk}")
    settled(page)
    enter(page, page.get_by_role("link", name="Compare", exact=True))
    settled(page)
    tab_to(page, page.locator(f"input[name=episodes][value='{wrong.pk}'][type=checkbox]"))
    page.keyboard.press("Space")
    enter(page, page.get_by_role("button", name="Compare", exact=True))
    expect(page).to_have_url(re.compile(f"episodes={right.pk}.*{wrong.pk}"))
    settled(page)
    page.keyboard.press("d")
    assert page.evaluate("document.activeElement.closest('.compare-row') !== null")


def test_the_tab_key_reaches_every_visible_control_of_the_viewer(
    lab_page: OpenPage, pair: tuple[Episode, Episode]
) -> None:
    page = lab_page(viewport={"width": 1280, "height": 800})
    page.goto(f"/episodes/{pair[1].pk}/steps/3?find=cheapest")
    settled(page)
    names: list[str] = []
    for _ in range(STOPS_MOST):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus == "nothing":
            break
        assert focus == ""
        names.append(
            page.evaluate(
                "document.activeElement.dataset.keyLabel ?? document.activeElement.textContent.trim()"
            )
        )
    assert {"previous step", "next step", "copy the link to this step", "show these keys"} <= set(names)
    assert len(names) < 66


def test_a_screen_reader_can_navigate_the_viewer(lab_page: OpenPage, pair: tuple[Episode, Episode]) -> None:
    page = lab_page(viewport={"width": 1280, "height": 800})
    page.goto(f"/episodes/{pair[1].pk}/steps/3")
    settled(page)
    for role, name in (
        ("banner", None),
        ("main", None),
        ("navigation", "Lab"),
        ("navigation", "Where this is"),
        ("navigation", "Steps of the episode"),
        ("separator", "Width of the list of steps"),
        ("separator", "Height of the drawer"),
        ("navigation", "Previous and next step"),
        ("search", None),
        ("article", "Step 3"),
        ("tablist", "More of this step"),
        ("region", "Thought"),
        ("region", "Action"),
        ("region", re.compile("^Screenshot")),
        ("slider", "Step"),
        ("spinbutton", "Go to step"),
        ("combobox", "Speed"),
    ):
        expect(
            page.get_by_role(role, name=name, exact=True) if name else page.get_by_role(role)
        ).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert page.get_by_role("img", name="The page before the action of step 3").count() == 1
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, summary")].filter((one) =>
        one.checkVisibility()
        && !(one.ariaLabel || one.textContent.trim() || one.labels?.length || one.title))
        .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert unnamed == []
    status = page.locator("[data-status]")
    expect(status).to_have_attribute("aria-live", "polite")
    page.keyboard.press("j")
    expect(status).to_contain_text("Step 4: ")
    page.keyboard.press("o")
    expect(status).to_have_text("Marks are hidden")
    expect(page.get_by_role("article", name="Step 4")).to_have_count(1)
    page.goto(f"/episodes/{pair[1].pk}/")
    settled(page)
    for name in ("Task", "Steps", "About"):
        expect(page.get_by_role("region", name=re.compile(f"^{name}"))).to_have_count(1)
    expect(page.get_by_role("navigation", name="Timeline").get_by_role("link").first).to_have_accessible_name(
        re.compile("^1 type")
    )
