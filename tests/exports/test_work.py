"""How exports are written: the same bytes again, from checkpoint to checkpoint, and what stops them."""

from __future__ import annotations

import errno
import io
import os
from typing import Any

import pyarrow.parquet
import pytest
from django.core.management import call_command

from core.storage import blobs
from tests import factories
from tests.exports import scene
from trajectories.exports import files, selectors, services, sources
from trajectories.exports.jobs import EXPORTS
from trajectories.exports.parameters import Parameters, Revision
from trajectories.exports.registry import KINDS
from trajectories.models import Episode, Export
from trajectories.record import due_work
from trajectories.record.blobs.damage import damage_list

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


def hashes(export: Export) -> dict[str, str]:
    return {one["name"]: one["sha256"] for one in export.result["files"]}


def many(count: int = 5) -> Export:
    """An export of several checkpoints that waits."""
    group = scene.gym_group()
    for _ in range(count):
        scene.played(group)
    return services.export_request("transitions", Parameters(), author=scene.AUTHOR)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after each episode."""
    monkeypatch.setattr(sources, "UNITS_AT_ONCE", 1)
    monkeypatch.setattr("trajectories.exports.work.CHECKPOINT_UNITS", 1)


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("format_", ["jsonl", "parquet"])
def test_the_same_rows_are_the_same_bytes_in_either_format(kind: str, format_: str) -> None:
    group = scene.gym_group(factories.run(observation="both-v2"))
    for outcome in ("correct", "incorrect"):
        scene.played(group, outcome=outcome, picture=True)
        other = scene.played(scene.gym_group(task=group.task), outcome=outcome, steps=3)
    scene.forked(other, after=1, outcome="correct")
    text = factories.group(arm="text_zero_shot", task=group.task, template="prompts-v7a")
    scene.intervened(scene.answered(text, "42 it is."), "correct")
    thoughts = {"revisions": [Revision(text="I go back.")]}
    first, again = (scene.exported(kind, format=format_, **thoughts) for _ in range(2))
    assert hashes(first) == hashes(again)
    assert first.result["rows"] > 0
    if format_ == "parquet":
        lines = scene.exported(kind, **thoughts)
        tables = [
            pyarrow.parquet.read_table(io.BytesIO(scene.content_of(first, name)))
            for name in hashes(first)
            if name.endswith(".parquet")
        ]
        assert sum(table.num_rows for table in tables) == lines.result["rows"]
        assert set(tables[0].column_names) == set(scene.rows_of(lines)[0])


def test_who_takes_over_goes_on_from_the_last_checkpoint(
    small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = many()
    write, written = files.checkpoint_write, []

    def dies(*arguments: Any, **names: Any) -> None:
        write(*arguments, **names)
        written.append(names["done"])
        if len(written) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("trajectories.exports.work.checkpoint_write", dies)
    with pytest.raises(KeyboardInterrupt):
        EXPORTS.run(export.pk)
    monkeypatch.setattr("trajectories.exports.work.checkpoint_write", write)
    Export.objects.filter(pk=export.pk).update(state="waiting")
    assert EXPORTS.run(export.pk)
    export.refresh_from_db()
    again = scene.exported("transitions")
    assert written == [1, 2]
    assert hashes(export) == hashes(again)
    assert len(scene.rows_of(export)) == 10


def test_an_export_pauses_when_its_workers_time_is_over(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    export = many()
    monkeypatch.setattr(due_work, "PAUSE_S", -1.0)
    assert EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.sent_at, export.claims) == ("waiting", None, 0)
    monkeypatch.setattr(due_work, "PAUSE_S", 200.0)
    assert EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.done, export.total) == ("done", 5, 5)


def test_one_that_is_cancelled_meanwhile_stops(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    export = many()
    monkeypatch.setattr(due_work, "NOTE_EVERY_S", 0.0)
    write = files.checkpoint_write

    def cancels(*arguments: Any, **names: Any) -> None:
        write(*arguments, **names)
        services.export_cancel(export)

    monkeypatch.setattr("trajectories.exports.work.checkpoint_write", cancels)
    assert not EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.result) == ("cancelled", {})


def test_episodes_that_go_meanwhile_are_missed(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    export = many()
    write, last = files.checkpoint_write, Episode.objects.latest("pk").pk

    def prunes(*arguments: Any, **names: Any) -> None:
        write(*arguments, **names)
        Episode.objects.filter(pk=last).delete()

    monkeypatch.setattr("trajectories.exports.work.checkpoint_write", prunes)
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert export.state == "failed"
    assert "were deleted meanwhile. Run it again." in export.problem


def test_a_full_disk_is_why_it_failed_and_it_can_be_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    export = many(1)

    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    receive = blobs.blob_receive
    monkeypatch.setattr(blobs, "blob_receive", full)
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert export.state == "failed"
    assert export.problem.startswith("The disk is full.")
    monkeypatch.setattr(blobs, "blob_receive", receive)
    services.export_again(export)
    assert EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert (export.state, export.problem) == ("done", "")


def test_nothing_to_export_says_what_was_left_out() -> None:
    scene.played(scene.gym_group(task=factories.task(split="test")))
    assert scene.exported("chat").problem == (
        "Nothing matches. Left out: episodes of locked splits (1). Choose other filters."
    )
    assert scene.exported("chat", benchmarks=["math"]).problem == (
        "No finished episode matches. Choose other filters."
    )
    scene.played(scene.gym_group())
    assert "groups without a pair for the same prompt (1)" in scene.exported("preferences").problem


def test_what_workers_lost_three_times_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    export = many(1)
    Export.objects.filter(pk=export.pk).update(sent_at="2020-01-01T00:00Z", claims=due_work.CLAIMS_MAX)
    assert EXPORTS.send() == 0
    export.refresh_from_db()
    assert export.state == "failed"
    assert export.problem.endswith("then run it again.")


def test_the_check_of_files_finds_one_of_an_export_that_is_gone() -> None:
    scene.played(scene.gym_group())
    export = scene.exported("chat")
    (_, rows) = selectors.file_entries(export)
    blobs.blob_delete(rows["sha256"], storage=blobs.PRIVATE)
    (damage,) = damage_list()
    assert (damage.storage, damage.sha256, damage.problem) == ("private", rows["sha256"], "missing")


def test_files_stay_until_their_export_expires() -> None:
    scene.played(scene.gym_group())
    export = scene.exported("chat")
    names = [one["sha256"] for one in selectors.file_entries(export)]
    for sha256 in names:
        with blobs.blob_open(sha256, storage=blobs.PRIVATE) as file:
            os.utime(str(file.name), (0, 0))
    call_command("prune", "--yes", stdout=io.StringIO(), stderr=io.StringIO())
    assert all(blobs.blob_exists(name, storage=blobs.PRIVATE) for name in names)
    scene.expire(export)
    call_command("prune", "--yes", stdout=io.StringIO(), stderr=io.StringIO())
    assert not any(blobs.blob_exists(name, storage=blobs.PRIVATE) for name in names)
    assert Export.objects.filter(pk=export.pk).exists()
