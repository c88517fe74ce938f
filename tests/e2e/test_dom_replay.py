"""A recorded episode, rebuilt in a real browser at the moment of a step."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import FrameLocator, Page, expect

from core.storage import blobs
from tasks_app.starters import starter_drafts
from tests import coverage_choice, factories
from tests.e2e import axe
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_recorder import visit
from tests.e2e.test_arena_recording import Events, episode_make, has_snapshot, inputs, recorded
from tests.e2e.test_lab_pages import settled
from trajectories.models import Blob, Episode, RecordingChunk, Step

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
SIZE = {"width": 900, "height": 600}
SMOOTHED = 24


@contextmanager
def acting(episode: Episode, index: int, **fields: Any) -> Iterator[None]:
    """Record a step around what is done in it."""
    began = datetime.now(UTC)
    yield
    env_ms = (datetime.now(UTC) - began).total_seconds() * 1000
    timing = {"started_at": began, "duration_ms": env_ms, "more": {"env_ms": env_ms}}
    factories.step(episode, index, **{**timing, **fields})


def replayed(page: Page, episode: Episode, index: int) -> FrameLocator:
    """The frame of the replay on its own page."""
    page.goto(f"/episodes/{episode.pk}/steps/{index}/dom")
    expect(page.locator("html")).to_have_attribute("data-replay", "ready")
    return page.frame_locator("iframe")


def tab_opened(page: Page, episode: Episode, index: int) -> FrameLocator:
    """The frame of the replay in place of the step's picture."""
    page.goto(f"/episodes/{episode.pk}/steps/{index}#dom")
    expect(page.get_by_role("button", name="DOM")).to_have_attribute("aria-pressed", "true")
    frame = page.frame_locator("[data-dom-frame]")
    expect(frame.locator("html")).to_have_attribute("data-replay", "ready")
    settled(page)
    return frame.frame_locator("iframe")


def changed(page: Page, picture: bytes) -> tuple[int, int, int, int] | None:
    """The area in which a page differs from a picture; differently smoothed edges do not count."""
    pictures = (page.screenshot(caret="hide"), picture)
    shown, seen = (Image.open(io.BytesIO(data)).convert("RGB") for data in pictures)
    difference = ImageChops.difference(shown, seen).convert("L")
    return difference.point(lambda value: 255 * (value > SMOOTHED)).getbbox()


def has_opened(seen: Events) -> bool:
    return any(event["data"].get("tag") == "popover" for event in seen)


@pytest.fixture
def typed(arena_server: ArenaServer, open_page: OpenPage) -> tuple[Episode, bytes]:
    """A question answered in its first step, and a picture of it afterwards."""
    episode = episode_make(task=factories.task(payload={"text": "How many doors?", "format": "plain"}))
    page = open_page(viewport=SIZE)
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)
    with acting(episode, 1):
        page.get_by_role("textbox").press_sequentially("12", delay=100)
        recorded(page, episode, lambda seen: "12" in inputs(seen))
    picture = page.screenshot(caret="hide")
    stored = blobs.blob_store(picture)
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type=stored.content_type)
    with acting(episode, 2, screenshot=stored.sha256):
        pass
    page.close()
    return episode, picture


@pytest.fixture
def booked(arena_server: ArenaServer, open_page: OpenPage) -> tuple[Episode, list[bytes]]:
    """An episode on a mock site that opens and closes a calendar and loads another page, with what each
    step saw.
    """
    sample = starter_drafts("stays")[0]
    task = factories.task(kind=sample.kind, payload=dict(sample.payload), prompt=sample.prompt)
    episode = episode_make(task=task)
    page = open_page(viewport=SIZE)
    visit(page, arena_server, episode)
    recorded(page, episode, has_snapshot)
    seen = [page.screenshot(caret="hide")]
    with acting(episode, 1, url="https://gym/"):
        page.get_by_role("button", name="Calendar for check-in").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        recorded(page, episode, has_opened)
    seen.append(page.screenshot(caret="hide"))
    with acting(episode, 2, url="https://gym/"):
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Search").click()
        page.wait_for_selector("html[data-settled=true]", state="attached")
        recorded(page, episode, lambda _: len(_snapshots(episode)) == 2)
    seen.append(page.screenshot(caret="hide"))
    with acting(episode, 3, url=f"https://gym/{page.url.rpartition('/')[2]}"):
        pass
    page.close()
    return episode, seen


def _snapshots(episode: Episode) -> set[str]:
    return set(
        RecordingChunk.objects.filter(episode=episode, has_snapshot=True).values_list("page", flat=True)
    )


