"""Two annotators and an adjudicator finish a project by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from tests.annotation import scene
from tests.annotation.adjudication.test_adjudication import say, units
from tests.e2e import axe
from tests.e2e.test_annotation import press
from tests.e2e.test_lab_pages import settled
from trajectories.annotation.adjudication.selectors import list_disagreements
from trajectories.annotation.projects.services import annotator_add
from trajectories.models import AnnotationProject, CodebookNote, Label, StepMark
from trajectories.shell import roles

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
UNITS = 3
ONE, OTHER = ("1", "q", "a", "c"), ("2", "w", "c")
SIZE = {"width": 1440, "height": 900}


@pytest.fixture
def people(transactional_db: None) -> list[User]:
    return [scene.labeller("first"), scene.labeller("second")]


@pytest.fixture
def judge(transactional_db: None) -> User:
    user = User.objects.create_user("judge")
    roles.adjudicator_make(user)
    return user


@pytest.fixture
def project(people: list[User], judge: User) -> AnnotationProject:
    made = scene.project(*people, of=scene.episodes(1, steps=UNITS))
    annotator_add(made, judge)
    return made


def queue_finish(page: Page, keys: tuple[str, ...]) -> None:
    """Label all units of a queue alike."""
    for _ in range(UNITS):
        before = str(page.locator("#unit").get_attribute("data-slot"))
        press(page, *keys, "Enter")
        expect(page.locator("#unit")).not_to_have_attribute("data-slot", before)
    expect(page.locator("#unit")).to_contain_text("Nothing left to label")


def test_two_annotators_and_an_adjudicator_finish_a_project_by_keyboard(
    lab_page: Callable[..., Page], project: AnnotationProject, people: list[User], judge: User
) -> None:
    for user, keys in zip(people, (ONE, OTHER), strict=True):
        page = lab_page(user=user, viewport=SIZE)
        page.goto(f"/annotation/{project.pk}/queue")
        settled(page)
        queue_finish(page, keys)
    assert len(list_disagreements(project)) == UNITS

    page = lab_page(user=judge, viewport=SIZE)
    page.goto(f"/annotation/{project.pk}/disagreements")
    settled(page)
    press(page, "j")
    # All answers of the first column, and one that is changed.
    page.wait_for_url("**/disagreements/*")
    settled(page)
    press(page, "a", "Enter")
    first = page.url
    assert page.evaluate("document.activeElement.name") == "reason"
    press(page, "2", "S", "N")
    page.keyboard.type("Say more")
    press(page, "Enter")
    page.wait_for_url(lambda url: url != first)
    for key in ("b", "a"):
        settled(page)
        before = page.url
        press(page, key, "T", "Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    expect(page.get_by_role("heading", name="Everything is settled")).to_be_visible()

    made = Label.objects.filter(layer="adjudicated").order_by("pk")
    assert [one.reason for one in made] == ["slip", "truly_ambiguous", "truly_ambiguous"]
    assert made[0].values["type"] == "narration"
    blind = Label.objects.filter(layer="blind")
    assert all(blind.filter(unit=one.unit, values=one.values).exists() for one in made[1:])
    assert CodebookNote.objects.get().text == "Say more"
    assert blind.count() == 2 * UNITS


def test_keys_pressed_while_a_unit_is_settled_are_meant_for_no_other(
    lab_page: Callable[..., Page], project: AnnotationProject, judge: User
) -> None:
    for unit in units(project):
        say(unit, "first", type="narration")
        say(unit, "second")
    page = lab_page(user=judge, viewport=SIZE)
    page.goto(f"/annotation/{project.pk}/disagreements")
    settled(page)
    press(page, "j")
    page.wait_for_url("**/disagreements/*")
    settled(page)
    first = page.url
    held: list[Route] = []
    page.route(re.compile(r"/settle(\?|$)"), lambda route: held.append(route))
    press(page, "a", "S", "n")
    page.keyboard.type("because")
    press(page, "Enter")
    while not held:
        page.wait_for_timeout(10)
    page.keyboard.type("u k b")
    press(page, "Enter")
    page.wait_for_timeout(200)
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_url(lambda url: url != first)
    settled(page)
    assert "/disagreements/" in page.url
    assert Label.objects.get(layer="adjudicated").note == "because"


def test_a_step_is_bookmarked_by_keyboard(lab_page: Callable[..., Page], project: AnnotationProject) -> None:
    episode = project.units.earliest("pk").episode_id
    page = lab_page(viewport=SIZE)
    page.goto(f"/episodes/{episode}/steps/2")
    settled(page)
    press(page, "m")
    expect(page.get_by_role("button", name="Bookmarked")).to_be_visible()
    settled(page)
    press(page, "e")
    expect(page.get_by_label("Note", exact=True)).to_be_focused()
    page.keyboard.type("Look here")
    press(page, "Control+Enter")
    expect(page.get_by_text("Look here").first).to_be_visible()
    expect(page.locator("#steps").get_by_text("bookmarked")).to_have_count(1)
    assert StepMark.objects.get().note == "Look here"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_have_no_grave_faults(
    lab_page: Callable[..., Page], project: AnnotationProject, scheme: str
) -> None:
    unit = units(project)[0]
    say(unit, "first", note="Sure?")
    say(unit, "second", type="narration", is_unsure=True)
    owner = User.objects.create_user("owner", is_staff=True)
    annotator_add(project, owner)
    project.annotators.filter(user=owner).update(is_adjudicator=True)
    StepMark.objects.create(user=owner, episode_id=unit.episode_id, step=1, note="Look")
    page = lab_page(color_scheme=scheme, viewport={"width": 400, "height": 800})
    for path in (
        f"/annotation/{project.pk}/",
        f"/annotation/{project.pk}/disagreements",
        f"/annotation/{project.pk}/disagreements/{unit.pk}",
        f"/annotation/{project.pk}/units/{unit.pk}/history",
        "/bookmarks/",
        f"/episodes/{unit.episode_id}/steps/1",
    ):
        page.goto(path)
        settled(page)
        assert axe.violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
