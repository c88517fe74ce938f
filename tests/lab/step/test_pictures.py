from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from PIL import Image

from core.episodes.tokens import token_make
from core.storage import blobs
from tests import factories
from tests.conftest import LabClient
from trajectories.models import Blob, Episode, PageEvent
from trajectories.record.capture import pictures
from trajectories.record.capture.marks import RED
from trajectories.shell.screenshots.marks import build_caption

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
PAGE = "0123456789abcdef"


def picture_make(width: int = 1280, height: int = 720) -> str:
    data = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(data, "PNG")
    stored = blobs.blob_store(data.getvalue())
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type="image/png")
    return stored.sha256


def event(episode: Episode, seq: int, kind: str, *, step: int | None = None, **data: Any) -> None:
    PageEvent.objects.create(episode=episode, page=PAGE, seq=seq, step=step, kind=kind, at_ms=seq, data=data)


@pytest.fixture
def episode(db: None) -> Episode:
    """A click in the second step, on a screen with a pixel ratio of two and after the page had scrolled."""
    made = factories.episode()
    event(made, 1, "load", width=640, height=360, ratio=2)
    event(made, 2, "scroll", step=1, x=0, y=100)
    event(made, 4, "click", step=2, x=300, y=50, box=[280, 40, 60, 20], scroll=[0, 250])
    event(made, 5, "click", step=2, x=5, y=5)
    shot = picture_make()
    factories.step(made, 1, action={"type": "scroll", "dy": 100}, screenshot=shot)
    factories.step(made, 2, action={"type": "click", "target": "e4"}, screenshot=shot)
    return made


def address(episode: Episode, index: int = 2, kind: str = "png", query: str = "") -> str:
    return f"/episodes/{episode.pk}/steps/{index}/picture.{kind}{query}"


def picture_of(response: Any) -> Image.Image:
    assert response.status_code == 200
    return Image.open(io.BytesIO(response.getvalue())).convert("RGB")