def test_typed_text_appears_from_the_step_that_saw_it(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    episode, picture = typed
    lab = lab_page(viewport=SIZE)

    frame = replayed(lab, episode, 1)
    expect(frame.get_by_text("How many doors?")).to_be_visible()
    expect(frame.get_by_role("textbox")).to_have_value("")
    frame = replayed(lab, episode, 2)
    expect(frame.get_by_role("textbox")).to_have_value("12")
    assert lab.locator("iframe").bounding_box() == {"x": 0, "y": 0, **SIZE}
    assert changed(lab, picture) is None


def test_a_dialog_and_a_changed_list_are_replayed_as_they_looked(
    booked: tuple[Episode, list[bytes]], lab_page: OpenPage
) -> None:
    episode, seen = booked
    lab = lab_page(viewport=SIZE)

    expect(replayed(lab, episode, 1).get_by_role("dialog")).to_have_count(0)
    assert changed(lab, seen[0]) is None
    expect(replayed(lab, episode, 2).get_by_role("dialog")).to_be_visible()
    assert changed(lab, seen[1]) is None
    expect(replayed(lab, episode, 3).get_by_role("heading", level=1)).to_be_visible()
    assert changed(lab, seen[2]) is None


@pytest.mark.parametrize(("width", "theme"), coverage_choice.values([1280, 400], ["light", "dark"]))
def test_the_replay_fits_the_page_into_its_pane(
    booked: tuple[Episode, list[bytes]], lab_page: OpenPage, width: int, theme: str
) -> None:
    episode, _ = booked
    lab = lab_page(viewport={"width": width, "height": 900}, color_scheme=theme)

    frame = tab_opened(lab, episode, 2)

    expect(frame.get_by_role("dialog")).to_be_visible()
    expect(lab.get_by_text("Page load 1 of 2")).to_contain_text("placed by time")
    expect(lab.locator("[data-dom-state]")).to_be_empty()
    assert lab.evaluate("document.documentElement.scrollWidth") <= width
    box = lab.locator("[data-dom-frame]").bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(min(SIZE["width"], box["width"]))
    assert box["width"] / box["height"] == pytest.approx(1.5, abs=0.01)
    assert axe.violations(lab) == []
    size = lab.get_by_role("button", name="Actual size")
    if width == 400:
        size.press("Enter")
        expect(lab.locator("[data-dom-stage]")).to_have_attribute("tabindex", "0")
        real = lab.locator("[data-dom-frame]").bounding_box()
        assert real is not None
        assert real["width"] == SIZE["width"]
        assert lab.evaluate("document.documentElement.scrollWidth") <= width


def test_the_replay_follows_the_steps_and_keeps_the_shortcuts(
    booked: tuple[Episode, list[bytes]], lab_page: OpenPage
) -> None:
    episode, _ = booked
    lab = lab_page(viewport={"width": 1280, "height": 900})
    frame = tab_opened(lab, episode, 1)
    expect(frame.get_by_role("dialog")).to_have_count(0)

    lab.keyboard.press("j")
    expect(lab.locator("#step")).to_have_attribute("data-step", "2")
    expect(frame.get_by_role("dialog")).to_be_visible()
    expect(lab.get_by_role("button", name="DOM")).to_have_attribute("aria-pressed", "true")
    lab.keyboard.press("k")
    expect(lab.locator("#step")).to_have_attribute("data-step", "1")


def test_a_replay_with_a_focused_field_leaves_the_keyboard_to_its_reader(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    lab = lab_page(viewport={"width": 1280, "height": 900})
    frame = tab_opened(lab, typed[0], 1)
    frame.get_by_role("textbox").evaluate("field => field.focus()")
    lab.locator("[data-dom-frame]").evaluate("frame => { frame.focus(); frame.contentWindow.focus(); }")
    box = lab.locator("[data-dom-frame]").bounding_box()
    assert box is not None
    lab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(lab.locator("[data-dom-frame]:focus")).to_have_count(0)
    lab.keyboard.press("3")
    expect(lab.get_by_role("tab", name="Changes")).to_have_attribute("aria-selected", "true")
    lab.keyboard.press("ArrowRight")
    expect(lab.locator("#step")).to_have_attribute("data-step", "2")
    lab.keyboard.press("?")
    lab.keyboard.press("Escape")
    expect(lab.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_a_reader_goes_from_the_list_through_a_replay_to_an_export_by_keys_alone(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    episode = typed[0]
    Step.objects.filter(episode=episode, index=2).update(thought="A needle.")
    other = factories.episode(task=episode.task, run=episode.run)
    factories.step(other, 1, thought="I guess.")
    lab = lab_page(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    press, step = lab.keyboard.press, lab.locator("#step")
    lab.goto("/search")
    settled(lab)
    press("j")
    press("j")
    press("Enter")
    expect(lab.get_by_role("heading", level=1)).to_contain_text(f"Episode {episode.pk}")
    settled(lab)

    press("j")
    expect(step).to_have_attribute("data-step", "1")
    settled(lab)
    press("2")
    expect(lab.frame_locator("[data-dom-frame]").locator("html")).to_have_attribute("data-replay", "ready")
    press("ArrowRight")
    expect(step).to_have_attribute("data-step", "2")
    press("3")
    expect(lab.get_by_role("tabpanel", name="Changes")).to_be_visible()
    press("k")
    expect(step).to_have_attribute("data-step", "1")
    press("/")
    lab.keyboard.type("needle")
    press("Enter")
    expect(step).to_have_attribute("data-step", "2")

    press("Control+k")
    lab.keyboard.type("episodes")
    press("Enter")
    expect(lab.get_by_role("heading", name="Episodes", exact=True)).to_be_visible()
    settled(lab)
    press("j")
    press("x")
    press("j")
    press("x")
    lab.get_by_role("button", name="Export selected").focus()
    with lab.expect_download() as download:
        press("Enter")
    assert download.value.suggested_filename == "palaestra-trajectories.ndjson"
    press("b")
    expect(lab.get_by_role("heading", level=1)).to_have_text("2 episodes side by side")


def test_a_step_can_be_played_to_its_end_and_rewound(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    lab = lab_page(viewport={"width": 1280, "height": 900})
    field = tab_opened(lab, typed[0], 1).get_by_role("textbox")
    expect(field).to_have_value("")

    lab.get_by_label("Speed of the replay").select_option("8")
    lab.get_by_role("button", name="Play the step").press("Enter")

    expect(lab.locator("[data-dom-state]")).to_have_text("The page at the end.")
    expect(field).to_have_value("12")
    lab.get_by_role("button", name="Back").press("Enter")
    expect(field).to_have_value("")


def test_the_viewer_shows_whether_the_replay_is_faithful(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    lab = lab_page(viewport={"width": 1280, "height": 900})

    tab_opened(lab, typed[0], 2)

    badge = lab.locator("[data-dom] #fidelity")
    expect(badge).to_contain_text("after the episode has ended")
    factories.verdict(typed[0])
    lab.reload()
    expect(badge).to_contain_text("The check is waiting for a worker")
    tab_opened(lab, typed[0], 1)
    expect(badge).to_have_count(0)


def test_an_episode_without_a_recording_has_no_replay(lab_page: OpenPage, transactional_db: None) -> None:
    episode = factories.episode(recording="full")
    factories.step(episode, 1)
    lab = lab_page()
    lab.goto(f"/episodes/{episode.pk}/steps/1")
    settled(lab)

    expect(lab.get_by_role("tab", name="Changes")).to_be_visible()
    expect(lab.get_by_role("button", name="DOM")).to_have_count(0)


def test_without_scripts_the_replay_links_to_the_recording(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    lab = lab_page(java_script_enabled=False)
    lab.goto(f"/episodes/{typed[0].pk}/steps/2")
    lab.get_by_role("link", name="DOM").click()

    expect(lab.get_by_text("Replay needs JavaScript")).to_be_visible()
    expect(lab.locator("iframe")).to_be_hidden()
    lab.get_by_role("link", name="Recording as JSON").click()
    assert "How many doors?" in lab.content()


def test_a_missing_and_a_damaged_chunk_are_named_and_the_rest_is_shown(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    episode, _ = typed
    RecordingChunk.objects.filter(episode=episode, seq=2).update(seq=1_002, sha256="0" * 64)
    lab = lab_page(viewport={"width": 1280, "height": 900})

    frame = tab_opened(lab, episode, 2)

    expect(lab.get_by_text("chunks never arrived.")).to_contain_text("The bytes of 1 chunk are gone.")
    expect(frame.get_by_text("How many doors?")).to_be_visible()


def test_a_page_without_its_first_chunk_is_not_replayed_and_the_tab_says_so(
    typed: tuple[Episode, bytes], lab_page: OpenPage
) -> None:
    episode, _ = typed
    RecordingChunk.objects.filter(episode=episode, has_snapshot=True).update(sha256="0" * 64)
    lab = lab_page()

    lab.goto(f"/episodes/{episode.pk}/steps/2#dom")
    settled(lab)

    expect(lab.get_by_text("The beginning of this page's recording is missing")).to_be_visible()
    expect(lab.locator("[data-dom-frame]")).to_have_count(0)
    expect(lab.locator("#dom").get_by_role("link", name="Recording as JSON").first).to_be_visible()
