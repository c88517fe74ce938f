"""Whole checks with the real sandbox: recordings drawn by rrweb in a real browser, hostile ones too."""

from __future__ import annotations

import functools
import io
from typing import Any

import pytest

from core.storage import blobs, thumbnails
from tests.behaviour.fidelity.factories import ENTRY, canary, needs_drawing
from tests.behaviour.fidelity.recordings import STYLE, blob_of, element, episode_make, recording_make
from trajectories.behaviour.fidelity import check, rendering, sample
from trajectories.behaviour.fidelity.rendering import Page, page_draw
from trajectories.models import Episode, Fidelity

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_storages"),
    needs_drawing,
]

WIDTH, HEIGHT = 640, 360


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are of what is drawn: a busy machine has the time to start a browser that it needs."""
    monkeypatch.setattr(rendering, "page_draw", functools.partial(page_draw, wall_s=60.0))


def seen(html: str) -> str:
    """The screenshot of a page with this in its body, as a blob."""
    body = f'<!doctype html><html data-replay="ready"><meta charset="utf-8"><body style="{STYLE}">{html}'
    page = Page(files={ENTRY: body.encode()}, entry=ENTRY, width=WIDTH, height=HEIGHT)
    return blob_of(rendering.page_draw(page))


def checked(episode: Episode) -> Fidelity:
    sample.steps_wait(episode_id=episode.pk, indexes=[1])
    assert check.step_check(episode_id=episode.pk, index=1)
    return Fidelity.objects.get(episode=episode)


def recorded(screenshot: str, *nodes: dict[str, Any]) -> Episode:
    episode = episode_make(screenshot=screenshot)
    recording_make(episode, *nodes, size=(WIDTH, HEIGHT))
    return episode


def heading(text: str) -> dict[str, Any]:
    return element("h1", text, number=900)


def test_a_recording_of_the_page_in_the_screenshot_is_faithful() -> None:
    fidelity = checked(recorded(seen("<h1>Find a room</h1>"), heading("Find a room")))
    assert (fidelity.state, fidelity.reason) == ("faithful", "")


def test_a_recording_of_another_page_is_unfaithful() -> None:
    fidelity = checked(recorded(seen("<h1>Find a room</h1>"), heading("Find a house")))
    assert fidelity.state == "unfaithful"
    assert fidelity.changed_share is not None
    assert fidelity.changed_share > 0.001


def test_a_recording_with_an_extra_word_is_unfaithful() -> None:
    nodes = (heading("Find a room"), element("p", "Balcony", number=20))
    assert checked(recorded(seen("<h1>Find a room</h1>"), *nodes)).state == "unfaithful"


def test_a_hostile_recording_runs_nothing_shows_nothing_and_sends_nothing() -> None:
    with canary() as (port, came):
        there = f"http://127.0.0.1:{port}"
        run = f"fetch('{there}/ran'); document.body.innerHTML = 'taken over'"
        hostile = [
            element("script", run, number=20),
            element("img", number=22, src=f"{there}/a.png", onerror=run, hidden=""),
            element("iframe", number=24, srcdoc=f"<script>{run}</script>", hidden=""),
            element("iframe", number=26, src="file:///etc/passwd", hidden=""),
            element("object", number=28, data="file:///etc/passwd", hidden=""),
            element("meta", number=30, content=f"0;url={there}/refresh", **{"http-equiv": "refresh"}),
            element("style", f"@import '{there}/b.css'; i {{ background: url({there}/c.png) }}", number=32),
            element("link", number=34, rel="stylesheet", href=f"{there}/d.css"),
            element("base", number=36, href=there),
            element("input", number=38, autofocus="", onfocus=run, hidden=""),
            element("svg", number=40, onload=run, width="0", height="0"),
        ]
        fidelity = checked(recorded(seen("<h1>Find a room</h1>"), heading("Find a room"), *hostile))
    assert came == []
    assert (fidelity.state, fidelity.reason) == ("faithful", "")


def test_no_file_of_the_host_is_in_the_picture_of_a_hostile_recording() -> None:
    nodes = [
        element("embed", number=20, src="file:///etc/passwd", width="600", height="300"),
        element("iframe", number=22, src="file:///etc/passwd", width="600", height="300"),
    ]
    fidelity = checked(recorded(seen(""), *nodes))
    with blobs.blob_open(fidelity.replay) as file:
        picture = thumbnails.picture_open(io.BytesIO(file.read()))
    assert picture is not None
    colours = picture.convert("L").getcolors()
    assert colours is not None
    assert min(shade for _, shade in colours) > 100  # no letters
