"""Labelling in a real browser, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.annotation import scene
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled
from trajectories.annotation.queues import golds
from trajectories.models import AnnotationProject, Label

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

KEYS = ("1", "q", "a", "c")
VALUES = {"type": "reasoning", "target": "problem", "behaviours": ["plan"], "contradiction": "none"}


@pytest.fixture
def project(transactional_db: None) -> AnnotationProject:
    owner = User.objects.create_user("owner", is_staff=True)
    return scene.project(owner, of=scene.episodes(4, steps=10))


@pytest.fixture
def page(lab_page: Callable[..., Page], project: AnnotationProject) -> Page:
    made = lab_page(viewport={"width": 1440, "height": 900})
    made.goto(f"/annotation/{project.pk}/queue")
    settled(made)
    return made


def unit(page: Page) -> str:
    return str(page.locator("#unit").get_attribute("data-slot"))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def label_next(page: Page) -> None:
    """Label the unit in front and wait for the next."""
    before = unit(page)
    press(page, *KEYS, "Enter")
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", before)


def all_saved(page: Page, count: int) -> None:
    expect(page.locator("[data-done]")).to_have_text(str(count))
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('palaestra:label:'))"
    )


def test_thirty_units_by_keyboard_alone_with_an_undo_and_a_lost_connection(
    page: Page, project: AnnotationProject
) -> None:
    for _ in range(10):
        label_next(page)
    # Back to the one before, and another answer.
    first = unit(page)
    press(page, "1", "Backspace", "Backspace")
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", first)
    expect(page.get_by_role("radio", name="Reasoning")).to_be_checked()
    press(page, "2", "Enter")
    expect(page.locator("#unit")).to_have_attribute("data-slot", first)
    expect(page.get_by_role("radio", name="Reasoning")).not_to_be_checked()
    all_saved(page, 10)

    # What was fetched ahead can be labelled without a connection.
    expect(page.locator("[data-queue]")).to_have_attribute("data-ahead", "2")
    page.context.set_offline(True)
    for _ in range(2):
        label_next(page)
    last = unit(page)
    press(page, *KEYS, "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Not connected")
    assert Label.objects.count() == 11
    page.context.set_offline(False)
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", last)
    for _ in range(17):
        label_next(page)
    all_saved(page, 30)

    labels = Label.objects.order_by("pk")
    assert labels.values("unit").distinct().count() == 30
    corrected = labels.get(version=2)
    assert corrected.values == {**VALUES, "type": "narration"}
    assert [one.values for one in labels if one.pk != corrected.pk] == [VALUES] * 30
    assert all(one.active_ms is not None for one in labels)
    assert project.slots.filter(done_at__isnull=False).count() == 30


def test_choices_outlive_a_reload_and_incomplete_ones_are_not_saved(page: Page) -> None:
    press(page, "3", "w", "n")
    page.keyboard.type("qwe")
    press(page, "Escape", "u")
    page.reload()
    settled(page)
    expect(page.get_by_role("radio", name="Mixed")).to_be_checked()
    expect(page.get_by_label("Note")).to_have_value("qwe")
    expect(page.get_by_role("checkbox", name="Unsure")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("[data-status]")).to_have_text("No answer yet: Contradiction.")
    press(page, "c", "Enter")
    expect(page.locator("[data-status]")).to_have_text("Mark the sentences that reason.")
    press(page, "Space", "Enter")
    all_saved(page, 1)
    assert Label.objects.get().spans[0][0] == 0


def test_a_thought_without_a_sentence_is_not_mixed_and_the_end_leaves_nothing_open(
    lab_page: Callable[..., Page], transactional_db: None
) -> None:
    owner = User.objects.create_user("owner", is_staff=True)
    project = scene.project(owner, of=scene.episodes(1, steps=1, thought="..."))
    page = lab_page()
    page.goto(f"/annotation/{project.pk}/queue")
    settled(page)
    press(page, "3", "w", "c", "Enter")
    expect(page.locator("[data-status]")).to_contain_text("no sentence that could be marked")
    press(page, "?")
    expect(page.get_by_role("dialog")).to_contain_text("Backspace")
    press(page, "Escape", "4", "?")
    # The key comes before the next frame, until which the focus is on the button of the closed dialog.
    page.get_by_role("dialog").evaluate(
        """(dialog) => {
          dialog.close();
          const press = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
          document.activeElement.dispatchEvent(press);
        }"""
    )
    expect(page.locator("#unit[data-end]")).to_be_visible()
    expect(page.locator("[data-status]")).to_be_empty()
    expect(page.locator("[data-left]")).to_have_text("0")


def test_two_tabs_overwrite_nothing(page: Page, project: AnnotationProject) -> None:
    other = page.context.new_page()
    other.goto(f"/annotation/{project.pk}/queue")
    settled(other)
    expect(page.locator("[data-notice]")).to_contain_text("also open in another tab")
    assert unit(page) == unit(other)
    label_next(page)
    all_saved(page, 1)
    press(other, "2", "e", "v", "Enter")
    notice = other.locator("[data-notice]")
    expect(notice).to_contain_text(
        "The other label: Reasoning, The problem, Plan, None. Your choices here are not lost."
    )
    assert Label.objects.get().values == VALUES
    notice.get_by_role("link", name="Open the unit").click()
    settled(other)
    expect(other.get_by_role("radio", name="Procedural narration")).to_be_checked()
    expect(notice).to_contain_text("Saved: Reasoning, The problem, Plan, None.")
    press(other, "Enter")
    other.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('palaestra:label:'))"
    )
    assert [one.values["type"] for one in Label.objects.order_by("version")] == ["reasoning", "narration"]


def test_a_gold_unit_is_answered_beside_the_next_one(page: Page, project: AnnotationProject) -> None:
    expect(page.locator("[data-queue]")).to_have_attribute("data-ahead", "2")
    for gold in project.units.order_by("position")[6:8]:
        golds.gold_set(gold, values={**VALUES, "target": "both"}, why="It counts rooms on a page.")
    for _ in range(3):
        label_next(page)
    feedback = page.locator("[data-feedback]")
    expect(feedback).to_have_text("")
    for _ in range(2):
        label_next(page)
        expect(feedback).to_contain_text("3 of 4 answers agree")
    expect(feedback).to_contain_text("The problem; the right answer is Both")
    expect(feedback.get_by_role("heading")).to_have_count(1)
    label_next(page)
    expect(feedback).to_have_text("")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_have_no_grave_faults(
    lab_page: Callable[..., Page], project: AnnotationProject, scheme: str
) -> None:
    page = lab_page(color_scheme=scheme, viewport={"width": 400, "height": 800})
    for path in (
        "",
        "new",
        f"{project.pk}/",
        f"{project.pk}/queue",
        f"{project.pk}/codebook",
        f"{project.pk}/agreement",
        f"{project.pk}/golds",
        f"{project.pk}/views",
        f"{project.pk}/machines",
        f"{project.pk}/rates",
    ):
        page.goto(f"/annotation/{path}")
        settled(page)
        assert axe.violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