def test_scrolling_caused_by_a_click_does_not_move_its_mark(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    event(episode, 3, "scroll", step=2, x=0, y=250)
    drawn = picture_of(lab(annotator).get(address(episode)))
    red = drawn.getpixel((600, 400))
    assert all(abs(one - other) < 30 for one, other in zip(red, RED, strict=True))


@pytest.mark.parametrize(("kind", "format_"), [("png", "PNG"), ("webp", "WEBP")])
def test_a_step_is_a_picture_with_its_click(
    kind: str, format_: str, episode: Episode, lab: Lab, annotator: User
) -> None:
    response = lab(annotator).get(address(episode, kind=kind))

    assert response["Content-Type"] == f"image/{kind}"
    assert "sandbox" in response["Content-Security-Policy"]
    assert Image.open(io.BytesIO(response.getvalue())).format == format_
    drawn = picture_of(response)
    assert drawn.size == (1280, 720)
    red = drawn.getpixel((600, 400))  # (300, 50 + 250 - 100) of a page at two pixels for one
    assert all(abs(one - other) < 30 for one, other in zip(red, RED, strict=True))


def test_a_small_picture_is_made_from_the_thumbnail_if_one_exists(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    client, small = lab(annotator), address(episode, query="?size=small")
    before = picture_of(client.get(small))
    pictures.picture_note(episode.steps.get(index=2).screenshot)
    after = picture_of(client.get(small))

    assert before.size == after.size == (320, 180)
    assert all(picture.getpixel((150, 100))[1] < 120 for picture in (before, after))


def test_an_unchanged_picture_is_not_drawn_again(episode: Episode, lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    tag = client.get(address(episode))["ETag"]

    assert client.get(address(episode), headers={"If-None-Match": tag}).status_code == 304
    event(episode, 9, "click", step=2, x=1, y=1)
    assert client.get(address(episode), headers={"If-None-Match": tag}).status_code == 304
    PageEvent.objects.filter(seq=4).delete()
    assert client.get(address(episode), headers={"If-None-Match": tag}).status_code == 200


def test_a_step_without_page_events_is_drawn_by_its_action(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    drawn = picture_of(lab(annotator).get(address(episode, index=1)))

    assert drawn.getpixel((640, 360)) == RED


def test_hostile_actions_and_events_break_nothing(episode: Episode, lab: Lab, annotator: User) -> None:
    shot = picture_make(50, 50)
    hostile = {"type": "type", "text": "\u202e" + "<script>" * 5_000, "x": 1e308}
    for index, action in enumerate(
        (hostile, [1], "click", None, {"type": ["click"]}, {"type": "scroll", "dy": "9"}), 3
    ):
        factories.step(episode, index, action=action, screenshot=shot)
        event(episode, 10 * index, "focus", step=index, box=[1e308, -1, "x", None], scroll="far")
        assert lab(annotator).get(address(episode, index=index)).status_code == 200


@pytest.mark.parametrize("screenshot", ["", "0" * 64])
def test_a_step_without_a_screenshot_is_a_404(
    screenshot: str, episode: Episode, lab: Lab, annotator: User
) -> None:
    factories.step(episode, 3, screenshot=screenshot)

    assert lab(annotator).get(address(episode, index=3)).status_code == 404
    assert lab(annotator).get(address(episode, index=4)).status_code == 404


def test_a_blob_that_is_not_a_picture_is_a_404(episode: Episode, lab: Lab, annotator: User) -> None:
    factories.step(episode, 3, screenshot=blobs.blob_store(b"<svg onload='x()'>").sha256)

    assert lab(annotator).get(address(episode, index=3)).status_code == 404


def test_a_stranger_sees_no_picture(episode: Episode, lab: Lab) -> None:
    assert lab(None).get(address(episode)).status_code == 302


def test_a_caption_is_added_below_the_picture_with_its_source(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    client = lab(annotator)
    plain, captioned = (picture_of(client.get(address(episode, query=query))) for query in ("", "?caption=1"))
    assert captioned.width == plain.width
    assert captioned.height > plain.height + 40
    assert captioned.crop((0, 0, *plain.size)).tobytes() == plain.tobytes()
    step = episode.steps.get(index=2)
    caption = build_caption(episode, step)
    assert caption.title.startswith("Step 2 · click on e4")
    assert f"{episode.task.benchmark_id}/train/" in caption.source
    assert episode.run.model in caption.source


def test_a_caption_masks_tokens_and_marks_simulated_runs(episode: Episode) -> None:
    token = token_make(episode_id=episode.pk, key=b"k" * 32)
    episode.run.simulated = True
    step = factories.step(episode, 8, thought=f"See /e/{token}/ \u202e", action=["no action"])
    caption = build_caption(episode, step)
    assert token not in caption.thought
    assert "U+202E" in caption.thought
    assert "simulated" in caption.source


def test_marks_keep_their_place_at_twice_the_size(episode: Episode, lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    large = picture_of(client.get(address(episode, query="?scale=2")))
    assert large.size == (2560, 1440)
    assert all(abs(one - other) < 30 for one, other in zip(large.getpixel((1200, 800)), RED, strict=True))
    assert picture_of(client.get(address(episode, query="?scale=1"))).size == (1280, 720)


@pytest.mark.parametrize("query", ["", "?scale=2", "?size=small"])
def test_a_place_that_an_action_names_is_drawn_where_it_is_on_a_scaled_picture(
    lab: Lab, annotator: User, query: str
) -> None:
    episode = factories.episode()
    event(episode, 1, "load", width=1280, height=720, ratio=1)
    hover = {"type": "hover", "x": 300, "y": 200}
    factories.step(episode, 1, action=hover, screenshot=picture_make(640, 360))
    drawn = picture_of(lab(annotator).get(address(episode, 1, query=query)))
    place = (round(300 * drawn.width / 640), round(200 * drawn.height / 360))
    assert all(abs(one - other) < 30 for one, other in zip(drawn.getpixel(place), RED, strict=True))


@pytest.mark.parametrize("query", ["scale=99", "size=huge", "caption=yes", "scale=%E2%80%AE"])
def test_an_unsupported_picture_size_is_refused_with_a_reason(
    episode: Episode, lab: Lab, annotator: User, query: str
) -> None:
    response = lab(annotator).get(address(episode, query=f"?{query}"))
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/plain")
    assert "is not one of" in response.content.decode()
    assert "\u202e" not in response.content.decode()


def test_each_rendering_has_its_own_etag(episode: Episode, lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    queries = ("", "?caption=1", "?scale=2", "?scale=2&caption=1")
    assert len({client.get(address(episode, query=query))["ETag"] for query in queries}) == 4
