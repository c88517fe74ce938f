"""The parts of a step's replay, and the page that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from tests.record.capture.factories import chunk_make, packed
from trajectories.behaviour.dom_replay import rrweb, sanitizer, scenes
from trajectories.behaviour.dom_replay.document import map_addresses
from trajectories.behaviour.dom_replay.scenes import NoScene, Scene
from trajectories.models import Episode, RecordingChunk, RecordingTally, Step
from trajectories.record.capture.chunks import Limits

Lab = Callable[[User | None], LabClient]
T = 1_800_000_000_000
DRAWN = "https://gym/pictures/hotel-day-7.320.webp"


def snapshot(*texts: str, src: str = DRAWN) -> dict[str, Any]:
    picture = {"type": 2, "id": 4, "tagName": "img", "attributes": {"src": src}, "childNodes": []}
    words = [{"type": 3, "id": 10 + place, "textContent": text} for place, text in enumerate(texts)]
    html = {"type": 2, "id": 2, "tagName": "html", "attributes": {}, "childNodes": [picture, *words]}
    node = {"type": 0, "id": 1, "childNodes": [html]}
    return {"type": 2, "timestamp": T, "data": {"node": node, "initialOffset": {"top": 0, "left": 0}}}


def meta(at: int = 0, *, width: int = 800) -> dict[str, Any]:
    return {"type": 4, "timestamp": T + at, "data": {"href": "https://gym/", "width": width, "height": 600}}


def typed(text: str, at: int) -> dict[str, Any]:
    data = {"source": 5, "id": 4, "text": text, "isChecked": False}
    return {"type": 3, "timestamp": T + at, "data": data}


def resized(width: int, at: int) -> dict[str, Any]:
    return {"type": 3, "timestamp": T + at, "data": {"source": 4, "width": width, "height": 500}}


@pytest.fixture
def episode(db: None, own_storages: Path) -> Episode:
    """A page recorded at 0, 1,000 and 3,000 ms; step 2 sees it after the second event."""
    made = factories.episode(recording="full")
    beginning = [meta(), snapshot("</script><b>", "\u2028")]
    chunk_make(made, 1, packed(beginning), first_ms=T, last_ms=T, has_snapshot=True)
    chunk_make(made, 2, packed([typed("1", 1_000)]), first_ms=T + 1_000, last_ms=T + 1_000, step=1)
    chunk_make(made, 3, packed([typed("12", 3_000)]), first_ms=T + 3_000, last_ms=T + 3_000, step=2)
    for index in (1, 2):
        factories.step(made, index)
    return made


def scene(episode: Episode, index: int = 2) -> Scene | NoScene:
    step = Step.objects.get(episode=episode, index=index)
    return scenes.replay_step(step, resolve=map_addresses(episode))


def rows(episode: Episode, seq: int) -> Any:
    return RecordingChunk.objects.filter(episode=episode, seq=seq)


def test_a_scene_is_paused_at_what_the_step_saw_and_plays_to_its_last_change(episode: Episode) -> None:
    shown = scene(episode)

    assert isinstance(shown, Scene)
    assert (shown.at_ms, shown.until_ms, shown.size) == (1_001, 3_001, (800, 600))
    assert [event["type"] for event in json.loads(shown.events)] == [4, 2, 3, 3]
    assert "/drawings/hotel-day-7.320.webp" in shown.events.decode()
    assert scenes.losses(shown) == []


def test_events_after_a_step_are_not_in_its_scene(episode: Episode) -> None:
    shown = scene(episode, 1)

    assert isinstance(shown, Scene)
    assert (shown.at_ms, shown.until_ms) == (1, 1_001)
    assert "12" not in [event["data"].get("text") for event in json.loads(shown.events)]


def test_the_size_is_that_of_the_window_at_the_moment(episode: Episode) -> None:
    chunk_make(
        episode,
        4,
        packed([resized(700, 900), resized(600, 2_000)]),
        first_ms=T + 900,
        last_ms=T + 2_000,
        step=1,
    )

    shown = scene(episode)

    assert isinstance(shown, Scene)
    assert shown.size == (600, 500)


def test_lost_missing_and_damaged_chunks_are_named_and_skipped(episode: Episode) -> None:
    rows(episode, 2).update(sha256="0" * 64)
    rows(episode, 3).update(seq=6)
    chunk_make(episode, 7, b"\x1f\x8b damaged", first_ms=T + 2_900, last_ms=T + 2_900, step=2)
    RecordingTally.objects.create(episode=episode, chunks=9, bytes=9, capped=True)

    shown = scene(episode)

    assert isinstance(shown, Scene)
    assert scenes.losses(shown) == [
        "3 chunks never arrived.",
        "The bytes of 1 chunk are gone.",
        "1 chunk is damaged.",
        "The episode's recording reached its limit, and nothing after it was stored.",
    ]


def test_malformed_events_are_counted_and_skipped(episode: Episode) -> None:
    odd = [{"type": 3, "timestamp": T + 950, "data": {"source": 5, "id": "x"}}, typed("3", 960)]
    chunk_make(episode, 4, packed(odd), first_ms=T + 950, last_ms=T + 960, step=1)

    shown = scene(episode)

    assert isinstance(shown, Scene)
    assert shown.refused == 1
    assert scenes.losses(shown) == ["1 event cannot be read."]
    assert [event["data"]["text"] for event in json.loads(shown.events)[2:]] == ["3", "1", "12"]


def test_without_its_snapshot_a_page_has_no_scene(episode: Episode) -> None:
    rows(episode, 1).update(sha256="0" * 64)

    shown = scene(episode)

    assert isinstance(shown, NoScene)
    assert shown.reason == "no_snapshot"


@pytest.mark.parametrize(
    ("where", "name", "limit"),
    [
        (scenes, "EVENTS_MAX_BYTES", 100),
        (scenes, "LIMITS", Limits(size=500, keys=10_000)),
        (scenes, "LIMITS", Limits(size=10_000, keys=40)),
        (sanitizer, "STYLE_MAX", 5),
    ],
)
def test_a_recording_that_is_too_large_is_not_sent(
    episode: Episode, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, limit: Any
) -> None:
    styles = {"source": 8, "id": 4, "replace": "a{color:red}"}
    chunk_make(
        episode, 4, packed([{"type": 3, "timestamp": T + 900, "data": styles}]), last_ms=T + 900, step=1
    )
    assert isinstance(scene(episode), Scene)
    monkeypatch.setattr(where, name, limit)

    shown = scene(episode)

    assert isinstance(shown, NoScene)
    assert shown.reason == "too_large"
    assert "too large" in scenes.REASONS[shown.reason]


def test_an_oversized_recording_is_rejected_before_decoding(
    episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small changes take far more memory decoded than stored."""
    adds = [{"parentId": 2, "node": {"type": 3, "id": number}} for number in range(150_000)]
    many = {"type": 3, "timestamp": T + 950, "data": {"source": 0, "adds": adds}}
    chunk_make(episode, 4, packed([many]), first_ms=T + 950, last_ms=T + 950, step=1)
    sizes: list[int] = []
    monkeypatch.setattr(
        scenes, "data_read", lambda type_, data: sizes.append(len(data)) or rrweb.data_read(type_, data)
    )

    shown = scene(episode)

    assert isinstance(shown, NoScene)
    assert shown.reason == "too_large"
    assert max(sizes) < 1_000


