from __future__ import annotations

import hashlib
import io
import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from core.storage import blobs, file_lock
from tests import factories
from tests.rollouts.runs.test_sums import _counted, _stored
from trajectories.models import (
    Blob,
    Episode,
    Fidelity,
    Group,
    Pruning,
    RecordingChunk,
    RecordingTally,
    Run,
    Step,
    Verdict,
)
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record.blobs import services
from trajectories.rollouts import retention

OLD = timedelta(days=100)


@pytest.fixture(autouse=True)
def _own(own_storages: Path) -> None:
    """Nobody else's files are counted."""


def _prune(*arguments: object) -> str:
    out = io.StringIO()
    call_command("prune", *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def _uploaded(data: bytes, *, is_old: bool = True) -> str:
    sha256 = hashlib.sha256(data).hexdigest()
    services.blob_put(sha256=sha256, read=io.BytesIO(data).read, project=DEFAULT_PROJECT)
    if is_old:
        Blob.objects.filter(pk=sha256).update(used_at=timezone.now() - OLD)
        _age(sha256, "blobs")
    return sha256


def _age(sha256: str, storage: str) -> None:
    path = storages[storage].path(f"{sha256[:2]}/{sha256[2:4]}/{sha256}")
    long_ago = time.time() - OLD.total_seconds()
    os.utime(path, (long_ago, long_ago))


def _ended(*, run: Run | None = None, screenshot: str = "", **fields: Any) -> Episode:
    """An episode that ended long ago."""
    episode = factories.episode(**({"run": run} if run else {}), **fields)
    factories.step(episode, screenshot=screenshot)
    factories.verdict(episode)
    Episode.objects.filter(pk=episode.pk).update(finished_at=timezone.now() - OLD)
    Run.objects.filter(pk=episode.run_id).update(created_at=timezone.now() - OLD)
    return episode


def _recorded(episode: Episode, data: bytes) -> str:
    stored = blobs.blob_store(data, storage=blobs.RECORDINGS)
    RecordingChunk.objects.create(
        episode=episode, page="p" * 8, seq=1, sha256=stored.sha256, size=stored.size, events=1,
        first_ms=1, last_ms=2,
    )  # fmt: skip
    RecordingTally.objects.create(episode=episode, chunks=1, bytes=stored.size)
    _age(stored.sha256, "recordings")
    return stored.sha256


@pytest.mark.django_db(transaction=True)
def test_nothing_is_deleted_without_yes() -> None:
    episode = _ended(screenshot=_uploaded(b"shown"), recording="full")
    chunk = _recorded(episode, b"recorded")
    unnamed = _uploaded(b"unnamed")

    report = _prune("--runs", episode.run_id)
    assert f"run {episode.run_id}: 1 episodes" in report
    assert "files of blobs to which nothing refers: 2, 12 bytes" in report
    assert "files of recordings to which nothing refers: 1, 8 bytes" in report
    assert "Nothing was deleted" in report
    report = _prune("--older-than", 50, "--what", "screenshots")
    assert "screenshots: 1 episodes" in report
    assert "files of blobs to which nothing refers: 2, 12 bytes" in report
    report = _prune("--older-than", 50, "--what", "recordings")
    assert "files of recordings to which nothing refers: 1, 8 bytes" in report

    assert Run.objects.filter(pk=episode.run_id).exists()
    assert not Pruning.objects.exists()
    assert blobs.blob_exists(unnamed)
    assert blobs.blob_exists(chunk, storage=blobs.RECORDINGS)


@pytest.mark.django_db(transaction=True)
def test_a_run_goes_with_all_that_belongs_to_it_and_nothing_else() -> None:
    run, other = factories.run(), factories.run()
    for _ in range(3):
        _recorded(_ended(run=run, screenshot=_uploaded(b"shown"), recording="full"), b"recorded")
    other_episode = _ended(run=other, screenshot=_uploaded(b"shown too"))

    _prune("--runs", run.pk, "--yes")

    assert list(Run.objects.values_list("pk", flat=True)) == [other.pk]
    assert list(Episode.objects.all()) == [other_episode]
    relations = (*Episode._meta.related_objects, *Run._meta.related_objects)
    for relation in (one for one in relations if one.name not in ("forks", "interventions")):
        name = relation.field.name
        rows = relation.related_model._base_manager.exclude(**{f"{name}__in": [other_episode.pk, other.pk]})
        assert not rows.exists(), relation
    assert list(blobs.stored_blobs(storages["blobs"])) == [other_episode.steps.get().screenshot]
    assert list(blobs.stored_blobs(storages["recordings"])) == []
    assert set(Blob.objects.values_list("pk", flat=True)) == {other_episode.steps.get().screenshot}


@pytest.mark.django_db(transaction=True)
def test_forks_in_other_runs_outlive_their_parents() -> None:
    run = factories.run()
    fork = _ended(run=factories.run(), parent=_ended(run=run))

    _prune("--runs", run.pk, "--yes")

    assert list(Episode.objects.all()) == [fork]
    assert not Episode.objects.get().is_plain


@pytest.mark.django_db(transaction=True)
def test_a_run_with_an_open_episode_is_left_alone() -> None:
    run = factories.run()
    _ended(run=run)
    factories.episode(run=run)

    with pytest.raises(CommandError, match="open"):
        _prune("--runs", run.pk, "--yes")
    _prune("--older-than", 50, "--what", "runs", "--yes")

    assert Episode.objects.filter(run=run).count() == 2


@pytest.mark.django_db(transaction=True)
def test_sums_are_right_after_each_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is opened again while it goes keeps the new episodes, and its sums count them alone."""
    from trajectories.rollouts import retention

    run = factories.run()
    for outcome, reason in (("correct", "answer"), ("incorrect", "answer"), ("void", "lease_lost")):
        for version in (None, 1):
            episode = factories.episode(run=run, policy_version=version)
            factories.verdict(episode, outcome, reason)
    Episode.objects.update(finished_at=timezone.now() - OLD)
    monkeypatch.setattr(retention, "GROUPS_AT_ONCE", 2)
    batches = 0

    def looked(_count: int) -> None:
        nonlocal batches
        batches += 1
        assert _stored(run) == _counted(run)
        if batches == 1:
            factories.episode(run=run)

    retention.run_prune(run.pk, progress=looked)

    assert batches >= 3
    assert Episode.objects.filter(run=run).count() == 1
    before = _stored(run)
    call_command("rebuild_sums", stdout=io.StringIO())
    assert _stored(run) == before == _counted(run)
    assert not Verdict.objects.filter(run=run).exists()
    assert Group.objects.filter(run=run).count() == 1


@pytest.mark.django_db(transaction=True)
def test_screenshots_go_where_nothing_else_names_them() -> None:
    shared, own = _uploaded(b"shared"), _uploaded(b"own")
    old, shown_too = _ended(screenshot=own), _ended(screenshot=shared)
    fresh = factories.episode()
    factories.step(fresh, screenshot=shared)
    factories.verdict(fresh)

    report = _prune("--older-than", 50, "--what", "screenshots", "--yes")

    assert "screenshots: 2 episodes" in report
    assert not blobs.blob_exists(own)
    assert blobs.blob_exists(shared)
    assert set(Pruning.objects.values_list("pk", flat=True)) == {old.pk, shown_too.pk}
    assert Step.objects.get(episode=old).screenshot == own
    assert "screenshots: 0 episodes" in _prune("--older-than", 50, "--what", "screenshots", "--yes")


@pytest.mark.django_db(transaction=True)
def test_every_kind_of_name_keeps_a_file() -> None:
    kinds = {
        kind: _uploaded(kind.encode())
        for kind in ("observation", "prompt", "tokens", "replay", "mask", "task")
    }
    episode = _ended()
    Step.objects.filter(episode=episode).update(
        observation_sha256=kinds["observation"],
        more={"prompt_sha256": kinds["prompt"], "tokens_blob": kinds["tokens"]},
    )
    Fidelity.objects.create(
        episode=episode,
        index=1,
        state="faithful",
        version=1,
        replay=kinds["replay"],
        difference=kinds["mask"],
    )
    factories.task(payload={"pictures": [{"sha256": kinds["task"]}]})
    Blob.objects.filter(pk=kinds["task"]).delete()  # pictures of tasks have no row

    _prune("--yes")

    assert {kind for kind, sha256 in kinds.items() if not blobs.blob_exists(sha256)} == set()


def test_every_field_of_a_step_that_names_a_blob_is_known() -> None:
    import msgspec

    from trajectories.rollouts.episodes.step_records import MORE_FIELDS, Sha256, StepIn

    named = {field.name for field in msgspec.structs.fields(StepIn) if field.type == Sha256 | None}
    assert named & set(MORE_FIELDS) == set(retention.FIELDS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("use", ["upload", "question", "row not there yet"])
def test_what_was_used_lately_stays(use: str) -> None:
    data = b"used"
    sha256 = _uploaded(data)
    if use == "upload":
        services.blob_put(sha256=sha256, read=io.BytesIO(data).read, project=DEFAULT_PROJECT)
    elif use == "question":
        assert services.blobs_missing([sha256], project=DEFAULT_PROJECT) == []
    else:
        Blob.objects.all().delete()
        os.utime(storages["blobs"].path(f"{sha256[:2]}/{sha256[2:4]}/{sha256}"))

    _prune("--yes")

    assert blobs.blob_exists(sha256)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_row", [True, False])
@pytest.mark.parametrize("moment", ["before the rows", "before the file", "before the end"])
def test_an_upload_while_its_file_is_deleted_ends_with_the_file(
    moment: str, has_row: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The upload begins at some moment of the deletion, and may wait for its end."""
    data = b"uploaded again" * 10
    sha256 = _uploaded(data)
    if not has_row:
        Blob.objects.all().delete()
    uploads: list[threading.Thread] = []

    def upload() -> None:
        services.blob_put(sha256=sha256, read=io.BytesIO(data).read, project=DEFAULT_PROJECT)
        connection.close()

    def begin() -> None:
        uploads.append(threading.Thread(target=upload))
        uploads[0].start()
        uploads[0].join(0.5)

    _at(moment, begin, monkeypatch)
    _prune("--yes")
    (thread,) = uploads
    thread.join(10)

    assert not thread.is_alive()
    assert services.blobs_missing([sha256], project=DEFAULT_PROJECT) == []
    with blobs.blob_open(sha256) as file:
        assert file.read() == data
    assert Blob.objects.get().size == len(data)


def _at(moment: str, begin: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    delete = blobs.blob_delete

    def deleting(sha256: str, *, storage: str) -> None:
        if moment == "before the file":
            begin()
        delete(sha256, storage=storage)
        if moment == "before the end":
            begin()

    gone = retention._gone

    def rows_going(*arguments: Any, **options: Any) -> list[str]:
        if moment == "before the rows":
            begin()
        return gone(*arguments, **options)

    monkeypatch.setattr(blobs, "blob_delete", deleting)
    monkeypatch.setattr(retention, "_gone", rows_going)


@pytest.mark.django_db(transaction=True)
def test_a_chunk_recorded_while_its_file_is_deleted_has_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arena commits the row first, then makes sure of the file."""
    data = b"recorded again"
    old, fresh = _ended(recording="full"), factories.episode(recording="full")
    sha256 = _recorded(old, data)
    threads: list[threading.Thread] = []

    def record() -> None:
        RecordingChunk.objects.create(
            episode=fresh, page="q" * 8, seq=1, sha256=sha256, size=len(data), events=1, first_ms=1, last_ms=2
        )
        blobs.blob_store(data, storage=blobs.RECORDINGS)
        connection.close()

    delete = blobs.blob_delete

    def deleting(name: str, *, storage: str) -> None:
        threads.append(threading.Thread(target=record))
        threads[0].start()
        threads[0].join(0.5)
        delete(name, storage=storage)

    monkeypatch.setattr(blobs, "blob_delete", deleting)
    _prune("--older-than", 50, "--what", "recordings", "--yes")
    threads[0].join(10)

    assert blobs.blob_exists(sha256, storage=blobs.RECORDINGS)
    assert RecordingChunk.objects.get().episode_id == fresh.pk


@pytest.mark.django_db(transaction=True)
def test_files_wait_for_whoever_holds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup, or a load of tasks whose rows come later."""
    sha256 = _uploaded(b"held")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with file_lock.hold_files():
            held.set()
            release.wait(10)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)

    def wait(_seconds: float) -> None:
        assert blobs.blob_exists(sha256)
        release.set()
        holder.join(10)

    monkeypatch.setattr(retention.time, "sleep", wait)
    _prune("--yes")

    assert release.is_set()
    assert not blobs.blob_exists(sha256)


@pytest.mark.django_db(transaction=True)
def test_a_prune_that_fails_leaves_what_an_upload_heals(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"half deleted"
    sha256 = _uploaded(data)
    delete = blobs.blob_delete

    def deleting(name: str, *, storage: str) -> None:
        delete(name, storage=storage)
        raise OSError("killed")

    monkeypatch.setattr(blobs, "blob_delete", deleting)
    with pytest.raises(OSError, match="killed"):
        _prune("--yes")

    assert services.blobs_missing([sha256], project=DEFAULT_PROJECT) == [sha256]
    _uploaded(data, is_old=False)
    assert services.blobs_missing([sha256], project=DEFAULT_PROJECT) == []
    assert transaction.get_connection().in_atomic_block is False
