"""A row of slow background work: how soon an episode has its facts while pictures are waiting."""

from __future__ import annotations

import hashlib
import io
import random
import time
from collections.abc import Iterator
from typing import LiteralString

import httpx
import psycopg
from PIL import Image

from tests.bench.installation import Installation
from tests.bench.table import Row

PICTURES = 400
SIZE = (1280, 800)
# Every five seconds, episodes that ended at least five seconds ago are looked up.
TARGET_S = 15.0
PATIENCE_S = 120.0
POLL_S = 0.1

FACTS = "SELECT count(*) FROM trajectories_episodefacts WHERE episode_id = %(episode)s"
DONE = "SELECT count(*) FROM trajectories_picture WHERE sha256 = ANY(%(pictures)s)"


def rows(place: Installation) -> Iterator[Row]:
    run = place.run_create("pictures")
    (episode,) = place.episodes_open(run, place.question_ids(), 1, arm="text_zero_shot")
    pictures = _pictures_store(place)
    place.call("POST", f"/episodes/{episode['id']}/submission", {"answer": "42"})
    place.call("POST", f"/episodes/{episode['id']}/close", {"reason": "agent_stopped"})
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        began = time.perf_counter()
        while not _count(owner, FACTS, episode=episode["id"]):
            if time.perf_counter() - began > PATIENCE_S:
                raise RuntimeError("the episode has no facts")
            time.sleep(POLL_S)
        seconds = time.perf_counter() - began
        waiting = PICTURES - _count(owner, DONE, pictures=pictures)
    note = f"of {PICTURES} pictures {waiting} still waited then"
    yield Row("facts beside pictures", seconds, "s", TARGET_S, is_lower_better=True, note=note)


def _pictures_store(place: Installation) -> list[str]:
    """Upload many different pictures, and return their hashes."""
    dice = random.Random(0)
    names = []
    with httpx.Client(headers={"Authorization": f"Bearer {place.key}"}, trust_env=False) as client:
        for number in range(PICTURES):
            picture = Image.frombytes("L", (64, 40), dice.randbytes(64 * 40)).resize(SIZE)
            content = io.BytesIO()
            picture.save(content, "PNG", compress_level=1)
            names.append(hashlib.sha256(content.getvalue()).hexdigest())
            answer = client.put(f"{place.api}/blobs/{names[number]}", content=content.getvalue())
            answer.raise_for_status()
    return names


def _count(owner: psycopg.Connection, query: LiteralString, **values: object) -> int:
    row = owner.execute(query, values).fetchone()
    return int(row[0]) if row else 0