def test_the_replay_document_has_a_policy_that_blocks_every_request(
    episode: Episode, lab: Lab, annotator: User
) -> None:
    response = lab(annotator).get(f"/episodes/{episode.pk}/steps/2/dom")

    policy = dict(part.partition(" ")[::2] for part in response["Content-Security-Policy"].split("; "))
    for name in ("default-src", "connect-src", "frame-src", "form-action", "base-uri"):
        assert policy[name] == "'none'", name
    assert policy["frame-ancestors"] == "'self'"
    assert policy["sandbox"] == "allow-scripts allow-same-origin"
    nonce = policy["script-src"].removeprefix("'nonce-").removesuffix("'")
    assert len(nonce) >= 20
    html = response.content.decode()
    assert html.count(f'nonce="{nonce}"') == html.count("<script defer") == 2
    again = lab(annotator).get(f"/episodes/{episode.pk}/steps/2/dom")
    assert nonce not in again["Content-Security-Policy"]


def test_no_recorded_text_can_end_its_script_block(episode: Episode, lab: Lab, annotator: User) -> None:
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/2/dom").content.decode()

    assert html.count("</script>") == 3
    block = html.partition('type="application/json">')[2].partition("</script>")[0]
    assert "</script><b>" in json.dumps(json.loads(block))


def test_the_lab_draws_the_pictures_of_mock_sites(lab: Lab, annotator: User) -> None:
    response = lab(annotator).get("/drawings/hotel-day-7.320.webp")

    assert response["Content-Type"] == "image/webp"
    assert response.content[:4] == b"RIFF"
    for name in ("hotel-day-7.321", "no-such.320", "hotel-day-7.99999"):
        assert lab(annotator).get(f"/drawings/{name}.webp").status_code == 404
