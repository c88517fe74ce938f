"""Labels on their way to a server that does not answer, or does not take them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from tests.annotation import scene
from tests.e2e import axe
from tests.e2e.test_annotation import KEYS, VALUES, all_saved, label_next, press, unit
from tests.e2e.test_lab_pages import settled
from trajectories.models import Label

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(lab_page: Callable[..., Page], transactional_db: None) -> Page:
    owner = User.objects.create_user("owner", is_staff=True)
    project = scene.project(owner, of=scene.episodes(2, steps=5))
    made = lab_page(viewport={"width": 1440, "height": 900})
    made.goto(f"/annotation/{project.pk}/queue")
    settled(made)
    return made


def test_choices_made_after_an_unsent_label_outlive_it(page: Page) -> None:
    expect(page.locator("[data-queue]")).to_have_attribute("data-ahead", "2")
    page.context.set_offline(True)
    first = unit(page)
    label_next(page)
    press(page, "Backspace", "2")
    expect(page.get_by_role("radio", name="Procedural narration")).to_be_checked()
    page.context.set_offline(False)
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('palaestra:label:'))"
    )
    assert Label.objects.get().values == VALUES
    page.goto(f"{page.url}?slot={first}")
    settled(page)
    expect(page.get_by_role("radio", name="Procedural narration")).to_be_checked()
    press(page, "Enter")
    all_saved(page, 1)
    assert [one.values["type"] for one in Label.objects.order_by("version")] == ["reasoning", "narration"]


def test_keys_pressed_while_the_next_unit_is_awaited_change_no_label(page: Page) -> None:
    expect(page.locator("[data-queue]")).to_have_attribute("data-ahead", "2")
    held: list[Route] = []
    page.route(re.compile("[?&]fragment"), lambda route: held.append(route))
    for _ in range(2):
        label_next(page)
    last = unit(page)
    press(page, *KEYS, "n")
    page.keyboard.type("of the third")
    press(page, "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Loading the next unit")
    page.keyboard.type(" and on, 2")
    press(page, "Enter", "k")
    all_saved(page, 3)
    for route in held:
        route.continue_()
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", last)
    assert page.locator("#unit :checked").count() == 0
    expect(page.locator("#note")).to_have_value("")
    assert [one.note for one in Label.objects.order_by("pk")] == ["", "", "of the third"]
    press(page, "Backspace")
    expect(page.locator("#unit")).to_have_attribute("data-slot", last)
    expect(page.locator("#note")).to_have_value("of the third")
    press(page, "Enter")
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", last)


def test_undo_while_the_next_unit_is_awaited_leads_back_to_the_last(page: Page) -> None:
    expect(page.locator("[data-queue]")).to_have_attribute("data-ahead", "2")
    page.route(re.compile("[?&]fragment"), lambda route: route.abort())
    for _ in range(2):
        label_next(page)
    last = unit(page)
    press(page, *KEYS, "Enter", "Backspace", "2", "Enter")
    page.unroute(re.compile("[?&]fragment"))
    expect(page.locator("#unit")).not_to_have_attribute("data-slot", last)
    all_saved(page, 3)
    assert [one.values["type"] for one in Label.objects.order_by("pk")][-2:] == ["reasoning", "narration"]


def test_a_label_that_is_refused_overwrites_nothing_written_since(page: Page) -> None:
    held: list[Route] = []
    page.route("**/label", lambda route: held.append(route))
    first = unit(page)
    label_next(page)
    press(page, "Backspace", "n")
    page.keyboard.type("written since")
    while not held:
        page.wait_for_timeout(10)
    held[0].fulfill(
        status=422, content_type="application/json", body='{"error": {"code": "x", "message": "No."}}'
    )
    expect(page.locator("[data-notice]")).to_contain_text("Your choices here are not lost")
    page.goto(f"{page.url}?slot={first}")
    settled(page)
    expect(page.locator("#note")).to_have_value("written since")


@pytest.mark.parametrize("status", [404, 500])
def test_a_label_that_the_server_never_takes_blocks_no_other(page: Page, status: int) -> None:
    first = unit(page)
    key: list[str] = []

    def answer(route: Route) -> None:
        body = route.request.post_data or ""
        sent = parse_qs(body)["key"][0]
        key.append(sent)
        if sent == key[0]:
            route.fulfill(status=status, content_type="text/html", body="<h1>No</h1>")
        else:
            route.continue_()

    page.route("**/label", answer)
    for _ in range(3):
        label_next(page)
    aside = page.get_by_role("region", name="Labels refused by the server")
    expect(aside).to_be_visible()
    expect(aside.get_by_role("textbox")).to_have_value(re.compile("Reasoning, The problem, Plan"))
    page.wait_for_function(
        "() => !Object.keys(localStorage).some((name) => name.startsWith('palaestra:label:'))"
    )
    assert Label.objects.count() == 2
    assert axe.violations(page) == []
    page.unroute("**/label")
    aside.get_by_role("button", name="Try again").click()
    expect(aside).to_be_hidden()
    all_saved(page, 3)
    assert Label.objects.filter(unit__slots__public_id=first).count() == 1


def test_a_label_set_aside_can_be_discarded(page: Page) -> None:
    page.route("**/label", lambda route: route.fulfill(status=404, body=""))
    label_next(page)
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("[data-aside]")).to_be_hidden()
    page.reload()
    settled(page)
    expect(page.locator("[data-aside]")).to_be_hidden()
    assert Label.objects.count() == 0
