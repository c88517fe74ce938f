"""What is acknowledged survives, and what is damaged is noticed and replaced."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import InMemoryStorage, storages
from django.core.management import CommandError, call_command

from core.storage import blobs, durable_files
from tests import factories
from tests.record.capture.factories import chunk_make
from trajectories.record.blobs.services import parts_sweep

DATA = b"\x89PNG\r\n\x1a\n" + bytes(10_000)
NAME = hashlib.sha256(DATA).hexdigest()
PATH = Path(NAME[:2], NAME[2:4], NAME)
URL = f"/api/v1/blobs/{NAME}"
Event = tuple[str, ...]


class KeepsBoth(InMemoryStorage):
    """In memory, as most storages of Django: a second file of a name gets another name."""


class Overwrites(InMemoryStorage):
    """As S3: a second file of a name takes the place of the first."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: Any) -> str:
        if self.exists(name):
            self.delete(name)
        return super()._save(name, content)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    def local(name: str) -> dict[str, Any]:
        backend = "django.core.files.storage.FileSystemStorage"
        return {"BACKEND": backend, "OPTIONS": {"location": str(tmp_path / name)}}

    settings.STORAGES = {**settings.STORAGES, **{name: local(name) for name in blobs.STORAGES}}
    return tmp_path / "blobs"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    """What the process asks of the disk, in order."""
    events: list[Event] = []
    fsync, replace, rename, mkdir = os.fsync, os.replace, os.rename, os.mkdir

    def fsync_noted(fd: int) -> None:
        path = os.readlink(f"/proc/self/fd/{fd}")
        events.append(("fsync", path, str(os.fstat(fd).st_size)))
        fsync(fd)

    def noted(name: str, call: Callable[..., None]) -> Callable[..., None]:
        def do(*paths: Any, **options: Any) -> None:
            call(*paths, **options)
            events.append((name, *(os.fspath(path) for path in paths if isinstance(path, str | Path))))

        return do

    monkeypatch.setattr(os, "fsync", fsync_noted)
    monkeypatch.setattr(os, "replace", noted("rename", replace))
    monkeypatch.setattr(os, "rename", noted("rename", rename))
    monkeypatch.setattr(os, "mkdir", noted("mkdir", mkdir))
    yield events
    monkeypatch.undo()


def put(client: Any) -> Any:
    return client.put(URL, DATA, content_type="application/octet-stream")


def cut(folder: Path, size: int) -> None:
    os.truncate(folder / PATH, size)


def test_the_bytes_reach_the_disk_before_the_name_and_the_name_before_the_answer(
    folder: Path, calls: list[Event]
) -> None:
    blobs.blob_store(DATA)

    (rename,) = [event for event in calls if event[0] == "rename"]
    part, target = rename[1:]
    assert Path(target) == folder / PATH
    at = calls.index(rename)
    flushed_before = {event[1]: event[2] for event in calls[:at] if event[0] == "fsync"}
    assert flushed_before.get(part) == str(len(DATA)), "all bytes are flushed before the rename"
    flushed_after = {event[1] for event in calls[at:] if event[0] == "fsync"}
    named_in = {str(Path(target).parent)}
    named_in |= {str(Path(event[1]).parent) for event in calls if event[0] == "mkdir" and event[1] in target}
    named_in = {path for path in named_in if Path(path).is_relative_to(folder)}
    assert named_in == {str(folder), str(folder / NAME[:2]), str(folder / NAME[:2] / NAME[2:4])}
    assert flushed_after >= named_in, "every folder with a new name is flushed"


def test_a_blob_that_another_process_has_just_renamed_is_flushed_before_it_is_acknowledged(
    folder: Path, calls: list[Event]
) -> None:
    blobs.blob_store(DATA)
    calls.clear()

    assert not blobs.blob_store(DATA).is_new
    assert ("fsync", str((folder / PATH).parent)) in {event[:2] for event in calls}
    assert not [event for event in calls if event[0] == "rename"]


