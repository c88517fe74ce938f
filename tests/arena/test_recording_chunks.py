from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import LazySettings
from django.db import connection, transaction
from django.db.utils import ProgrammingError

from core.storage import blobs
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Blob, Episode, RecordingChunk, RecordingTally

PAGE = "0123456789abcdef"
BODY = gzip.compress(b'[{"type":4,"data":{},"timestamp":1}]')
SMALL = len(gzip.compress(b"[1]", mtime=0))
Send = Callable[..., int]
pytestmark = pytest.mark.usefixtures("own_storages")


@pytest.fixture
def send(arena_client: ArenaClient, address: Callable[..., str]) -> Send:
    """Post a chunk as a page would; the status."""

    def post(episode: Episode, body: bytes = BODY, *, header: str | None = None, **claim: Any) -> int:
        fields = {"page": PAGE, "seq": 1, "events": 1, "first_ms": 5, "last_ms": 6} | claim
        step, as_of = fields.pop("header_step", None), fields.pop("header_as_of", None)
        headers = {"x-gym-chunk": header if header is not None else msgspec.json.encode(fields).decode()}
        headers |= {"x-gym-step": step} if step else {}
        headers |= {"x-gym-as-of": as_of} if as_of else {}
        path = address(episode, "recording")
        return arena_client.generic(
            "POST", path, body, content_type="application/octet-stream", headers=headers
        ).status_code

    return post


def episode_make(**fields: Any) -> Episode:
    return factories.episode(**{"recording": "full", **fields})


def stored_body(chunk: RecordingChunk) -> bytes:
    with blobs.blob_open(chunk.sha256, storage="recordings") as file:
        return file.read()


def test_a_chunk_is_stored_with_the_fields_of_its_header(send: Send) -> None:
    episode = episode_make()

    assert (
        send(episode, snapshot=True, events=3, step=2, first_ms=1_790_000_000_000, last_ms=2**53 - 1) == 204
    )

    chunk = RecordingChunk.objects.get(episode=episode)
    assert (chunk.page, chunk.seq, chunk.step, chunk.events) == (PAGE, 1, 2, 3)
    assert (chunk.first_ms, chunk.last_ms, chunk.has_snapshot) == (1_790_000_000_000, 2**53 - 1, True)
    assert (chunk.size, stored_body(chunk)) == (len(BODY), BODY)


@pytest.mark.parametrize(
    ("own", "header", "served", "stored"),
    [
        (None, None, None, None),
        (None, None, 2, 2),
        (None, "3", 2, 3),
        (4, "3", 2, 4),
        (None, "-3", 2, 2),
        (9_999_999, "3", 2, 3),
        (9_999_999, "9999999", 2, 2),
        (None, None, 9_999_999, None),
    ],
)
def test_a_chunk_belongs_to_the_nearest_step(
    own: int | None, header: str | None, served: int | None, stored: int | None, send: Send
) -> None:
    episode = episode_make()

    assert send(episode, step=own, served=served, header_step=header) == 204

    assert RecordingChunk.objects.get(episode=episode).step == stored


def test_the_page_of_a_fork_that_is_restored_is_recorded(send: Send) -> None:
    parent = episode_make()
    fork = episode_make(parent=parent, begins_after=2, inherited_events=4)
    assert send(fork, header_as_of="4", snapshot=True) == 204
    assert RecordingChunk.objects.filter(episode=fork, has_snapshot=True).exists()


def test_plain_json_is_compressed_here(send: Send) -> None:
    episode = episode_make()

    assert send(episode, b'[{"type": 3}]') == 204

    assert gzip.decompress(stored_body(RecordingChunk.objects.get(episode=episode))) == b'[{"type": 3}]'


def test_a_chunk_sent_twice_is_stored_and_counted_once(send: Send) -> None:
    episode = episode_make()

    assert [send(episode) for _ in range(3)] == [204] * 3

    tally = RecordingTally.objects.get(episode=episode)
    assert (tally.chunks, tally.bytes, tally.capped) == (1, len(BODY), False)
    assert RecordingChunk.objects.filter(episode=episode).count() == 1


def test_other_bytes_under_a_known_number_change_nothing(send: Send, tmp_path: Path) -> None:
    episode = episode_make()
    send(episode)

    assert send(episode, gzip.compress(b"[]")) == 204

    assert stored_body(RecordingChunk.objects.get(episode=episode)) == BODY
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_chunk_whose_bytes_are_lost_is_accepted_again(send: Send, tmp_path: Path) -> None:
    episode = episode_make()
    send(episode)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.unlink()

    assert send(episode) == 204

    assert stored_body(RecordingChunk.objects.get(episode=episode)) == BODY


