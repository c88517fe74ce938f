"""Whole trajectories and pairs in a real browser, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.annotation import scene
from tests.e2e import axe
from tests.e2e.test_annotation import all_saved, press, unit
from tests.e2e.test_lab_pages import settled
from trajectories.models import AnnotationProject, Label

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LEVELS = ("trajectory", "trajectory_pair")


@pytest.fixture
def projects(transactional_db: None) -> dict[str, AnnotationProject]:
    owner = User.objects.create_user("owner", is_staff=True)
    made = scene.attempts(3, steps=4)
    return {kind: scene.project(owner, of=made, kind=kind, overlap_people=1) for kind in LEVELS}


def opened(lab_page: Callable[..., Page], project: AnnotationProject) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/annotation/{project.pk}/queue")
    settled(page)
    return page


def shown(page: Page, place: int = 0) -> str | None:
    return page.locator("[data-walk]").nth(place).locator("details[open]").get_attribute("data-step")


def save(page: Page, *, is_last: bool) -> None:
    before = unit(page)
    press(page, "Enter")
    if is_last:
        expect(page.get_by_role("heading", name="Nothing left to label")).to_be_visible()
    else:
        expect(page.locator("#unit")).not_to_have_attribute("data-slot", before)


def test_a_long_trajectory_is_walked_page_by_page_and_the_answers_stay(
    lab_page: Callable[..., Page], projects: dict[str, AnnotationProject], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.annotation.pages.trajectory_unit.STEPS_SHOWN", 2)
    page = opened(lab_page, projects["trajectory"])
    before = unit(page)
    press(page, "1", "q", "h", "h")
    expect(page.locator("[data-walk] details[open]")).to_have_attribute("data-step", "3")
    expect(page.get_by_role("radio", name="Succeeded")).to_be_checked()
    press(page, "h", "x", "Enter")
    # Of a unit that was fetched ahead, too.
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", before)
    press(page, "h", "h")
    expect(page.locator("[data-walk] details[open]")).to_have_attribute("data-step", "3")
    all_saved(page, 1)
    assert Label.objects.get().values["first_wrong_step"] == 4


def test_three_trajectories_by_keyboard_alone(
    lab_page: Callable[..., Page], projects: dict[str, AnnotationProject]
) -> None:
    page = opened(lab_page, projects["trajectory"])
    press(page, "1", "q", "h", "h", "g", "x")
    assert shown(page) == "2"
    expect(page.get_by_role("spinbutton", name="First wrong step")).to_have_value("2")
    # The step that is open is taken, also if the answer was there before.
    press(page, "h", "x")
    save(page, is_last=False)
    press(page, "2", "w", "z")
    save(page, is_last=False)
    press(page, "3", "e", "z", "x", "Backspace")
    expect(page.get_by_role("radio", name="None").last).to_be_checked()
    save(page, is_last=True)
    all_saved(page, 3)
    values = [label.values for label in Label.objects.order_by("pk")]
    assert values == [
        {"success": "succeeded", "loops": "none", "first_wrong_step": 3},
        {"success": "failed", "loops": "actions", "first_wrong_step": "none"},
        {"success": "partly", "loops": "pages", "first_wrong_step": "none"},
    ]


def test_three_pairs_by_keyboard_alone(
    lab_page: Callable[..., Page], projects: dict[str, AnnotationProject]
) -> None:
    page = opened(lab_page, projects["trajectory_pair"])
    for count in range(3):
        press(page, "h", "h", "l")
        assert (shown(page, 0), shown(page, 1)) == ("3", "2")
        first = page.get_by_role("region", name="The first").locator(".walk-body .thought").first
        better = (first.text_content() or "").rpartition(" ")[2].rstrip(".")
        press(page, "1", "e", "t")
        save(page, is_last=count == 2)
        all_saved(page, count + 1)
        label = Label.objects.select_related("unit").latest("pk")
        places = {"first": label.unit.episode_id, "second": label.unit.other_episode_id}
        assert str(places[label.values["better"]]) == better
        assert label.values["why"] == ["goal", "true_to_page"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_forms_have_no_grave_faults(
    lab_page: Callable[..., Page], projects: dict[str, AnnotationProject], scheme: str
) -> None:
    page = lab_page(color_scheme=scheme, viewport={"width": 400, "height": 800})
    for kind, project in projects.items():
        for path in ("queue", "agreement", "codebook", ""):
            page.goto(f"/annotation/{project.pk}/{path}")
            settled(page)
            assert axe.violations(page) == [], (kind, path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (kind, path)