def test_a_disk_that_fails_to_flush_acknowledges_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        blobs.blob_store(DATA)
    assert not [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("left", [0, 1, len(DATA) - 1, len(DATA) + 1])
def test_an_upload_replaces_a_damaged_file(api: Callable[..., Any], folder: Path, left: int) -> None:
    client = api("trainer", "read")
    put(client)
    cut(folder, left)

    assert client.json("POST", "/blobs/missing", {"sha256": [NAME]}) == (200, {"missing": [NAME]})
    assert client.get(URL).status_code == 404
    assert client.get(URL, headers={"If-None-Match": f'"{NAME}"'}).status_code == 404
    assert put(client).status_code == 201
    assert client.json("POST", "/blobs/missing", {"sha256": [NAME]}) == (200, {"missing": []})
    assert client.get(URL).getvalue() == DATA
    assert put(client).status_code == 200


def test_an_empty_file_without_a_row_is_damage_unless_nothing_is_what_it_holds(folder: Path) -> None:
    blobs.blob_store(DATA)
    nothing = blobs.blob_store(b"").sha256
    assert blobs.blob_exists(NAME)
    cut(folder, 0)

    assert (blobs.blob_exists(NAME), blobs.blob_exists(nothing)) == (False, True)


@pytest.mark.parametrize("storage", [KeepsBoth, Overwrites])
def test_every_storage_replaces_a_damaged_file(settings: Any, storage: type[InMemoryStorage]) -> None:
    settings.STORAGES = {**settings.STORAGES, "blobs": {"BACKEND": f"{__name__}.{storage.__qualname__}"}}
    place, name = storages["blobs"], PATH.as_posix()
    place.save(name, io.BytesIO(b""))
    assert blobs.blob_size(NAME) == 0

    assert blobs.blob_store(DATA).is_new
    assert not blobs.blob_store(DATA).is_new
    with blobs.blob_open(NAME) as file:
        assert file.read() == DATA
    assert place.listdir(str(PATH.parent))[1] == [NAME], "nothing else is left"


def test_parts_of_killed_uploads_are_swept_and_those_of_running_ones_stay(folder: Path) -> None:
    for storage in blobs.STORAGES:
        blobs.blob_store(DATA, storage=storage)
    incoming = [folder.with_name(name) / "incoming" for name in blobs.STORAGES]
    for at in incoming:
        for name, age_s in (("dead", durable_files.PART_MAX_AGE_S + 60), ("running", 60)):
            (at / name).write_bytes(b"half")
            os.utime(at / name, (time.time() - age_s,) * 2)

    assert parts_sweep() == 3
    assert [[path.name for path in at.iterdir()] for at in incoming] == [["running"]] * 3
    assert blobs.blob_exists(NAME, size=len(DATA))


def test_a_storage_that_refuses_does_not_stop_the_sweep(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_self: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    part = folder / "incoming" / "dead"
    part.parent.mkdir(parents=True)
    part.touch()
    os.utime(part, (0, 0))
    monkeypatch.setattr(Path, "unlink", refuse)

    assert parts_sweep() == 0
    assert "Permission denied" in caplog.text


def check(*options: str) -> str:
    out = io.StringIO()
    try:
        call_command("check_blobs", *options, stdout=out)
    except CommandError as error:
        out.write(f"{error}\n")
    return out.getvalue()


def test_the_check_reports_each_kind_of_damage(api: Callable[..., Any], folder: Path) -> None:
    client = api("trainer")
    put(client)
    chunk = chunk_make(factories.episode(), 1, b"a recording")
    assert check("--contents") == "Every file is there.\n"

    (folder / PATH).write_bytes(DATA[::-1])
    assert check() == "Every file is there.\n"
    assert f"blobs: {NAME} has content that does not match its name" in check("--contents")

    cut(folder, 0)
    storages["recordings"].delete(f"{chunk.sha256[:2]}/{chunk.sha256[2:4]}/{chunk.sha256}")
    report = check()
    assert f"blobs: {NAME} has 0 of {len(DATA):,} bytes" in report
    assert f"recordings: {chunk.sha256} is missing" in report
    assert report.endswith("2 files are missing or damaged.\n")


def test_bytes_changed_in_place_are_replaced_once_the_check_has_deleted_them(
    api: Callable[..., Any], folder: Path
) -> None:
    client = api("trainer", "read")
    put(client)
    (folder / PATH).write_bytes(DATA[::-1])

    check("--contents", "--delete")
    assert put(client).status_code == 201
    assert client.get(URL).getvalue() == DATA
    assert check("--contents") == "Every file is there.\n"
