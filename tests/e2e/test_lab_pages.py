"""The lab in a real browser."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import coverage_choice, factories
from tests.e2e import axe
from tests.e2e.wire import Wire
from tests.lab import scene
from tests.lab.episode import test_verdicts as verdicts
from trajectories.models import Episode, Step

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

WIDTHS = (360, 800, 1400)
HOSTILE = "\u202e" + "W" * 3000 + "<img src=x onerror=alert(1)>" + "\u0645\u0631\u062d\u0628\u0627"
PICTURE = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xdc\xccY\xe7\x00\x00\x00\x00IEND\xaeB`\x82"
)


@pytest.fixture
def star(transactional_db: None) -> Episode:
    return scene.scene_make(picture=PICTURE)


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def paths(episode: Episode) -> list[str]:
    return [
        "/",
        f"/runs/{episode.run_id}/",
        "/episodes/",
        f"/episodes/{episode.pk}/",
        f"/episodes/{episode.pk}/steps/1",
        "/tasks/",
        f"/tasks/{episode.task_id}/",
        "/system/",
        "/runs/999999/",
    ]


def test_a_researcher_gets_from_the_runs_to_a_step_and_on_by_arrow_keys(
    lab_page: Callable[..., Page], star: Episode
) -> None:
    page = lab_page()
    page.goto("/")
    page.get_by_role("link", name="qwen3-8b").click()
    page.get_by_role("link", name=str(star.pk), exact=True).click()
    page.get_by_role("link", name="Step 2", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 2")
    expect(page.locator(".thought")).to_contain_text("Let me check it with a small case")
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 3")
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 6")
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 3")
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 2")


def test_every_page_settles_without_violating_its_policy(
    lab_page: Callable[..., Page], live: Wire, star: Episode
) -> None:
    page = lab_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in paths(star):
        page.goto(path)
        settled(page)
    # The browser itself complains of a page that is answered 404, as the last one is meant to be.
    assert [text for text in complaints if "404" not in text] == []


def test_formulas_are_rendered_and_named_by_their_latex(lab_page: Callable[..., Page], star: Episode) -> None:
    page = lab_page()
    page.goto(f"/episodes/{star.pk}/")
    settled(page)
    formula = page.get_by_role("math").first
    expect(formula).to_have_accessible_name(r"\sum_{k=1}^{10} \frac{1}{k(k+1)}")
    expect(formula.locator(".katex")).to_have_count(1)


def test_a_filter_updates_list_and_address_without_a_page_load(
    lab_page: Callable[..., Page], star: Episode
) -> None:
    page = lab_page()
    page.goto("/tasks/")
    page.evaluate("window.samePage = true")
    page.get_by_role("combobox", name="Benchmark").select_option("math")
    expect(page).to_have_url(re.compile("benchmark=math"))
    rows = page.locator("#results tbody tr")
    expect(rows).to_have_count(len(scene.PROBLEMS))
    assert page.evaluate("window.samePage") is True
    page.get_by_label("Search", exact=True).press_sequentially("no such task")
    expect(page.get_by_text("No tasks match.")).to_be_visible()


def test_lists_work_without_scripts(lab_page: Callable[..., Page], star: Episode) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto("/episodes/")
    page.get_by_role("combobox", name="Outcome").select_option("void")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#results tbody tr")).to_have_count(3)
    page.goto(f"/episodes/{star.pk}/steps/1")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 2")


def test_the_palette_leads_to_episodes_pages_and_themes_by_keyboard(
    lab_page: Callable[..., Page], star: Episode
) -> None:
    page = lab_page(viewport={"width": 1000, "height": 700}, color_scheme="light")
    page.goto("/system/")
    settled(page)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search or go to")
    page.keyboard.type(f"#{star.pk}")
    expect(page.get_by_role("option", name=f"Episode {star.pk}")).to_have_attribute("aria-selected", "true")
    assert axe.violations(page) == []
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/episodes/{star.pk}/$"))
    settled(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Dark", exact=True)).to_have_attribute("aria-pressed", "true")
    settled(page)
    page.keyboard.press("Control+k")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="Runs", exact=True)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("search or go to")


def test_the_menu_of_a_phone_opens_without_scripts(lab_page: Callable[..., Page], star: Episode) -> None:
    page = lab_page(java_script_enabled=False, viewport={"width": 400, "height": 800})
    page.goto("/")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Lab").get_by_role("link", name="Tasks").click()
    expect(page.get_by_role("heading", level=1, name="Tasks")).to_be_visible()


def test_a_page_is_ready_although_pictures_far_below_are_not_fetched(
    lab_page: Callable[..., Page], star: Episode
) -> None:
    sha256 = Step.objects.filter(episode=star).exclude(screenshot="")[0].screenshot
    long = factories.episode()
    for index in range(1, 61):
        factories.step(long, index, screenshot=sha256)
    page = lab_page(viewport={"width": 1280, "height": 600})
    page.goto(f"/episodes/{long.pk}/")
    settled(page)
    last = page.locator(".step-thumbnail").last
    assert last.evaluate("(picture) => picture.complete") is False
    last.scroll_into_view_if_needed()
    expect(last).to_have_js_property("complete", True)


def test_an_open_episode_shows_new_steps_and_its_verdict_by_itself(lab_page: Callable[..., Page]) -> None:
    episode = factories.episode()
    page = lab_page()
    page.goto(f"/episodes/{episode.pk}/")
    expect(page.get_by_role("heading", name="Open", exact=True)).to_be_visible()
    factories.step(episode, 1, thought="A thought that comes later.")
    expect(page.get_by_text("A thought that comes later.")).to_be_visible()
    factories.submission(episode)
    factories.verdict(episode)
    expect(page.get_by_role("heading", name="Correct", exact=True)).to_be_visible()


def test_no_text_makes_a_page_wider_than_the_window(lab_page: Callable[..., Page]) -> None:
    run = factories.run(name=HOSTILE[:200], model=HOSTILE[:200], tags=[HOSTILE[:100]], simulated=True)
    task = factories.task(key=HOSTILE[:200], prompt=HOSTILE, payload={"text": HOSTILE}, tags=[HOSTILE[:100]])
    episode = factories.episode(run=run, task=task, arm="gym")
    factories.step(
        episode,
        1,
        thought=HOSTILE,
        raw=HOSTILE,
        action={"type": HOSTILE, "target": HOSTILE},
        parse_error=HOSTILE,
        url=HOSTILE,
        observation_text=HOSTILE,
    )
    factories.submission(episode, HOSTILE)
    page = lab_page()
    for path, width in itertools.product(paths(episode), WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        # Scripts measure when a page loads; most runs load it on a phone and then widen the window.
        if coverage_choice.IS_WHOLE or width == WIDTHS[0]:
            page.goto(path)
            settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize(("width", "colours"), coverage_choice.values([400, 1280], ["light", "dark"]))
def test_given_and_expected_values_are_readable_at_every_width(
    lab_page: Callable[..., Page], width: int, colours: str
) -> None:
    episode = verdicts.episode_of_values(["17 euros", "L-1"], "17 euros|L-1")
    page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    page.goto(f"/episodes/{episode.pk}/")
    settled(page)
    panel = page.locator(".verdict")
    for summary in panel.locator("details > summary").all():
        summary.click()
    values = panel.locator(".values .answer")
    expected = ["412.50", factories.GOLD_CANARY]
    expect(values).to_have_text([*["17 euros", "L-1"] * 2, *expected])
    assert [
        box["height"] for box in map(Locator.bounding_box, values.all()) if box and box["height"] > 40
    ] == []
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
