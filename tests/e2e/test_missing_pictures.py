"""Pictures lost from storage before any worker has noticed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from playwright.sync_api import Page, Route, expect

from tests import factories
from tests.coverage_choice import values
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled
from tests.lab.long_scene import picture_make
from trajectories.models import Blob, Episode

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
LOST = "Its file is missing from the store, or damaged."
COLOURS: tuple[Any, ...] = ("light", "dark")
BROKEN = "all => all.filter(one => one.complete && !one.naturalWidth).length"


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    """An episode of three steps; the screenshot of the second is lost."""
    made = factories.episode(arm="gym")
    good, lost = picture_make("search"), picture_make("lost")
    for index, screenshot in enumerate((good, lost, good), start=1):
        click = {"type": "click", "target": "e1"}
        factories.step(made, index, screenshot=screenshot, action=click, observation_text="page")
    storages["blobs"].delete(f"{lost[:2]}/{lost[2:4]}/{lost}")
    return made


def opened(page: Page, path: str) -> None:
    page.goto(path)
    settled(page)


def no_picture_is_broken(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    assert page.locator("main img").evaluate_all(BROKEN) == 0


def keep(page: Page, name: str) -> None:
    """Save a picture of the page for people to look at, if ``PALAESTRA_LOOKS`` names a folder."""
    if folder := os.environ.get("PALAESTRA_LOOKS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize(("width", "colours"), values([1440, 400], COLOURS))
def test_the_viewer_marks_a_lost_screenshot_as_missing(
    lab_page: LabPage, episode: Episode, width: int, colours: Any
) -> None:
    page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    opened(page, f"/episodes/{episode.pk}/steps/2")
    card = page.locator(".shot-card")
    expect(card).to_contain_text(LOST)
    expect(card.locator(".shot-none")).to_have_css("background-image", re.compile("gradient"))
    expect(card.get_by_role("link")).to_have_text(["Full size"])
    no_picture_is_broken(page)
    keep(page, f"missing-viewer-{width}-{colours}")
    assert axe.violations(page) == []


def test_a_lost_screenshot_is_marked_as_missing_after_navigating_to_its_step(
    lab_page: LabPage, episode: Episode
) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, f"/episodes/{episode.pk}/steps/1")
    for key, index in (("j", 2), ("j", 3), ("k", 2)):
        page.keyboard.press(key)
        expect(page.locator("#step")).to_have_attribute("data-step", str(index))
        expect(page.locator(".shot-none")).to_have_count(1 if index == 2 else 0)


def test_a_picture_that_failed_before_the_script_loaded_is_marked_as_missing(
    lab_page: LabPage, episode: Episode
) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    held: list[Route] = []
    page.route(re.compile(r"/lab/shared/pictures\b.*\.js"), lambda route: held.append(route))
    page.goto(f"/episodes/{episode.pk}/steps/2", wait_until="commit")
    expect(page.locator(".shot img")).to_have_js_property("complete", True)
    expect(page.get_by_text(LOST)).to_have_count(0)
    assert held
    for route in held:
        route.continue_()
    expect(page.get_by_text(LOST)).to_be_visible()


@pytest.mark.parametrize(("width", "colours"), values([1440, 400], COLOURS))
def test_lists_and_comparisons_hatch_a_lost_screenshot(
    lab_page: LabPage, episode: Episode, width: int, colours: Any
) -> None:
    other = factories.episode(task=episode.task, arm="gym")
    factories.step(other, 1, screenshot=episode.steps.get(index=1).screenshot)
    page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    for name, path, place in (
        ("list", f"/episodes/{episode.pk}/", ".step-thumbnail.is-blank"),
        ("compared", f"/compare?episodes={episode.pk},{other.pk}", ".compare-shot.is-blank"),
    ):
        opened(page, path)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        blank = page.locator(place)
        expect(blank).to_have_count(1)
        expect(blank).to_have_css("background-image", re.compile("gradient"))
        expect(blank).to_have_text(re.compile(r"step 2 \(missing or damaged\)"))
        no_picture_is_broken(page)
        keep(page, f"missing-{name}-{width}-{colours}")
        assert axe.violations(page) == [], name


def test_one_lost_picture_of_a_comparison_is_marked_as_missing(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    lost = episode.steps.get(index=1).screenshot
    page.route(re.compile(rf"/blobs/{lost}$"), lambda route: route.fulfill(status=404))
    other = picture_make("dates")
    episode.steps.filter(index=2).update(screenshot=other)
    opened(page, f"/episodes/{episode.pk}/steps/2#changes")
    expect(page.locator(".changes .picture-none")).to_contain_text("One of the two pictures is missing")
    expect(page.get_by_role("button", name="Blink")).to_have_count(0)
    keep(page, "missing-changed")


def test_without_scripts_alternative_texts_describe_missing_pictures(
    lab_page: LabPage, episode: Episode
) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto(f"/episodes/{episode.pk}/steps/2")
    expect(page.get_by_role("img", name="The page before the action of step 2")).to_be_visible()
    keep(page, "missing-no-scripts")
    page.goto(f"/episodes/{episode.pk}/")
    expect(page.get_by_role("img", name="Screenshot of step 2")).to_be_visible()


def test_a_screenshot_that_was_never_uploaded_is_not_marked_as_lost(
    lab_page: LabPage, episode: Episode
) -> None:
    Blob.objects.filter(pk=episode.steps.get(index=2).screenshot).delete()
    page = lab_page()
    opened(page, f"/episodes/{episode.pk}/steps/2")
    expect(page.locator(".shot-none")).to_have_text("It was announced but has not been uploaded.")
