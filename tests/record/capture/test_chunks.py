from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project

from core.episodes.tokens import token_make
from tests import factories
from tests.record.capture.factories import PAGE, chunk_make, event, packed
from trajectories.models import Episode
from trajectories.record.capture import chunks

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]

MEGABYTE = 1024 * 1024


@pytest.fixture
def episode(db: None) -> Episode:
    return factories.episode(recording="full")


def read(episode: Episode) -> dict[str, Any]:
    stored = chunks.list_chunks(episode_id=episode.pk, page=PAGE)
    return json.loads(b"".join(chunks.page_json(page=PAGE, chunks=stored, is_capped=False)))


def problems(episode: Episode) -> list[tuple[int, int, str]]:
    return [tuple(problem.values()) for problem in read(episode)["problems"]]


def test_events_of_all_chunks_come_in_their_order(episode: Episode) -> None:
    chunk_make(episode, 2, packed([event(3)]))
    chunk_make(episode, 1, packed([event(1, text="Ωμέγα 🏛"), event(2)]))
    chunk_make(episode, 1, packed([event(9)]), page="fedcba9876543210")

    answer = read(episode)

    assert [one["timestamp"] for one in answer["events"]] == [1, 2, 3]
    assert answer["events"][0] == {"type": 3, "timestamp": 1, "data": {"text": "Ωμέγα 🏛"}}
    assert (answer["page"], answer["problems"], answer["is_capped"]) == (PAGE, [], False)


def test_chunk_numbers_that_never_arrived_are_named(episode: Episode) -> None:
    chunk_make(episode, 3, packed([event(1)]))
    chunk_make(episode, 2**31 - 1, packed([event(2)]))

    assert problems(episode) == [(1, 2, "lost"), (4, 2**31 - 2, "lost")]
    assert len(read(episode)["events"]) == 2


def test_a_lost_chunk_is_named_and_the_rest_is_read(episode: Episode, own_storages: Path) -> None:
    gone = chunk_make(episode, 1, packed([event(1)]))
    chunk_make(episode, 2, packed([event(2)]))
    next(own_storages.rglob(gone.sha256)).unlink()

    assert problems(episode) == [(1, 1, "missing")]
    assert [one["timestamp"] for one in read(episode)["events"]] == [2]


@pytest.mark.parametrize(
    "stored",
    [
        b"\x1f\x8b\x08 no gzip",
        packed([event(1)])[:-9],
        b"plain",
        b"",
        packed({"type": 3}),
        packed([{"type": 3}]),
        packed([{"type": 7, "timestamp": 1}]),
        packed([{"type": 3, "timestamp": -1}]),
        packed([{"type": 3, "timestamp": 1e300}]),
        packed([{"type": "3", "timestamp": 1}]),
        packed([[[[]]]]),
        packed(None),
        gzip.compress(b"[1, 2", mtime=0),
        gzip.compress(b'[{"type": 3, "timestamp": NaN}]', mtime=0),
        gzip.compress(b'[{"type": 3, "timestamp": 1, "data": \xff}]', mtime=0),
        gzip.compress(b'[{"type": 3, "timestamp": 1, "data": "\xff"}]', mtime=0),
        gzip.compress(
            b'[{"type": 3, "timestamp": 1, "data": ' + b"[" * 300_000 + b"]" * 300_000 + b"}]", mtime=0
        ),
    ],
)
def test_a_damaged_chunk_is_named_and_the_rest_is_read(stored: bytes, episode: Episode) -> None:
    chunk_make(episode, 1, packed([event(1)]))
    chunk_make(episode, 2, stored)
    chunk_make(episode, 3, packed([event(3)]))

    assert problems(episode) == [(2, 2, "damaged")]
    assert [one["timestamp"] for one in read(episode)["events"]] == [1, 3]


def test_a_bomb_is_not_unpacked(episode: Episode) -> None:
    bomb = gzip.compress(b"[" + b" " * (8 * MEGABYTE))
    assert len(bomb) * chunks.RATIO_MAX < 8 * MEGABYTE
    chunk_make(episode, 1, bomb)

    assert problems(episode) == [(1, 1, "too_large")]


def test_a_small_repetitive_page_is_not_taken_for_a_bomb(episode: Episode) -> None:
    chunk_make(episode, 1, packed([event(1, text="word " * 100_000)]))

    assert problems(episode) == []


def test_nothing_is_unpacked_beyond_the_limit_of_a_page(
    episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "PAGE_MAX_BYTES", 1_000)
    for seq in range(1, 4):
        chunk_make(episode, seq, packed([event(seq, text=f"{seq}" * 400)]))

    assert problems(episode) == [(3, 3, "past_limit")]


@pytest.mark.parametrize("ending", [b"", b"broken", None])
def test_bytes_unpacked_from_unreadable_chunks_count_towards_the_limit(
    ending: bytes | None, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Truncated chunks, chunks with a damaged end, and chunks that unpack to too much."""
    monkeypatch.setattr(chunks, "PIECE_BYTES", 100)
    monkeypatch.setattr(chunks, "PAGE_MAX_BYTES", 1_000)
    if ending is None:
        monkeypatch.setattr(chunks, "CHUNK_MAX_BYTES", 600)
    stored = gzip.compress(bytes(range(250)) * 4)
    stored = stored if ending is None else stored[:-8] + ending
    for seq in (1, 2):
        chunk_make(episode, seq, stored)
    chunk_make(episode, 3, packed([event(3)]))

    assert problems(episode)[-1] == (3, 3, "past_limit")


def test_too_many_keys_are_not_decoded(episode: Episode, monkeypatch: pytest.MonkeyPatch) -> None:
    for seq in range(1, 4):
        chunk_make(episode, seq, packed([event(seq), event(seq)]))
    stored = chunks.list_chunks(episode_id=episode.pk, page=PAGE)
    decoded: list[int] = []
    monkeypatch.setattr(chunks, "_decode", lambda chunk, _plain: decoded.append(chunk.seq) or [])

    parts = list(chunks.parts_read(stored, limits=chunks.Limits(size=10_000, keys=12)))

    assert parts == [[], [], chunks.Problem(first=3, last=3, problem="past_limit")]
    assert decoded == [1, 2]


def test_the_token_is_masked_wherever_an_agent_wrote_it(episode: Episode) -> None:
    token = token_make(episode_id=episode.pk, key=project.TOKEN_KEY)
    chunk_make(episode, 1, packed([event(1, href=f"http://arena/e/{token}/")]))

    assert read(episode)["events"][0]["data"] == {"href": "http://arena/e/***/"}


def test_pages_are_listed_in_their_order(episode: Episode) -> None:
    chunk_make(episode, 1, packed([]), page="second-page", first_ms=50, last_ms=60, events=4)
    chunk_make(episode, 1, packed([]), first_ms=10, last_ms=20, step=1, has_snapshot=True)
    chunk_make(episode, 2, packed([]), first_ms=20, last_ms=40, step=3)

    first, second = chunks.recorded_pages(episode_id=episode.pk)

    assert (first.page, first.chunks, first.events, first.has_snapshot) == (PAGE, 2, 2, True)
    assert (first.first_ms, first.last_ms, first.first_step, first.last_step) == (10, 40, 1, 3)
    assert (second.page, second.events, second.has_snapshot, second.first_step) == (
        "second-page",
        4,
        False,
        None,
    )
