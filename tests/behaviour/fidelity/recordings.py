"""Made-up recordings of pages, in the format of rrweb."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

from PIL import Image

from core.storage import blobs
from tests import factories
from tests.record.capture.factories import chunk_make, packed
from trajectories.models import Episode, Step

META, FULL = 4, 2
BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BEGAN_MS = int(BEGAN.timestamp() * 1000)
STEP_MS = 1000
STYLE = "margin: 0; font: 24px sans-serif; background: #eef"


def blob_of(picture: Image.Image) -> str:
    data = io.BytesIO()
    picture.save(data, "PNG")
    return blobs.blob_store(data.getvalue()).sha256


def episode_make(*, steps: int = 1, screenshot: str = "", **fields: Any) -> Episode:
    """Create an ended episode with full recording and one step per second, all with the same screenshot."""
    episode = factories.episode(recording="full", **fields)
    for index in range(1, steps + 1):
        step_make(episode, index, screenshot=screenshot)
    factories.verdict(episode)
    return episode


def step_make(episode: Episode, index: int, *, screenshot: str) -> Step:
    began = BEGAN + timedelta(milliseconds=STEP_MS * index)
    return factories.step(
        episode, index, screenshot=screenshot, started_at=began, duration_ms=500.0, more={"env_ms": 500.0}
    )


def recording_make(episode: Episode, *nodes: dict[str, Any], size: tuple[int, int] = (640, 360)) -> None:
    """Record one page load of the episode, with these elements in the page's body from the beginning."""
    head = {"type": 2, "id": 4, "tagName": "head", "attributes": {}, "childNodes": []}
    body = {"type": 2, "id": 5, "tagName": "body", "attributes": {"style": STYLE}, "childNodes": list(nodes)}
    html = {"type": 2, "id": 3, "tagName": "html", "attributes": {}, "childNodes": [head, body]}
    doctype = {"type": 1, "id": 2, "name": "html", "publicId": "", "systemId": ""}
    page = {"type": 0, "id": 1, "childNodes": [doctype, html]}
    width, height = size
    events = [
        {
            "type": META,
            "timestamp": BEGAN_MS,
            "data": {"href": "https://gym/", "width": width, "height": height},
        },
        {"type": FULL, "timestamp": BEGAN_MS, "data": {"node": page, "initialOffset": {"top": 0, "left": 0}}},
    ]
    times = {"first_ms": BEGAN_MS, "last_ms": BEGAN_MS}
    chunk_make(episode, 1, packed(events), events=2, has_snapshot=True, **times)


def element(tag: str, text: str = "", *, number: int = 10, **attributes: str) -> dict[str, Any]:
    children = [{"type": 3, "id": number + 1, "textContent": text}] if text else []
    return {"type": 2, "id": number, "tagName": tag, "attributes": attributes, "childNodes": children}
