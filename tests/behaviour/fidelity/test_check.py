from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, get_args

import pytest
from django.db.models.functions import Now
from django.db.transaction import atomic
from django.db.utils import ProgrammingError
from PIL import Image

from core.storage import blobs
from tests.behaviour.fidelity.factories import window
from tests.behaviour.fidelity.recordings import blob_of, element, episode_make, recording_make
from trajectories.behaviour.fidelity import check, pages, rendering, sample
from trajectories.behaviour.fidelity.enclosure import EnclosureMissing, MissingReason
from trajectories.behaviour.fidelity.pages import UnpagedReason
from trajectories.behaviour.fidelity.rendering import Page, Undrawn, UndrawnReason
from trajectories.models import Episode, Fidelity

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]

SIZE = (640, 360)
Drawn = Callable[[Image.Image | Exception], list[Page]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """``drawn(picture)`` makes every page look like the picture, or raises the exception; returns the
    requested pages.
    """

    def make(outcome: Image.Image | Exception) -> list[Page]:
        requested: list[Page] = []

        def draw(page: Page) -> Image.Image:
            requested.append(page)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr(rendering, "page_draw", draw)
        return requested

    return make


def episode_with(screenshot: Image.Image | None, *, recorded: bool = True) -> Episode:
    episode = episode_make(screenshot=blob_of(screenshot) if screenshot else "")
    if recorded:
        recording_make(episode, element("h1", "Find a room"), size=SIZE)
    return episode


def checked(episode: Episode) -> Fidelity:
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    assert check.step_check(episode_id=episode.pk, index=1)
    return Fidelity.objects.get(episode=episode, index=1)


def test_a_replay_like_its_screenshot_is_faithful(drawn: Drawn) -> None:
    drawn(window("Bath", size=SIZE))
    fidelity = checked(episode_with(window("Bath", size=SIZE)))
    assert (fidelity.state, fidelity.reason, fidelity.changed_share, fidelity.phash_distance) == (
        "faithful",
        "",
        0,
        0,
    )
    assert fidelity.version == check.VERSION
    assert blobs.blob_exists(fidelity.replay)
    assert fidelity.difference == ""


def test_a_replay_that_lacks_a_word_is_unfaithful_and_shows_where(drawn: Drawn) -> None:
    drawn(window("Bath", size=SIZE))
    fidelity = checked(episode_with(window("Bath", "Balcony", size=SIZE)))
    assert fidelity.state == "unfaithful"
    assert fidelity.changed_share is not None
    assert fidelity.changed_share > 0
    with blobs.blob_open(fidelity.difference) as file:
        mask = Image.open(file).convert("RGBA")
    assert mask.size == SIZE
    marked = mask.getchannel("A").histogram()[255]
    assert marked == round(fidelity.changed_share * SIZE[0] * SIZE[1])


def test_a_replay_is_drawn_at_the_pixel_size_of_the_screenshot(drawn: Drawn) -> None:
    pages = drawn(window(size=(1280, 720)))
    assert checked(episode_with(window(size=(1280, 720)))).state == "faithful"
    (page,) = pages
    assert (page.width, page.height, page.scale) == (640, 360, 2)


def test_the_drawn_page_is_self_contained(drawn: Drawn) -> None:
    pages = drawn(window(size=SIZE))
    checked(episode_with(window(size=SIZE)))
    (page,) = pages
    html = page.files[page.entry].decode()
    assert "Find a room" in html
    named = [place for place in page.files if place != page.entry]
    assert named
    assert all(place in html for place in named)
    assert "//" not in html.replace("<!DOCTYPE html>", "").replace("https://gym/", "")


@pytest.mark.parametrize(
    ("size", "reason"), [((640, 2000), "whole_page"), ((640, 200), "other_size"), ((300, 300), "whole_page")]
)
def test_a_screenshot_of_another_size_than_the_window_is_not_checked(
    drawn: Drawn, size: tuple[int, int], reason: str
) -> None:
    pages = drawn(window(size=SIZE))
    fidelity = checked(episode_with(window(size=size)))
    assert (fidelity.state, fidelity.reason, pages) == ("not_checked", reason, [])


def test_a_step_without_a_screenshot_or_a_recording_is_not_checked(drawn: Drawn) -> None:
    drawn(window(size=SIZE))
    assert checked(episode_with(None)).reason == "no_screenshot"
    fidelity = checked(episode_with(window(size=SIZE), recorded=False))
    assert (fidelity.state, fidelity.reason) == ("not_checked", "no_replay")


def test_a_marked_screenshot_is_not_checked(drawn: Drawn) -> None:
    drawn(window(size=SIZE))
    episode = episode_with(window(size=SIZE))
    episode.steps.update(observation_kind="som-v1")
    assert checked(episode).reason == "no_screenshot"


def test_a_screenshot_that_is_not_a_picture_is_not_checked(drawn: Drawn) -> None:
    drawn(window(size=SIZE))
    episode = episode_make(screenshot=blobs.blob_store(b"no picture").sha256)
    assert checked(episode).reason == "no_screenshot"


def test_a_recording_with_too_many_files_is_not_drawn(drawn: Drawn, monkeypatch: pytest.MonkeyPatch) -> None:
    requested = drawn(window(size=SIZE))
    monkeypatch.setattr(pages, "FILES", pages.OWN_FILES + 2)
    episode = episode_make(screenshot=blob_of(window(size=SIZE)))
    names = [f"https://gym/pictures/house-{number}.320.webp" for number in range(3)]
    images = [element("img", number=20 + place, src=name) for place, name in enumerate(names)]
    recording_make(episode, *images, size=SIZE)
    assert checked(episode).reason == "too_large"
    assert requested == []


@pytest.mark.parametrize("reason", get_args(UndrawnReason))
def test_a_page_that_cannot_be_drawn_fails_the_check(drawn: Drawn, reason: UndrawnReason) -> None:
    drawn(Undrawn(reason))
    fidelity = checked(episode_with(window(size=SIZE)))
    assert (fidelity.state, fidelity.reason, fidelity.changed_share) == ("failed", reason, None)


def test_a_drawn_picture_of_another_size_fails_the_check(drawn: Drawn) -> None:
    drawn(window(size=(600, 300)))
    assert checked(episode_with(window(size=SIZE))).state == "failed"


def test_every_reason_can_be_stored() -> None:
    reasons = {*get_args(UndrawnReason), *get_args(UnpagedReason), *get_args(MissingReason)}
    assert reasons <= set(Fidelity.Reason.values)


def test_without_a_sandbox_a_step_is_not_checked_and_waits_for_one(drawn: Drawn) -> None:
    episode = episode_with(window(size=SIZE))
    drawn(EnclosureMissing("no_sandbox", "bubblewrap is not installed"))
    fidelity = checked(episode)
    assert (fidelity.state, fidelity.reason) == ("not_checked", "no_sandbox")
    drawn(window(size=SIZE))
    assert check.step_check(episode_id=episode.pk, index=1)
    fidelity.refresh_from_db()
    assert fidelity.state == "faithful"


def test_attempts_without_a_sandbox_do_not_exhaust_a_check(drawn: Drawn) -> None:
    episode = episode_with(window(size=SIZE))
    drawn(EnclosureMissing("no_browser", "No Chromium was found"))
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    for _ in range(check.TRIES + 1):
        assert check.step_check(episode_id=episode.pk, index=1)
    assert Fidelity.objects.get().tries == 0
    # Not at once: a worker that cannot draw would be sent the step without end.
    Episode.objects.update(finished_at=Now() - timedelta(days=1))
    assert sample.steps_waiting(limit=5) == []
    Fidelity.objects.update(checked_at=Now() - timedelta(seconds=2 * sample.UNDER_WAY_S))
    assert sample.steps_waiting(limit=5) == [(episode.pk, 1)]


def test_a_step_deleted_while_it_waits_is_dropped(drawn: Drawn, as_role: Callable[[str], Any]) -> None:
    drawn(window(size=SIZE))
    episode = episode_with(window(size=SIZE))
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    episode.steps.all().delete()
    with as_role("gym_worker"):
        assert not check.step_check(episode_id=episode.pk, index=1)
    assert not Fidelity.objects.exists()


def test_a_finished_check_is_not_repeated(drawn: Drawn) -> None:
    pages = drawn(window(size=SIZE))
    episode = episode_with(window(size=SIZE))
    checked(episode)
    assert not check.step_check(episode_id=episode.pk, index=1)
    assert len(pages) == 1


def test_a_step_that_was_not_queued_is_not_checked(drawn: Drawn) -> None:
    pages = drawn(window(size=SIZE))
    episode = episode_with(window(size=SIZE))
    assert not check.step_check(episode_id=episode.pk, index=1)
    assert pages == []


def test_a_check_that_always_kills_its_process_is_given_up(drawn: Drawn) -> None:
    episode = episode_with(window(size=SIZE))
    drawn(RuntimeError("the process was ended"))
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    for _ in range(check.TRIES):
        with pytest.raises(RuntimeError):
            check.step_check(episode_id=episode.pk, index=1)
    assert not check.step_check(episode_id=episode.pk, index=1)
    Fidelity.objects.update(checked_at=Now() - timedelta(seconds=2 * sample.UNDER_WAY_S))
    assert sample.fail_exhausted() == 1
    fidelity = Fidelity.objects.get()
    assert (fidelity.state, fidelity.reason) == ("failed", "crashed")


def test_a_check_that_takes_too_long_is_given_up() -> None:
    episode = episode_with(window(size=SIZE))
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    check.step_give_up(episode_id=episode.pk, index=1)
    fidelity = Fidelity.objects.get()
    assert (fidelity.state, fidelity.reason) == ("failed", "out_of_time")


def test_the_worker_role_can_choose_and_check_steps(drawn: Drawn, as_role: Callable[[str], Any]) -> None:
    episode = episode_with(window(size=SIZE))
    Episode.objects.update(finished_at=Now() - timedelta(days=1))
    drawn(window("Bath", size=SIZE))
    with as_role("gym_worker"):
        assert sample.episode_choose(episode.pk) == [1]
        assert [tuple(place) for place in sample.steps_waiting(limit=5)] == [(episode.pk, 1)]
        assert check.step_check(episode_id=episode.pk, index=1)
        sample.fail_exhausted()
    assert Fidelity.objects.get().state == "unfaithful"


def test_the_arena_role_can_neither_choose_nor_check_steps(as_role: Callable[[str], Any]) -> None:
    with as_role("gym_arena"), pytest.raises(ProgrammingError, match="permission denied"), atomic():
        Fidelity.objects.exists()
