"""Pruning of recordings and screenshots of episodes that ended long ago, in short transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from django.db import transaction

from core.sql import Statement
from trajectories.models import RecordingChunk
from trajectories.rollouts.retention import names

What = Literal["recordings", "screenshots"]
BATCH = 500
BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """``mark`` notes that episodes which have something to prune are pruned."""

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
    """Mark the episodes that ended ``days`` ago, and delete the rows of their recordings; returns how many.

    The files go afterwards, with ``files.files_prune``. A rehearsal only excludes them from what it counts as
    names, and counts those that might have something.
    """
    pruned = 0
    for ids in _batches(KINDS[what].old, days=days):
        if is_rehearsal:
            names.episodes_exclude(ids, what=what)
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
