"""Retention: deletion of old runs, episodes and recordings, and of files that no row refers to any more."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from django.conf import settings
from django.core.files.storage import storages
from django.db import connection, transaction
from django.db.models import SET_NULL, ForeignObjectRel, Model

from core.database.sql import Statement, sql_read
from core.storage import blobs, file_lock, thumbnails
from trajectories.models import (
    Episode,
    Group,
    Intervention,
    Picture,
    RecordingChunk,
    Run,
    Sampler,
    VerdictEvidence,
)
from trajectories.record import hot_sql
from trajectories.record.blobs import damage

GROUPS_AT_ONCE = 20
EPISODES_AT_ONCE = 10_000
# After the last possible step, jobs that were started earlier on an episode have this long to finish.
JOBS_S = 300
DATABASE = connection.alias

OLD = Statement(__file__, "runs_old")
UNSETTLED = Statement(__file__, "run_unsettled")
LOCK = Statement(__file__, "groups_lock")
SETTLED = Statement(__file__, "groups_settled")

Progress = Callable[[int], object]
What = Literal["recordings", "screenshots"]
BATCH = 500
BEGINNING = datetime.min.replace(tzinfo=UTC)
LOOKED_AT_ONCE = 1_000
# While a batch is deleted, uploads of the same bytes and all recordings have to wait.
DELETED_AT_ONCE = 50
WAIT_S = 0.2
# Fields of steps that refer to blobs and have no column of their own.
FIELDS = ("prompt_sha256", "tokens_blob")


def runs_old(*, days: int) -> list[int]:
    """Return runs in which nothing has happened for ``days`` days."""
    return [run_id for (run_id,) in OLD.rows(days=days)]


def run_exists(run_id: int) -> bool:
    return Run.objects.filter(pk=run_id).exists()


def run_problem(run_id: int) -> str:
    """Return the reason why a run cannot be pruned, as a sentence; empty if it can."""
    if not run_exists(run_id):
        return f"There is no run {run_id}."
    (unsettled,) = UNSETTLED.row(run=run_id, settled=_settled_s()) or (0,)
    if unsettled:
        return (
            f"Run {run_id} has {unsettled:,} episodes that are open or ended less than "
            f"{_settled_s() / 60:.0f} minutes ago, so it is not pruned."
        )
    return ""


def run_exclude(run_id: int, *, progress: Progress) -> int:
    """Exclude what the run's episodes refer to, for a dry run. Return how many episodes it has."""
    count = after = 0
    ids = Episode.objects.filter(run_id=run_id).order_by("pk").values_list("pk", flat=True)
    while batch := list(ids.filter(pk__gt=after)[:EPISODES_AT_ONCE]):
        episodes_exclude(batch)
        count, after = count + len(batch), batch[-1]
        progress(len(batch))
    return count


def run_prune(run_id: int, *, progress: Progress) -> int:
    """Delete the run with everything that belongs to it. Return how many episodes were deleted.

    Groups with an open episode are kept, and so is their run.
    """
    pruned = after = 0
    while (batch := _groups_prune(run_id, after=after)) is not None:
        after, episodes = batch
        pruned += episodes
        progress(episodes)
    with transaction.atomic():
        run = Run.objects.select_for_update().filter(pk=run_id).first()
        if run and not Group.objects.filter(run=run).exists():
            _rows_delete(Sampler, list(Sampler.objects.filter(run=run).values_list("pk", flat=True)))
            _rows_delete(Run, [run_id])
            Run.objects.filter(pk=run_id)._raw_delete(using=DATABASE)
    return pruned


def _groups_prune(run_id: int, *, after: int) -> tuple[int, int] | None:
    """Delete some groups with ids above ``after``.

    Returns the id of the last group and the number of episodes deleted, or None if no group is left.
    """
    with transaction.atomic():
        hot_sql.sums_lock(run_id=run_id)  # Take this lock first, as writing a verdict does.
        locked = [group for (group,) in LOCK.rows(run=run_id, after=after, limit=GROUPS_AT_ONCE)]
        if not locked:
            return None
        settled = SETTLED.rows(groups=locked, settled=_settled_s())
        episodes = [episode for _, ids in settled for episode in ids or ()]
        hot_sql.sums_withdraw(run_id=run_id, episode_ids=episodes)
        VerdictEvidence.objects.filter(verdict__episode__in=episodes)._raw_delete(using=DATABASE)
        _rows_delete(Episode, episodes)
        Episode.objects.filter(pk__in=episodes)._raw_delete(using=DATABASE)
        groups = [group for group, _ in settled]
        Intervention.objects.filter(group__in=groups)._raw_delete(using=DATABASE)
        Group.objects.filter(pk__in=groups)._raw_delete(using=DATABASE)
        return locked[-1], len(episodes)


def _rows_delete(model: type[Model], ids: Sequence[int]) -> None:
    """Delete the rows of other tables that refer to these rows.

    Rows that may exist without them are kept. So are forks of these rows, which may belong to another run:
    they keep their own steps, but can no longer be restored."""
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.related_model not in (model, Intervention):
            rows = relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": ids})
            if relation.on_delete is SET_NULL:
                rows.update(**{relation.field.name: None})
            else:
                rows._raw_delete(using=DATABASE)


