"""An episode of any length, with texts, pictures and events of realistic sizes."""

from __future__ import annotations

import functools
import io
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from PIL import Image, ImageDraw

from core.storage import blobs
from tests import factories
from trajectories.models import Blob, Episode, PageEvent, Picture, SiteEvent, Step

PLACES = ("search", "offer", "dates", "guests", "checkout")
SIZE = (1280, 800)
THOUGHT = (
    "The page of {place} shows {shown} offers. The task asks for the cheapest room that can be cancelled and "
    "has breakfast, for {nights} nights. I compare the totals, not the prices of one night: "
    "{nights} x {price} = {total}.\n\nThe offer at the top is cheaper by itself but can not be cancelled, "
    "so it does not count. Next I open the filter and set both conditions, then sort by total price, so that "
    "nothing is overlooked further down."
)
OFFER = '  [e{number}] link "Hotel {number}" description="from {price} a night, breakfast, free cancellation"'
ACTIONS: tuple[dict[str, Any], ...] = (
    {"type": "click", "target": "e14"},
    {"type": "type", "target": "e7", "text": "Lisbon, 3 to 6 May", "clear": True},
    {"type": "scroll", "dy": 600},
    {"type": "select", "target": "e9", "value": "Total price"},
    {"type": "press", "key": "Enter"},
    {"type": "click", "target": "e99"},
)
RESULTS = ("ok", "ok", "ok", "ok", "ok", "no_target")
STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def picture_make(place: str, *, shade: int = 0) -> str:
    """Store a picture of a page, and return its hash."""
    stored = blobs.blob_store(_drawn(place, shade, SIZE))
    defaults = {"size": stored.size, "content_type": stored.content_type}
    Blob.objects.update_or_create(sha256=stored.sha256, defaults=defaults)
    Picture.objects.get_or_create(
        pk=stored.sha256, defaults={"width": SIZE[0], "height": SIZE[1], "state": Picture.State.OK}
    )
    return stored.sha256


@functools.cache
def _drawn(place: str, shade: int, size: tuple[int, int]) -> bytes:
    drawn = Image.new("RGB", size, (250, 249, 246))
    draw = ImageDraw.Draw(drawn)
    draw.rectangle((0, 0, size[0], 64), fill=(24, 88, 122))
    draw.text((40, 16), f"Stays / {place}", fill="white", font_size=28)
    for row in range(5):
        top = 100 + row * 138
        draw.rectangle((40, top, 1240, top + 120), outline=(205, 200, 190), fill="white", width=2)
        draw.rectangle((56, top + 14, 220, top + 106), fill=(120 + 20 * row, 150 - shade, 160))
        draw.text((250, top + 16), f"Hotel {row + 1}", fill=(30, 30, 30), font_size=26)
        draw.text((250, top + 60), f"from {62 + 9 * row + shade} a night", fill=(90, 90, 90), font_size=20)
        draw.rectangle((1060, top + 60, 1210, top + 104), fill=(24, 88, 122))
        draw.text((1090, top + 68), "See offer", fill="white", font_size=20)
    data = io.BytesIO()
    drawn.save(data, "PNG")
    return data.getvalue()


def tree_make(place: str, index: int) -> str:
    """Return an observation of some 4,000 characters."""
    lines = [f'page "Stays" https://gym/{place}', f'[e1] heading "{place}" level=1']
    lines += ['[e7] textbox "Where and when" value=""', '[e9] combobox "Sort by"']
    lines += [OFFER.format(number=10 + row, price=60 + (index * 7 + row) % 50) for row in range(45)]
    return "\n".join(lines)


@transaction.atomic
def long_episode(*, steps: int, pictures: int = 5, **fields: Any) -> Episode:
    """Create a judged episode of ``steps`` steps, in which every sixth step is a click that hits nothing."""
    episode = factories.episode(max_steps=steps, **fields)
    made = [picture_make(PLACES[number % 5], shade=number // 5) for number in range(pictures)]
    Step.objects.bulk_create(
        [
            _step(episode, index, picture=made[index // 3 % pictures] if made else "")
            for index in range(1, steps + 1)
        ],
        batch_size=1000,
    )
    PageEvent.objects.bulk_create(_page_events(episode, steps), batch_size=1000)
    SiteEvent.objects.bulk_create(
        [
            SiteEvent(
                episode=episode, seq=index, step=index, kind="page_served", data={"path": f"/offers/{index}"}
            )
            for index in range(1, steps + 1)
        ],
        batch_size=1000,
    )
    factories.submission(episode, "Hotel 3")
    factories.verdict(episode, verifier="numeric-v1", gold_version=1)
    return episode


def _step(episode: Episode, index: int, *, picture: str) -> Step:
    place = PLACES[index // 3 % len(PLACES)]
    action = ACTIONS[index % len(ACTIONS)]
    thought = THOUGHT.format(
        place=place, shown=40 + index % 9, nights=3, price=60 + index, total=180 + 3 * index
    )
    return Step(
        episode=episode,
        index=index,
        thought=thought,
        raw=f"{thought}\nAction: {action}",
        action=action,
        action_type=action["type"],
        action_result=RESULTS[index % len(RESULTS)],
        observation_kind="axtree-v2",
        observation_text=tree_make(place, index),
        screenshot=picture,
        url=f"https://gym/{place}",
        started_at=STARTED + timedelta(seconds=3 * index),
        duration_ms=float(700 + (index * 977) % 6000),
        policy_version=3,
        content_hash=b"\0" * 16,
        more={"model_ms": 1620.0, "env_ms": 96.0, "usage": {"prompt": 1184, "completion": 212}},
    )


def _page_events(episode: Episode, steps: int) -> list[PageEvent]:
    events = [
        PageEvent(episode=episode, page="p", seq=1, kind="load", at_ms=1, data={"width": 1280, "height": 800})
    ]
    for index in range(1, steps + 1):
        kind = {"click": "click", "type": "input"}.get(ACTIONS[index % len(ACTIONS)]["type"])
        if kind is None or RESULTS[index % len(RESULTS)] != "ok":
            continue
        data = {"role": "link", "name": "See offer", "x": 1135, "y": 320, "box": [1060, 298, 150, 44]}
        if kind == "input":
            data = {"role": "textbox", "name": "Where and when", "box": [40, 100, 1200, 120]}
        events.append(
            PageEvent(
                episode=episode,
                page="p",
                seq=index + 1,
                step=index,
                kind=kind,
                at_ms=index * 900.5,
                data=data,
            )
        )
    return events
