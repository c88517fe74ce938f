"""Episodes of the mock sites for measurements: their tasks, worlds, and the pages that an agent visits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg.types.json import Jsonb

from gymsite.services import secrets
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_arguments, world_key
from tasks_app.worlds.registry import discover, worlds
from tests.bench.installation import Installation

SITES = ("stays", "reviews")
FIRST_DAY = date(2027, 3, 1)
TEXT = (
    "Find the cheapest room that has a desk and a balcony and that no guest shares with others. "
    "Write its total price and its number."
)
FIELDS = ("Total price", "Number")
FORMS = 2

_INSERT = """
INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate, oracle_steps,
    gap_eligible, gap_reason, content_hash)
VALUES (%(site)s, 'bench', %(key)s, 'site', %(text)s, %(payload)s, '{}', 0, 12, false, 'pages only', %(key)s)
ON CONFLICT (benchmark_id, split, key) DO UPDATE SET content_hash = excluded.content_hash
RETURNING id"""


@dataclass(frozen=True)
class Visited:
    """An episode and the URLs of some of its pages, beginning with the first page."""

    id: int
    start_url: str
    pages: tuple[str, ...]

    @property
    def urls(self) -> Iterator[str]:
        return (self.start_url + page for page in self.pages)


def payload_make(place: Installation, *, site: str, number: int, **more: Any) -> dict[str, Any]:
    salt = bytes.fromhex(secrets.read(place.var_dir, "world_salt"))
    question = {"text": TEXT, "fields": list(FIELDS), "forms": FORMS, **more}
    key = world_key(salt=salt, site=site, number=number)
    return {
        "site": site,
        "world": number,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=key, text=question["text"]),
        "format": "plain",
        **question,
    }


def tasks_insert(place: Installation, payloads: Iterable[dict[str, Any]]) -> list[int]:
    """Insert tasks with these payloads but no golds, and return their ids in order.

    Several parts of the bench share tasks.
    """
    rows = [_row(number, payload) for number, payload in enumerate(payloads)]
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner, owner.cursor() as cursor:
        cursor.executemany(_INSERT, rows, returning=True)
        return [cursor.fetchone()[0] for _ in cursor.results()]


def _row(number: int, payload: dict[str, Any]) -> dict[str, Any]:
    key = sha256(f"{number}:{sorted(payload.items())}".encode()).hexdigest()[:40]
    return {"site": payload["site"], "key": key, "text": payload["text"], "payload": Jsonb(payload)}


def payloads_of(place: Installation, *, count: int, worlds_each: int, first: int) -> list[dict[str, Any]]:
    """Return the payloads of ``count`` tasks, of both sites in turn, in worlds numbered from ``first``."""
    return [
        payload_make(
            place, site=SITES[number % 2], number=PUBLIC_WORLD + 1 + first + number // 2 % worlds_each
        )
        for number in range(count)
    ]


def visits(
    place: Installation, run: int, payloads: list[dict[str, Any]], tasks: list[int], **more: object
) -> list[Visited]:
    """Open a new episode of each task, and return it with the pages that an agent visits in its world."""
    return [
        Visited(id=episode["id"], start_url=episode["start_url"], pages=pages_of(place, payload))
        for episode, payload in zip(place.episodes_open(run, tasks, **more), payloads, strict=True)
    ]


def pages_of(place: Installation, payload: dict[str, Any]) -> tuple[str, ...]:
    """Return the pages that a reading agent visits: the first, the results, and all about one result."""
    discover()
    salt = bytes.fromhex(secrets.read(place.var_dir, "world_salt"))
    world = worlds.get(payload["site"]).open_world(**world_arguments(payload, salt=salt))
    return PAGES[payload["site"]](world)


def _stays_pages(world: Any) -> tuple[str, ...]:
    first = FIRST_DAY + timedelta(days=20)
    dates = f"check_in={first}&check_out={first + timedelta(days=3)}&guests=2"
    listing = max(world.listings, key=lambda one: (len(one.rooms), one.review_count, one.id)).id
    return (
        "",
        f"search?{dates}",
        f"search?{dates}&page=2",
        f"stays/{listing}?{dates}",
        f"stays/{listing}/reviews",
        "trips",
    )


def _reviews_pages(world: Any) -> tuple[str, ...]:
    product = min(world.products, key=lambda one: (abs(one.review_count - 200), one.id)).id
    return (
        "",
        f"products/{product}",
        f"products/{product}/reviews",
        f"products/{product}/reviews?page=2",
        f"products/{product}/reviews?stars=4&sort=helpful",
        f"products/{product}/questions",
    )


PAGES = {"stays": _stays_pages, "reviews": _reviews_pages}


def in_turn(visited: list[Visited]) -> list[str]:
    """Return all pages of all episodes: first the first page of each, then the second, and so on."""
    return list(chain.from_iterable(zip(*(one.urls for one in visited), strict=True)))


def path_of(url: str) -> str:
    """Return a URL without the server."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
