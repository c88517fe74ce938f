"""The timeline on the page of an episode."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.lab.long_scene import long_episode
from trajectories.behaviour.facts import store
from trajectories.models import PageEvent, Step
from trajectories.shell.queries import step_facts

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

NAMES = '".frame-number, .frame-range .frame-name"'
LabPage = Callable[..., Page]


def opened(page: Page, episode_id: int) -> None:
    page.goto(f"/episodes/{episode_id}/")
    settled(page)


def test_keys_lead_from_the_timeline_to_the_steps(lab_page: LabPage) -> None:
    long = long_episode(steps=1200, pictures=0)
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, long.pk)
    strip = page.get_by_role("navigation", name="Timeline")
    frames = strip.get_by_role("link")
    expect(frames.first).to_be_visible()
    expect(strip.locator("[aria-current]")).to_have_count(0)
    page.get_by_role("link", name="1 type").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name=re.compile("^2 "))).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("link", name=re.compile("^1200 "))).to_be_focused()
    assert frames.count() < 40
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/steps/1199$"))


def test_only_one_frame_of_the_timeline_is_a_tab_stop(lab_page: LabPage) -> None:
    page = lab_page()
    opened(page, long_episode(steps=30, pictures=0).pk)
    expect(page.locator(".timeline-track a[tabindex='0']")).to_have_count(1)


def test_a_timeline_that_starts_at_a_late_step_shows_its_first_steps(lab_page: LabPage) -> None:
    episode = factories.episode()
    for index in (700, 702):
        factories.step(episode, index, thought="Late.")
    page = lab_page()
    opened(page, episode.pk)
    strip = page.get_by_role("navigation", name="Timeline")
    expect(strip.get_by_role("link", name=re.compile("^700 "))).to_be_visible()
    strip.get_by_role("link", name=re.compile("^700 ")).focus()
    page.keyboard.press("ArrowRight")
    expect(strip.get_by_role("link", name=re.compile("^702 "))).to_be_focused()


def test_a_range_of_missing_steps_is_one_cell(lab_page: LabPage) -> None:
    episode = factories.episode(max_steps=11)
    for index in (1, 2, 3, 10_000):
        factories.step(episode, index)
    page = lab_page()
    opened(page, episode.pk)
    strip = page.get_by_role("navigation", name="Timeline")
    expect(strip.locator(".frame-missing")).to_have_text(["9,996 not recorded"])
    expect(strip.locator(".frame-range .frame-name")).to_have_text("4–9999")
    expect(strip.get_by_role("link")).to_have_count(4)
    assert strip.evaluate("view => view.scrollWidth <= view.clientWidth")
    strip.get_by_role("link", name=re.compile("^3 ")).focus()
    page.keyboard.press("ArrowRight")
    expect(strip.get_by_role("link", name=re.compile("^10000 "))).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(strip.get_by_role("link", name=re.compile("^3 "))).to_be_focused()


def test_a_timeline_with_missing_steps_leads_to_every_step(lab_page: LabPage) -> None:
    episode = factories.episode(max_steps=4000)
    indexes = [*range(1, 1000), *range(2000, 2010), 2012, *range(3000, 4001)]
    Step.objects.bulk_create(Step(episode=episode, index=index, content_hash=b"\0" * 16) for index in indexes)
    page = lab_page()
    opened(page, episode.pk)
    page.get_by_role("link", name=re.compile("^1 ")).focus()
    page.keyboard.press("End")
    expect(page.get_by_role("link", name=re.compile("^4000 "))).to_be_focused()
    strip = page.get_by_role("navigation", name="Timeline")
    strip.evaluate("view => { view.scrollLeft = 1000 * 80 }")
    for number in ("998", "2008", "3001"):
        expect(strip.get_by_text(number, exact=True)).to_be_visible()
    expect(strip.locator(".frame-wait")).to_have_count(0)
    middle = strip.evaluate(
        """view => [...view.querySelectorAll(".timeline-track > li:not(.timeline-end)")]
          .map(cell => [parseFloat(cell.style.insetInlineStart) / 80, cell.querySelector(NAMES).textContent])
          .filter(([place]) => place >= 997 && place <= 1014)
          .sort((one, other) => one[0] - other[0]).map(([, name]) => name)""".replace("NAMES", NAMES)
    )
    numbers = ["998", "999", "1000–1999", *map(str, range(2000, 2010)), "2010–2011", "2012"]
    assert middle == [*numbers, "2013–2999", "3000", "3001"]


def test_the_timeline_of_an_open_episode_shows_which_steps_are_not_checked_yet(
    lab_page: LabPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_facts, "STEPS_MAX", 2)
    episode = factories.episode()
    for index in range(1, 4):
        factories.step(episode, index)
    page = lab_page()
    opened(page, episode.pk)
    strip = page.get_by_role("navigation", name="Timeline")
    later = "checked after the episode ends"
    expect(strip.get_by_role("link", name=re.compile(f"^1 .*{later}"))).to_be_visible()
    expect(strip.get_by_title(later)).to_have_count(1)


def test_an_episode_without_steps_has_no_timeline(lab_page: LabPage) -> None:
    page = lab_page()
    opened(page, factories.episode().pk)
    expect(page.get_by_role("navigation", name="Timeline")).to_have_count(0)


@pytest.mark.parametrize("width", [1440, 400])
def test_lists_show_the_number_of_recorded_steps_and_of_the_last(lab_page: LabPage, width: int) -> None:
    episode = factories.episode(max_steps=11)
    for index in (1, 2, 3, 10_000):
        factories.step(episode, index)
    page = lab_page(viewport={"width": width, "height": 900})
    page.goto(f"/tasks/{episode.task_id}/")
    cell = page.locator(f"#row-{episode.pk} [data-label=Steps]")
    expect(cell).to_have_text(re.compile(r"^\s*4\s*/ 11\s*last is 10,000\s*$"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_timeline_links_without_scripts(lab_page: LabPage) -> None:
    episode = long_episode(steps=20, pictures=0)
    page = lab_page(java_script_enabled=False)
    page.goto(f"/episodes/{episode.pk}/")
    page.get_by_role("navigation", name="Timeline").get_by_role("link").nth(2).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 3")


def test_pictures_of_steps_are_aligned_below_each_other(lab_page: LabPage) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, long_episode(steps=6, pictures=1).pk)
    expect(page.locator(".step-end").get_by_text("no_target")).to_be_visible()
    pictures = page.locator(".step-thumbnail")
    assert len({box["x"] for one in pictures.all() if (box := one.bounding_box())}) == 1


@pytest.mark.parametrize("width", [1440, 400])
def test_wide_step_numbers_do_not_overlap_their_thoughts(lab_page: LabPage, width: int) -> None:
    episode = factories.episode(max_steps=11)
    for index in (1, 2, 100_000):
        factories.step(episode, index, thought="I read the page.")
    page = lab_page(viewport={"width": width, "height": 900})
    opened(page, episode.pk)
    expect(page.get_by_text("3 recorded, the last one is 100,000 of at most 11")).to_be_visible()
    row = page.locator("#step-100000")
    ends = row.evaluate(
        """row => {
          const words = document.createRange();
          words.selectNodeContents(row.querySelector(".step-link"));
          const thought = row.querySelector(".step-thought").getBoundingClientRect();
          return [words.getBoundingClientRect().right, thought.left];
        }"""
    )
    assert ends[0] < ends[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_frames_of_the_timeline_have_the_same_signs_as_the_list(lab_page: LabPage) -> None:
    episode = factories.episode()
    actions = [
        ({"type": "click", "target": "e9"}, "ok"),
        ({"type": "press", "key": "a"}, "refused"),
        (None, ""),
    ]
    for index, (action, result) in enumerate(actions, start=1):
        kind = action["type"] if action else ""
        factories.step(episode, index, action=action, action_type=kind, action_result=result)
    for seq, (step, kind) in enumerate([(1, "scroll"), (3, "key")], start=1):
        PageEvent.objects.create(episode=episode, page="p", seq=seq, step=step, kind=kind, at_ms=seq, data={})
    store.facts_compute([episode.pk])
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, episode.pk)
    expect(page.locator(".frame-check")).to_have_text(
        ["∅ Action had no effect", "∅ Not performed", "+ Unexplained events"]
    )
    frames = page.get_by_role("navigation", name="Timeline").get_by_role("link")
    expect(frames.nth(1)).to_have_attribute("title", re.compile("refused · Not performed"))
    expect(page.locator(".step-did .tag-warn")).to_have_text(
        ["∅ Action had no effect", "∅ Not performed", "+ Unexplained events"]
    )
