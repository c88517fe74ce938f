"""The step viewer in a real browser: by keyboard, without scripts, with hostile texts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled
from tests.lab.long_scene import long_episode, picture_make
from trajectories.models import Episode, PageEvent, Step

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LabPage = Callable[..., Page]
HOSTILE = (
    "\u202e</pre></mark><script>window.ran=1</script><img src='https://evil.example/x.png' onerror='ran=1'>"
    "<style>body{display:none}</style><svg onload='window.ran=1'><iframe src='https://evil.example'></iframe>"
    "<meta http-equiv=refresh content='0;url=https://evil.example'>"
)


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    return long_episode(steps=40)


@pytest.fixture
def viewer(lab_page: LabPage, episode: Episode) -> Page:
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, episode, 10)
    return page


def opened(page: Page, episode: Episode, index: int, rest: str = "") -> None:
    page.goto(f"/episodes/{episode.pk}/steps/{index}{rest}")
    settled(page)


def at_step(page: Page, index: int) -> None:
    expect(page.locator("#step")).to_have_attribute("data-step", str(index))
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Step {index}")
    expect(page).to_have_url(re.compile(rf"/steps/{index}(\?|#|$)"))


def test_keys_step_through_an_episode_without_page_loads(viewer: Page, episode: Episode) -> None:
    viewer.evaluate("window.samePage = true")
    for key, index in (("j", 11), ("ArrowRight", 12), ("k", 11), ("ArrowLeft", 10), ("End", 40), ("Home", 1)):
        viewer.keyboard.press(key)
        at_step(viewer, index)
    viewer.go_back()
    at_step(viewer, 40)
    viewer.go_back()
    at_step(viewer, 10)
    viewer.go_forward()
    at_step(viewer, 40)
    expect(viewer).to_have_title(re.compile(r"^Step 40, "))
    assert viewer.evaluate("window.samePage") is True


def test_the_new_step_is_announced_to_screen_readers(viewer: Page) -> None:
    viewer.keyboard.press("j")
    expect(viewer.locator("[data-status]")).to_contain_text("Step 11: click no_target. The page of")


def test_keys_are_left_alone_while_someone_types_or_holds_a_modifier(viewer: Page) -> None:
    viewer.keyboard.press("Control+j")
    viewer.keyboard.press("Alt+ArrowRight")
    viewer.keyboard.press("/")
    viewer.keyboard.type("jok?")
    expect(viewer.get_by_label("Find in this episode")).to_have_value("jok?")
    expect(viewer.get_by_role("dialog")).to_have_count(0)
    at_step(viewer, 10)


def test_going_to_a_number_shows_its_step_or_the_nearest(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("g")
    viewer.keyboard.type("33")
    viewer.keyboard.press("Enter")
    at_step(viewer, 33)
    viewer.get_by_role("slider", name="Step").fill("5")
    at_step(viewer, 5)


def test_keys_pressed_faster_than_steps_load_are_all_followed(viewer: Page, episode: Episode) -> None:
    viewer.evaluate(
        """() => {
            const press = (name) => document.querySelector(`[data-step-link=${name}]`).click();
            for (let times = 0; times < 5; times += 1) press("after");
            press("before");
        }"""
    )
    at_step(viewer, 14)
    viewer.wait_for_timeout(200)
    at_step(viewer, 14)


def test_the_last_step_requested_is_the_one_shown(viewer: Page, episode: Episode) -> None:
    viewer.evaluate(
        """async () => {
            const { show } = await import(document.querySelector("link[href$='/step/viewer.js']").href);
            const shown = show(30);
            document.querySelector("[data-step-link=after]").click();
            await Promise.all([shown, show(5)]);
        }"""
    )
    viewer.wait_for_timeout(200)
    at_step(viewer, 5)


def test_escape_leaves_the_number_field(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("g")
    viewer.keyboard.type("99")
    viewer.keyboard.press("Enter")
    viewer.keyboard.press("Escape")
    expect(viewer.get_by_label("Go to step")).to_have_value("10")
    viewer.keyboard.press("j")
    at_step(viewer, 11)


def test_a_step_is_fetched_while_its_number_is_typed(viewer: Page, episode: Episode) -> None:
    requests: list[str] = []
    viewer.on("request", lambda request: requests.append(request.url))
    viewer.keyboard.press("g")
    with viewer.expect_response(re.compile(r"/steps/\?index=33&fragment$")):
        viewer.keyboard.type("33")
    at_step(viewer, 10)
    viewer.keyboard.press("Enter")
    at_step(viewer, 33)
    assert len([url for url in requests if url.endswith("?index=33&fragment")]) == 1


def test_playback_stops_at_the_end(viewer: Page, episode: Episode) -> None:
    opened(viewer, episode, 38)
    for _ in range(3):
        viewer.keyboard.press(">")
    viewer.keyboard.press("Space")
    expect(viewer.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    at_step(viewer, 40)
    expect(viewer.get_by_role("button", name="Play", exact=True)).to_be_visible()


@pytest.mark.parametrize(("faster", "wait_ms"), [(0, 1500), (1, 750)])
def test_playback_shows_a_short_step_long_enough_to_read(
    viewer: Page, episode: Episode, faster: int, wait_ms: int
) -> None:
    Step.objects.filter(episode=episode, index=38).update(duration_ms=40)
    opened(viewer, episode, 38)
    for _ in range(faster):
        viewer.keyboard.press(">")
    viewer.evaluate(
        "window.waits = [];"
        "window.setTimeout = (real => (work, ms) => { waits.push(ms); return real(work, ms) })(setTimeout);"
        "null"
    )
    viewer.keyboard.press("Space")
    assert viewer.evaluate("waits[0]") == wait_ms


def test_marks_can_be_hidden_and_stay_hidden(viewer: Page, episode: Episode) -> None:
    opened(viewer, episode, 12)
    marks = viewer.locator(".shot .marks")
    expect(marks).to_be_visible()
    viewer.keyboard.press("o")
    expect(marks).to_be_hidden()
    viewer.keyboard.press("j")
    at_step(viewer, 13)
    expect(marks).to_be_hidden()


def test_the_link_can_be_copied_and_the_colour_scheme_persists(viewer: Page, episode: Episode) -> None:
    viewer.keyboard.press("c")
    expect(viewer.locator("[data-status]")).to_have_text("Link copied")
    viewer.keyboard.press("t")
    viewer.keyboard.press("t")
    opened(viewer, episode, 11)
    expect(viewer.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_sheet_of_keys_names_every_key(viewer: Page) -> None:
    viewer.keyboard.press("?")
    sheet = viewer.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("copy the link to this step")
    # The rail's give way to the page's own.
    keys = viewer.locator("main [data-keys]").evaluate_all(
        "all => all.flatMap(one => one.dataset.keys.split(' '))"
    )
    assert len(keys) == len(set(keys))
    viewer.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_the_list_of_a_long_episode_renders_only_visible_steps(
    lab_page: LabPage, transactional_db: None
) -> None:
    long = long_episode(steps=1200, pictures=0)
    page = lab_page(viewport={"width": 1440, "height": 900})
    opened(page, long, 600)
    rows = page.locator(".steps-track .item")
    current = page.locator('.item[aria-current="step"]')
    expect(current).to_contain_text("600")
    expect(current).to_be_in_viewport(ratio=1)
    assert rows.count() < 50
    page.locator("[data-timeline]").evaluate("view => { view.scrollTop = 1100 * 44 }")
    row = page.locator(".item", has=page.get_by_text("1105", exact=True))
    expect(row).to_contain_text("The page of")
    row.click()
    at_step(page, 1105)
    assert rows.count() < 50


def test_the_panes_fill_the_window_and_keep_their_sizes(viewer: Page, episode: Episode) -> None:
    edge = viewer.get_by_role("separator", name="Height of the drawer")
    thought = viewer.locator(".thought-card")
    place = thought.bounding_box()
    for key in "1374":
        viewer.keyboard.press(key)
        settled(viewer)
    assert thought.bounding_box() == place
    assert viewer.evaluate("[document.scrollingElement.scrollHeight, innerHeight]") == [900, 900]
    edge.focus()
    viewer.keyboard.press("ArrowUp")
    expect(edge).to_have_attribute("aria-valuenow", "296")
    viewer.keyboard.press("Enter")
    expect(edge).to_have_attribute("aria-valuenow", "36")
    box = viewer.get_by_role("separator", name="Width of the texts").bounding_box()
    assert box is not None
    viewer.mouse.move(box["x"], 300)
    viewer.mouse.down()
    viewer.mouse.move(box["x"] - 100, 300)
    viewer.mouse.up()
    opened(viewer, episode, 11)
    expect(edge).to_have_attribute("aria-valuenow", "36")
    expect(viewer.get_by_role("separator", name="Width of the texts")).to_have_attribute(
        "aria-valuenow", "520"
    )
    viewer.keyboard.press("1")
    expect(edge).to_have_attribute("aria-valuenow", "280")


def test_the_scrubber_is_scaled_by_time_and_shows_what_is_under_the_pointer(
    viewer: Page, episode: Episode
) -> None:
    Step.objects.filter(episode=episode).update(duration_ms=1_000)
    Step.objects.filter(episode=episode, index=1).update(duration_ms=39_000)
    opened(viewer, episode, 10)
    track = viewer.locator("[data-scrub-track]")
    box = track.bounding_box()
    assert box is not None
    viewer.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 5)
    preview = viewer.locator("[data-scrub-preview]")
    expect(preview).to_contain_text("Step 1 ·")
    viewer.mouse.move(box["x"] + 0.76 * box["width"], box["y"] + 5)
    expect(preview).to_contain_text("Step 22 · 0:59")
    viewer.mouse.down()
    viewer.mouse.up()
    at_step(viewer, 22)
    expect(viewer.get_by_role("slider", name="Step")).to_have_attribute(
        "aria-valuetext", "Step 22 of 40, at 0:59 of 1:18"
    )


def test_the_page_after_the_action_is_shown_beside_the_one_before(viewer: Page) -> None:
    viewer.keyboard.press("v")
    after = viewer.get_by_role("img", name="The page after the action of step 10")
    before = viewer.get_by_role("img", name="The page before the action of step")
    expect(after).to_be_visible()
    expect(before).to_be_hidden()
    viewer.get_by_role("button", name="Both").click()
    viewer.keyboard.press("j")
    at_step(viewer, 11)
    expect(before).to_be_visible()
    expect(viewer.get_by_role("img", name="The page after the action of step 11")).to_be_visible()


def test_the_current_step_stays_in_view_in_the_list_when_the_window_narrows(lab_page: LabPage) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/episodes/{long_episode(steps=120, pictures=0).pk}/steps/60")
    current = page.locator(".steps-track [aria-current]")
    expect(current).to_be_in_viewport()
    page.set_viewport_size({"width": 500, "height": 2000})
    expect(current).to_be_in_viewport(ratio=1)


def test_a_step_works_without_scripts(lab_page: LabPage, episode: Episode) -> None:
    page = lab_page(java_script_enabled=False)
    page.goto(f"/episodes/{episode.pk}/steps/12?find=cheapest")
    expect(page.locator("mark").first).to_have_text("cheapest")
    for name in ("Accessibility tree", "Page events", "Usage and timing", "Raw output"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_hidden()
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 13")
    page.get_by_role("link", name="Changes").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What changed at step 13")
    page.goto(f"/episodes/{episode.pk}/steps/12")
    page.get_by_label("Go to step").fill("20")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Step 20")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_has_no_serious_accessibility_faults(
    lab_page: LabPage, episode: Episode, scheme: str
) -> None:
    page = lab_page(color_scheme=scheme)
    opened(page, episode, 11, "?find=cheapest")
    assert axe.violations(page) == []
    for tab in "3457890v":
        page.keyboard.press(tab)
        settled(page)
    page.keyboard.press("3")
    settled(page)
    assert axe.violations(page) == []
    page.keyboard.press("?")
    assert axe.violations(page) == []


@pytest.mark.parametrize("width", [400, 1280])
def test_hostile_texts_run_nothing_request_nothing_and_break_nothing(lab_page: LabPage, width: int) -> None:
    episode = factories.episode()
    huge = HOSTILE + "W" * 150_000
    shot = picture_make("search")
    for index in (1, 2):
        factories.step(
            episode,
            index,
            thought=huge[: 10_000 * index],
            raw=huge,
            action={"type": "type", "target": HOSTILE, "text": HOSTILE * index},
            action_type="type",
            observation_text=(HOSTILE + "\n") * (1_000 * index),
            url="https://gym/" + HOSTILE,
            parse_error=huge,
            screenshot=shot,
            more={HOSTILE: HOSTILE},
        )
        PageEvent.objects.create(
            episode=episode,
            page=HOSTILE[:32],
            seq=index,
            step=index,
            kind="input",
            at_ms=1.0,
            data={"name": HOSTILE, "box": [1e300, "x", None, -5]},
        )
    page = lab_page(viewport={"width": width, "height": 800})
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url) if "evil" in request.url else None)
    opened(page, episode, 1, "?find=script")
    for key in ("j", "2", "3", "4", "6", "7", "o"):
        page.keyboard.press(key)
        settled(page)
    at_step(page, 2)
    assert page.evaluate("window.ran") is None
    assert foreign == []
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_failed_fragment_falls_back_to_a_page_load(viewer: Page, episode: Episode) -> None:
    viewer.route("**/*fragment*", lambda route: route.abort())
    viewer.evaluate("window.samePage = true")
    viewer.keyboard.press("End")
    at_step(viewer, 40)
    assert viewer.evaluate("window.samePage") is None
