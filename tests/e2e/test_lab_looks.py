"""The layout of the lab: nothing is cut off, figures are aligned, and opened sections are in view."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import factories
from tests.e2e.test_lab_pages import settled
from tests.lab import long_scene
from tests.lab.long_scene import long_episode
from trajectories.models import Episode, SiteEvent, Verdict

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
PHONE = {"width": 400, "height": 800}
DESK = {"width": 1440, "height": 900}
TWO_LINES = 72
NAME = "Full recordings: a run with the long name that its sweep gave it, temperature 1.0"
SIDES = "one => (({ left, right, top, bottom }) => [left, right, top, bottom])(one.getBoundingClientRect())"


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    """A judged episode of 12 steps with a long reason, in a run with a long name."""
    made = long_episode(steps=12, run=factories.run(name=NAME, simulated=True))
    Verdict.objects.filter(episode=made).update(reason="unparsable_answer")
    SiteEvent.objects.create(episode=made, seq=500, step=6, kind="answer_recorded", data={})
    return made


def sides(one: Locator) -> tuple[float, float, float, float]:
    """Left, right, top and bottom, in pixels of the window."""
    left, right, top, bottom = one.evaluate(SIDES)
    return left, right, top, bottom


def opened(page: Page, path: str) -> None:
    page.goto(path)
    settled(page)


@pytest.mark.parametrize("window", [PHONE, DESK])
def test_the_outcome_at_the_end_of_a_timeline_is_never_cut(
    lab_page: LabPage, episode: Episode, window: dict[str, int]
) -> None:
    page = lab_page(viewport=window)
    opened(page, f"/episodes/{episode.pk}/")
    pill = page.locator("[data-ending] .tag")
    expect(pill).to_be_visible()
    view = page.locator("[data-timeline]")
    left, right, _, _ = sides(pill)
    assert sides(view)[0] <= left
    assert right <= sides(view)[1]


def test_the_outcome_does_not_cover_the_focused_frame(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/")
    page.locator(".timeline-track a").first.focus()
    for _ in range(11):
        page.keyboard.press("ArrowRight")
        frame = page.locator(".timeline-track a:focus")
        assert sides(frame)[1] <= sides(page.locator("[data-ending] .tag"))[0] + 1


def test_the_visible_part_of_a_frame_beside_the_outcome_can_be_tapped(
    lab_page: LabPage, episode: Episode
) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/")
    page.locator("[data-ending]").scroll_into_view_if_needed()
    left, _, top, _ = sides(page.locator("[data-ending]"))
    page.mouse.click(left + 2, top + 20)
    expect(page.locator("#step")).to_have_attribute("data-step", "4")


def test_a_frame_without_a_picture_is_not_blank(lab_page: LabPage, transactional_db: None) -> None:
    page = lab_page()
    opened(page, f"/episodes/{long_episode(steps=3, pictures=0).pk}/")
    expect(page.locator(".frame-blank").first).to_have_css("background-image", re.compile("gradient"))


def test_no_tab_makes_a_step_wider_than_a_phone(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/steps/6")
    tabs = page.get_by_role("tab").all()
    keys = [tab.get_attribute("data-keys") or "" for tab in tabs]
    assert {"1", "0"} <= {*keys}
    for key, tab in zip(keys, tabs, strict=True):
        page.keyboard.press(key)
        expect(tab).to_have_attribute("aria-selected", "true")
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], key


def test_the_open_tab_is_in_view_on_a_phone(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/steps/6#json")
    chosen = page.get_by_role("tab", selected=True)
    expect(chosen).to_contain_text("Raw and JSON")
    left, right, _, _ = sides(chosen)
    assert left >= 0
    assert right <= PHONE["width"]


def test_a_section_opened_by_a_key_comes_into_view(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=DESK)
    opened(page, f"/episodes/{episode.pk}/steps/6")
    page.keyboard.press("5")
    _, _, top, bottom = sides(page.locator(".panel.is-open"))
    assert bottom - top >= 200
    assert bottom <= DESK["height"]
    page.keyboard.press("i")
    expect(page.locator(".question")).to_be_in_viewport(ratio=0.99)


def test_events_need_no_sideways_scrolling_on_a_phone(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/steps/6#server")
    panel = page.get_by_role("tabpanel", name="Site events")
    kind = panel.get_by_role("rowheader", name="answer_recorded")
    left, _, top, bottom = sides(kind)
    assert bottom - top < 40
    box = panel.get_by_role("region", name="Events")
    assert box.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert left >= sides(box)[0]


def test_plots_of_a_column_are_aligned(lab_page: LabPage, transactional_db: None) -> None:
    run = factories.run()
    for arm, count in (("gym", 7), ("text_agent", 1)):
        for number in range(count):
            episode = factories.episode(run=run, arm=arm)
            factories.submission(episode)
            factories.verdict(episode, outcome="correct" if number % 2 else "incorrect")
    page = lab_page(viewport=DESK)
    opened(page, f"/runs/{run.pk}/")
    plots = page.locator("[aria-labelledby=result] .card-flush").first.locator(".rate-plot")
    starts = {round(sides(plot)[0]) for plot in plots.all()}
    assert plots.count() == 2
    assert len(starts) == 1


@pytest.mark.parametrize("tab", ["usage", "measures"])
def test_figures_of_a_row_are_aligned(lab_page: LabPage, episode: Episode, tab: str) -> None:
    page = lab_page(viewport=DESK)
    opened(page, f"/episodes/{episode.pk}/steps/6#{tab}")
    rows: dict[int, set[int]] = {}
    for figure in page.locator(".panel.is-open .figures > div").all():
        top = round(sides(figure)[2])
        rows.setdefault(top, set()).add(round(sides(figure.locator("dd"))[2]))
    assert rows
    assert all(len(places) == 1 for places in rows.values())


def test_a_run_in_a_list_fills_the_width_of_a_phone(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, "/search")
    link = page.get_by_role("link", name=NAME)
    _, _, top, bottom = sides(link.first)
    assert bottom - top < 80


def test_a_picture_in_a_comparison_keeps_its_aspect_ratio(
    lab_page: LabPage, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_scene, "SIZE", (1280, 720))
    pair = long_episode(steps=1), long_episode(steps=1)
    page = lab_page(viewport=DESK)
    opened(page, f"/compare?episodes={pair[0].pk},{pair[1].pk}")
    picture = page.locator(".compare-shot").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    shape = "one => one.clientWidth / one.clientHeight - one.naturalWidth / one.naturalHeight"
    assert abs(picture.evaluate(shape)) < 0.02


def test_breadcrumbs_take_one_line_on_a_phone(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=PHONE)
    opened(page, f"/episodes/{episode.pk}/steps/6")
    _, right, top, bottom = sides(page.get_by_role("navigation", name="Where this is"))
    assert bottom - top < 32
    assert sides(page.get_by_role("link", name=f"episode {episode.pk}"))[1] <= right <= PHONE["width"]


def test_the_changed_area_is_framed_on_both_pictures(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=DESK)
    opened(page, f"/episodes/{episode.pk}/steps/6#changes")
    panel = page.get_by_role("tabpanel", name="Changes")
    expect(panel.locator(".wipe-old .mark-changed")).to_have_count(1)
    expect(panel.locator(".wipe-new .mark-changed")).to_have_count(1)
    slider = panel.get_by_role("slider")
    clip = "one => getComputedStyle(one).clipPath"
    slider.fill("0")
    assert panel.locator(".wipe-new").evaluate(clip) == "inset(0px 100% 0px 0px)"
    slider.fill("30")
    assert panel.locator(".wipe-new").evaluate(clip) == "inset(0px 70% 0px 0px)"


def test_an_episode_is_replayed_compared_and_shared_by_documented_keys(
    lab_page: LabPage, episode: Episode
) -> None:
    page = lab_page(viewport=DESK, permissions=["clipboard-read", "clipboard-write"])
    opened(page, f"/episodes/{episode.pk}/")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("replay from the first step")
    expect(sheet).to_contain_text("compare: add other episodes")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 1")
    settled(page)
    page.keyboard.press("?")
    expect(sheet.locator("dt", has_text="0–9")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare episodes")
    opened(page, f"/compare?episodes={episode.pk},{long_episode(steps=3).pk}")
    page.keyboard.press("c")
    expect(page.locator("[data-status]")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_buttons_step_through_the_differences_too(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(viewport=DESK)
    opened(page, f"/compare?episodes={episode.pk},{long_episode(steps=3).pk}")
    following = page.get_by_role("button", name="Next difference")
    rows = page.locator(".compare-row.is-differs[id]")
    assert rows.count() > 1
    for place in (0, 1):
        following.click()
        expect(rows.nth(place)).to_be_focused()
    page.get_by_role("button", name="Previous difference").click()
    expect(rows.nth(0)).to_be_focused()


@pytest.mark.parametrize("window", [PHONE, DESK])
def test_the_compare_bar_comes_into_view_with_the_first_selection(
    lab_page: LabPage, transactional_db: None, window: dict[str, int]
) -> None:
    for _ in range(25):
        factories.episode()
    page = lab_page(viewport=window)
    opened(page, "/search")
    button = page.get_by_role("button", name="Compare selected episodes")
    page.locator(".select-box").first.check()
    expect(button).to_be_in_viewport(ratio=1)
    page.locator(".select-box").nth(1).check()
    expect(page.get_by_text("2 selected", exact=True)).to_be_in_viewport(ratio=1)
    assert page.locator("form.compare-selected").evaluate("(bar) => bar.offsetHeight") < TWO_LINES


@pytest.mark.parametrize("path", ["/tasks/{0}/", "/runs/{1}/"])
def test_every_list_counts_its_selection(lab_page: LabPage, transactional_db: None, path: str) -> None:
    episode = factories.episode()
    page = lab_page()
    opened(page, path.format(episode.task_id, episode.run_id))
    page.get_by_role("checkbox").first.check()
    expect(page.get_by_text("1 selected", exact=True)).to_be_visible()


@pytest.mark.parametrize("window", [PHONE, DESK])
def test_a_long_task_key_does_not_squeeze_the_problem(
    lab_page: LabPage, transactional_db: None, window: dict[str, int]
) -> None:
    key = f"intermediate_algebra/{'0123456789abcdef' * 5}"
    factories.task(key=key, prompt="How many of these words can be read at once? " * 4)
    page = lab_page(viewport=window)
    opened(page, "/tasks/")
    problem, name = (page.locator(f"tbody [data-label={title}]") for title in ("Task", "Key"))
    (left, right, *_), (key_left, key_right, *_) = sides(problem), sides(name)
    assert right - left > key_right - key_left
    assert page.locator("tbody tr").bounding_box()["height"] < (40 if window is DESK else 300)


def test_going_to_a_missing_step_says_that_another_is_shown(lab_page: LabPage, episode: Episode) -> None:
    episode.steps.filter(index=4).delete()
    page = lab_page()
    opened(page, f"/episodes/{episode.pk}/steps/10")
    page.keyboard.press("g")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    text = "Step 4 was never recorded: 5 is the next one."
    notice = page.locator("[data-notice]")
    expect(notice).to_have_text(text)
    expect(page.locator("[data-status]")).to_contain_text(text)
    page.keyboard.press("k")
    expect(page.get_by_role("article")).to_have_attribute("data-step", "3")
    expect(notice).to_have_count(0)
    page.get_by_role("slider", name="Step").fill("4")
    expect(page.get_by_role("article")).to_have_attribute("data-step", "5")
    expect(notice).to_have_count(0)