@pytest.mark.parametrize("caps", [{"RECORDING_CHUNKS_MAX": 2}, {"RECORDING_BYTES_MAX": 2 * SMALL + 1}])
def test_chunks_past_the_caps_are_dropped_silently(
    caps: dict[str, int], send: Send, settings: LazySettings, tmp_path: Path
) -> None:
    for name, value in caps.items():
        setattr(settings, name, value)
    episode = episode_make()

    statuses = [send(episode, gzip.compress(b"[%d]" % seq, mtime=0), seq=seq) for seq in range(1, 6)]

    assert statuses == [204] * 5
    assert list(RecordingChunk.objects.order_by("seq").values_list("seq", flat=True)) == [1, 2]
    assert RecordingTally.objects.get(episode=episode).capped
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


@pytest.mark.parametrize("recording", ["off", "events"])
def test_an_episode_that_is_not_recorded_in_full_refuses_chunks(recording: str, send: Send) -> None:
    assert send(factories.episode(recording=recording)) == 403

    assert not RecordingChunk.objects.exists()
    assert not RecordingTally.objects.exists()


def test_chunks_are_accepted_after_the_verdict_until_the_grace_ends(send: Send) -> None:
    episode = episode_make()
    factories.submission(episode)
    factories.verdict(episode)
    assert send(episode) == 204

    with connection.cursor() as cursor:
        cursor.execute("UPDATE trajectories_episode SET finished_at = now() - interval '1 day'")

    assert send(episode, seq=2) == 404


@pytest.mark.parametrize("token", ["x" * 32, "short", "%00" * 10])
def test_a_wrong_token_is_a_404(token: str, arena_client: ArenaClient) -> None:
    response = arena_client.generic("POST", f"/e/{token}/recording", BODY)

    assert response.status_code == 404


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"null", b"\x00" * 100, b"PK\x03\x04", b"<svg onload=alert(1)>"]
)
def test_a_body_that_is_not_a_chunk_is_refused(body: bytes, send: Send) -> None:
    episode = episode_make()

    assert send(episode, body) == 400

    assert not RecordingChunk.objects.exists()


@pytest.mark.parametrize(
    "claim",
    [
        {"page": "short"},
        {"page": "../../etc/passwd"},
        {"seq": 0},
        {"seq": 2**31},
        {"seq": "1"},
        {"events": 0},
        {"first_ms": -1},
        {"first_ms": 1.5},
        {"last_ms": 2**53},
        {"step": 0},
        {"snapshot": 1},
        {"more": 1},
    ],
)
def test_a_header_field_out_of_range_is_refused(claim: dict[str, Any], send: Send) -> None:
    assert send(episode_make(), **claim) == 400

    assert not RecordingChunk.objects.exists()


@pytest.mark.parametrize("header", ["", "{", "[]", "null", "\xff\xfe", '{"page": ' + "[" * 400, "x" * 5_000])
def test_an_empty_or_malformed_header_is_refused(header: str, send: Send) -> None:
    assert send(episode_make(), header=header) == 400


def test_a_chunk_that_is_too_large_is_413(send: Send) -> None:
    assert send(episode_make(), b"[" + b" " * 1024 * 1024) == 413

    assert not RecordingChunk.objects.exists()


def test_garbage_that_starts_like_gzip_is_stored_apart_from_the_blobs(send: Send) -> None:
    episode = episode_make()

    assert send(episode, b"\x1f\x8b\x08 no gzip at all") == 204

    chunk = RecordingChunk.objects.get(episode=episode)
    assert not blobs.blob_exists(chunk.sha256)
    assert not Blob.objects.exists()


def test_a_chunk_is_one_statement(send: Send, django_assert_num_queries: Any) -> None:
    episode = episode_make()
    with django_assert_num_queries(3):  # with SET ROLE and RESET ROLE
        send(episode)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT size FROM trajectories_recordingchunk",
        "UPDATE trajectories_recordingchunk SET seq = 2",
        "DELETE FROM trajectories_recordingchunk",
        "DELETE FROM trajectories_recordingtally",
        "SELECT 1 FROM trajectories_picture",
        "SELECT 1 FROM trajectories_blob",
        "INSERT INTO trajectories_blob (sha256, size, content_type) VALUES ('a', 1, 'b')",
    ],
)
def test_the_arena_may_only_add_chunks(statement: str, as_role: Any) -> None:
    with as_role("gym_arena"), pytest.raises(ProgrammingError, match="denied"), transaction.atomic():
        connection.cursor().execute(statement)
