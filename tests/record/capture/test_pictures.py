from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db.models.functions import Now
from kombu.exceptions import OperationalError as QueueUnreachable
from PIL import Image

from core.storage import blobs, thumbnails
from core.work import queues, sweep
from core.work.sweep import BEGINNING, Place
from trajectories.models import Blob, Picture
from trajectories.record.capture import jobs, pictures
from trajectories.record.chores.walks import COMMIT_S

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


def png(width: int = 640, height: int = 360, colour: str = "white") -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(data, "PNG")
    return data.getvalue()


def blob_make(data: bytes, *, age_s: float = 60, content_type: str = "image/png") -> str:
    stored = blobs.blob_store(data)
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type=content_type)
    Blob.objects.filter(pk=stored.sha256).update(created_at=Now() - timedelta(seconds=age_s))
    return stored.sha256


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_claiming(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    lines = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


def test_a_picture_row_holds_its_size_and_hash(as_role: Callable[[str], Any]) -> None:
    sha256 = blob_make(png(640, 360))

    with as_role("gym_worker"):
        assert pictures.picture_note(sha256)

    noted = Picture.objects.get()
    whole = thumbnails.picture_read(sha256)
    assert whole is not None
    assert (noted.sha256, noted.state, noted.width, noted.height) == (sha256, "ok", 640, 360)
    assert noted.phash == pictures.perceptual_hash(whole)
    assert not thumbnails.thumbnail_exists(sha256)


def test_a_thumbnail_is_made_at_the_first_look(
    as_role: Callable[[str], Any], django_assert_num_queries: Any
) -> None:
    sha256 = blob_make(png(640, 360))
    pictures.picture_note(sha256)

    with as_role("gym_lab"):
        pictures.thumbnail_ensure(sha256)

    assert storages["blobs"].exists(f"thumbnails/{sha256[:2]}/{sha256}.webp")
    with django_assert_num_queries(0):
        pictures.thumbnail_ensure(sha256)


def test_the_lab_makes_no_thumbnail_of_a_picture_that_no_worker_has_read() -> None:
    unread = blob_make(png(64, 36))
    pictures.thumbnail_ensure(unread)
    assert not thumbnails.thumbnail_exists(unread)


@pytest.mark.parametrize(("side", "is_made"), [(640, True), (pictures.SIDE_MAX + 1, False)])
def test_the_picture_of_a_task_has_a_thumbnail_unless_it_is_huge(side: int, is_made: bool) -> None:
    sha256 = blobs.blob_store(png(side, 4)).sha256
    pictures.thumbnail_ensure(sha256)
    assert thumbnails.thumbnail_exists(sha256) == is_made


def test_the_worker_makes_the_thumbnail_of_a_huge_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = blob_make(png(5_000, 4))
    pictures.picture_note(huge)
    assert thumbnails.thumbnail_exists(huge)
    monkeypatch.setattr(thumbnails, "picture_read", None)
    pictures.thumbnail_ensure(huge)


def test_reading_a_picture_twice_changes_nothing(django_assert_num_queries: Any) -> None:
    sha256 = blob_make(png())
    pictures.picture_note(sha256)
    before = Picture.objects.values().get()

    with django_assert_num_queries(1):
        assert pictures.picture_note(sha256)

    assert Picture.objects.values().get() == before


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n broken",
        png()[:-30],
        png_claiming(50_000, 50_000),
        png_claiming(12_000, 9_000),
        png_claiming(0, 0),
        b"GIF89a" + b"\xff" * 40,
        b"RIFF\0\0\0\0WEBPVP8 " + b"\xff" * 40,
        b"\xff\xd8\xff\xe0" + b"\0" * 100,
        b"<svg onload=alert(1)>",
    ],
)
def test_a_hostile_picture_is_unreadable_and_not_queued_again(data: bytes) -> None:
    sha256 = blob_make(data)

    assert not pictures.picture_note(sha256)

    noted = Picture.objects.get()
    assert (noted.state, noted.phash, noted.width) == ("unreadable", "", 0)
    assert due() == []


def test_a_picture_that_kills_its_worker_is_not_queued_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = blob_make(png())

    def killed(_: str) -> None:
        raise SystemExit

    monkeypatch.setattr(thumbnails, "picture_read", killed)
    with pytest.raises(SystemExit):
        pictures.picture_note(sha256)

    assert Picture.objects.get().state == "unreadable"
    assert due() == []
    monkeypatch.undo()
    assert pictures.picture_note(sha256)
    assert Picture.objects.get().state == "ok"


def test_a_picture_whose_blob_is_gone_is_unreadable() -> None:
    assert not pictures.picture_note("0" * 64)

    assert Picture.objects.get().state == "unreadable"


def test_a_storage_failure_leaves_a_picture_without_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(_: str) -> None:
        raise OSError("no storage")

    monkeypatch.setattr(blobs, "blob_open", unreachable)
    jobs.picture(sha256="0" * 64)

    assert not Picture.objects.exists()


def due() -> list[str]:
    return [row.key for row in pictures.pictures_after(Place(BEGINNING, ""), 0.0) if row.is_due]


class Queue:
    """Accepts a fixed number of jobs."""

    name = "media.picture"

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[str] = []

    def apply_async(self, *, kwargs: dict[str, str], queue: str, retry: bool, headers: object) -> None:
        assert queue == queues.PICTURES.id
        if len(self.taken) == self.room:
            raise QueueUnreachable
        self.taken.append(kwargs["sha256"])


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    made = Queue(room=10)
    monkeypatch.setattr(jobs, "picture", made)
    monkeypatch.setattr(sweep, "queue_length", lambda _queue: 0)
    return made


def test_the_sweeper_queues_pictures_without_a_row(queue: Queue, as_role: Callable[[str], Any]) -> None:
    first, second = blob_make(png(10, 10), age_s=900), blob_make(png(20, 20), age_s=90)
    blob_make(b"text", content_type="text/plain")
    pictures.picture_note(blob_make(png(40, 40), age_s=100))

    with as_role("gym_worker"):
        assert jobs.picture_sweep()() == 2

    assert queue.taken == [first, second]


def test_a_picture_that_the_queue_did_not_take_is_sent_again(queue: Queue) -> None:
    queue.room = 1
    first, second = blob_make(png(10, 10), age_s=900), blob_make(png(20, 20), age_s=90)
    sweep = jobs.picture_sweep()

    assert sweep() == 1
    queue.room = 10
    pictures.picture_note(first)
    assert sweep() == 1

    assert queue.taken == [first, second]


def test_a_picture_committed_late_is_queued_by_the_same_sweeper(queue: Queue) -> None:
    sweep = jobs.picture_sweep()
    assert sweep() == 0

    late = blob_make(png(), age_s=COMMIT_S - 10)

    assert sweep() == 1
    assert queue.taken == [late]


def test_nothing_is_sent_to_a_queue_that_is_not_empty(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    blob_make(png())
    monkeypatch.setattr(sweep, "queue_length", lambda _queue: 1)

    assert jobs.picture_sweep()() == 0

    assert queue.taken == []