def _settled_s() -> float:
    return float(settings.STEP_GRACE_S) + JOBS_S


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kind of pruning.

    ``old`` finds episodes with something to prune, and ``mark`` notes that they were pruned.
    """

    old: Statement
    mark: Statement


KINDS: dict[What, _Kind] = {
    "recordings": _Kind(
        old=Statement(__file__, "episodes_old", column="recordings_at"),
        mark=Statement(__file__, "mark_recordings"),
    ),
    "screenshots": _Kind(
        old=Statement(__file__, "episodes_old", column="screenshots_at"),
        mark=Statement(__file__, "mark_screenshots"),
    ),
}


def episodes_prune(what: What, *, days: int, is_rehearsal: bool, progress: Callable[[int], object]) -> int:
    """Mark the episodes that ended at least ``days`` days ago as pruned. Return how many there were.

    The rows of their recordings are deleted. ``files_prune`` deletes the files afterwards. A rehearsal
    deletes nothing: it excludes what these episodes refer to from the names, and counts episodes that may
    have something to prune.
    """
    pruned = 0
    for ids in _batches(KINDS[what].old, days=days):
        if is_rehearsal:
            episodes_exclude(ids, what=what)
            pruned += len(ids)
        else:
            with transaction.atomic():
                pruned += KINDS[what].mark.run(ids=ids)
                if what == "recordings":
                    RecordingChunk.objects.filter(episode_id__in=ids).delete()
        progress(len(ids))
    return pruned


def _batches(old: Statement, *, days: int) -> Iterator[list[int]]:
    since, after = BEGINNING, 0
    while rows := old.rows(since=since, after=after, days=days, limit=BATCH):
        since, after = rows[-1]
        yield [episode_id for _, episode_id in rows]


BLOBS_UNNAMED = Statement(__file__, "blobs_unnamed")
BLOBS_PLACE = Statement(__file__, "blobs_place")
BLOBS_DELETE = Statement(__file__, "blobs_delete")
CHUNKS_UNNAMED = Statement(__file__, "chunks_unnamed")
PRIVATE_UNNAMED = Statement(__file__, "private_unnamed", names=damage.NAMES.text)


class Total(NamedTuple):
    """A number of files, and their size without thumbnails."""

    files: int = 0
    bytes: int = 0


def files_prune(storage: str, *, days: int, is_rehearsal: bool, progress: Callable[[int], object]) -> Total:
    """Delete files that are older than ``days`` days and whose names were not collected (``names_collect``).

    Waits while somebody holds files. ``progress`` gets the number of files examined.
    """
    total = Total()
    for hashes in _hash_batches(blobs.stored_blobs(storages[storage]), LOOKED_AT_ONCE):
        old = [
            sha256 for sha256 in _list_unnamed(storage, hashes, days=days) if _is_old(storage, sha256, days)
        ]
        for batch in _hash_batches(iter(old), DELETED_AT_ONCE):
            sizes = {sha256: blobs.blob_size(sha256, storage=storage) or 0 for sha256 in batch}
            gone = batch if is_rehearsal else _delete(storage, batch, days=days)
            total = Total(total.files + len(gone), total.bytes + sum(sizes[sha256] for sha256 in gone))
        progress(len(hashes))
    return total


def _hash_batches(hashes: Iterator[str], count: int) -> Iterator[list[str]]:
    while batch := list(itertools.islice(hashes, count)):
        yield batch


def _list_unnamed(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    if storage == blobs.BLOBS:
        return [sha256 for (sha256,) in BLOBS_UNNAMED.rows(hashes=hashes, days=days)]
    if storage == blobs.PRIVATE:
        return [sha256 for (sha256,) in PRIVATE_UNNAMED.rows(hashes=hashes)]
    return [sha256 for (sha256,) in CHUNKS_UNNAMED.rows(hashes=hashes)]


def _is_old(storage: str, sha256: str, days: int) -> bool:
    stored_at = blobs.blob_stored_at(sha256, storage=storage)
    return stored_at is not None and stored_at < datetime.now(UTC) - timedelta(days=days)


def _delete(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    while True:
        with transaction.atomic():
            if file_lock.deletion_try():
                gone = _gone(storage, hashes, days=days)
                for sha256 in gone:
                    blobs.blob_delete(sha256, storage=storage)
                return gone
        # Do not queue for the lock, because everybody who wants to hold files would wait behind us.
        time.sleep(WAIT_S)


def _gone(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    """Return the files that nobody can use before this transaction ends."""
    if storage == blobs.RECORDINGS:
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE trajectories_recordingchunk IN SHARE MODE")
    if storage != blobs.BLOBS:
        return _list_unnamed(storage, hashes, days=days)
    BLOBS_PLACE.run(hashes=hashes)
    gone = [sha256 for (sha256,) in BLOBS_DELETE.rows(hashes=hashes, days=days)]
    Picture.objects.filter(pk__in=gone).delete()
    for sha256 in gone:
        thumbnails.thumbnail_delete(sha256)
    return gone


CREATE = sql_read(__file__, "names_create")
EXCLUDE = Statement(__file__, "exclude")
NAMES = Statement(__file__, "names", more=", ".join(f"s.more->>'{field}'" for field in FIELDS))


def names_create() -> None:
    """Create empty tables for the names and for the excluded episodes."""
    with connection.cursor() as cursor:
        cursor.execute(CREATE)


def episodes_exclude(ids: Sequence[int], *, what: str = "") -> None:
    """Exclude what these episodes refer to: everything, or only recordings or screenshots."""
    EXCLUDE.run(
        ids=list(ids),
        has_row=not what,
        has_screenshots=what in ("", "screenshots"),
        has_recordings=what in ("", "recordings"),
    )


def names_collect() -> None:
    """Collect the name of every file that a row refers to, once.

    Files that are named later are safe, because they were uploaded or requested recently.
    """
    NAMES.run()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE blob_names")
