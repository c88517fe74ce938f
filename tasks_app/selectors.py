"""Queries for tasks and golds. Postgres writes the JSON, so no record is ever built in Python."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet
from psycopg.sql import SQL, Composed, Literal

from core.database.sessions import limit_statements
from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app import kinds
from tasks_app.models import SPARE_STEPS, STEPS_PER_ORACLE_STEP, Task
from tasks_app.registry import benchmarks
from tasks_app.types import UNANSWERABLE

EXPORT_BLOCK_BYTES = 64 * 1024
EXPORT_BATCH = 1_000
# A filter that matches few tasks reads many to fill a batch, and the role's own time limit is meant for
# pages.
EXPORT_MS = 60 * 1000

_VISIBLE = SQL("""
    (%(benchmark)s::text IS NULL OR t.benchmark_id = %(benchmark)s)
    AND (%(split)s::text IS NULL OR t.split = %(split)s)
    AND (%(splits)s::text[] IS NULL OR t.split = ANY(%(splits)s))
    AND (%(tags)s::varchar[] IS NULL OR t.tags @> %(tags)s::varchar[])
    AND (%(ids)s::bigint[] IS NULL OR t.id = ANY(%(ids)s))
    AND (%(unanswerable)s OR NOT t.tags @> ARRAY[{tag}]::varchar[])
    AND (%(difficulty_min)s::float8 IS NULL OR t.difficulty >= %(difficulty_min)s)
    AND (%(difficulty_max)s::float8 IS NULL OR t.difficulty <= %(difficulty_max)s)
    AND (NOT %(drawn)s OR EXISTS (
        SELECT FROM tasks_app_questionpicture p WHERE p.task_id = t.id AND p.content_hash = t.content_hash))
""").format(tag=Literal(UNANSWERABLE))

# The API's task record. It contains neither a gold nor anything from which a gold could be computed.
_TASKS = SQL("""
    SELECT t.id, t.benchmark_id AS benchmark, t.split, t.key, t.kind, t.prompt, t.payload, t.difficulty,
        t.tags, ceil(%(steps_per_oracle_step)s::float8 * t.oracle_steps)::int + %(spare_steps)s AS max_steps,
        t.guess_rate, t.oracle_steps, t.gap_eligible
    FROM tasks_app_task t WHERE {visible}
""").format(visible=_VISIBLE)

_GOLDS = SQL("""
    SELECT t.id AS task, t.benchmark_id AS benchmark, t.split, t.key,
        g.answer, g.accepted, g.solution, g.version, g.status
    FROM tasks_app_task t JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current WHERE {visible}
""").format(visible=_VISIBLE)

_PAGE = SQL("""
    SELECT r.id, row_to_json(r)::text FROM ({tasks} AND t.id > %(after)s ORDER BY t.id LIMIT %(limit)s) r
""").format(tasks=_TASKS)

_SPLITS = SQL("""
    SELECT t.id, t.split FROM tasks_app_task t WHERE {visible} ORDER BY t.id LIMIT %(limit)s
""").format(visible=_VISIBLE)

# The combined hash distinguishes sets with the same size and the same newest row.
_FINGERPRINT = SQL("""
    SELECT count(*), max(t.updated_at)::text, bit_xor(hashtextextended(t.content_hash, t.id))
    FROM tasks_app_task t WHERE {visible}
""").format(visible=_VISIBLE)

# One JSON text per line. JSON contains no control characters, so with these two as quote and delimiter CSV
# never quotes anything.
_COPY_OUT = SQL(r"""
    COPY (SELECT row_to_json(r) FROM (
        {rows} AND t.id > %(after)s AND t.id <= %(last)s ORDER BY t.id LIMIT %(limit)s) r)
    TO STDOUT (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
""")
# A record's first field is its task's id, after which the next batch continues.
_EXPORT_TASKS = _COPY_OUT.format(rows=_TASKS)
_EXPORT_GOLDS = _COPY_OUT.format(rows=_GOLDS)
# Part of the ETag, so that after a release that writes records differently, earlier exports become stale.
_SHAPE = zlib.crc32(_TASKS.as_string().encode())


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Filter for tasks; None means no limit.

    ``splits`` are those that the caller's key is limited to. ``drawn`` keeps only tasks whose question has a
    picture that ``question_pictures.find_pictures`` returns. Tasks with the tag ``unanswerable`` are left out
    unless the filter names them by id or names this tag.
    """

    benchmark: str | None = None
    split: str | None = None
    splits: list[str] | None = None
    tags: list[str] | None = None
    ids: list[int] | None = None
    difficulty_min: float | None = None
    difficulty_max: float | None = None
    drawn: bool = False

    def parameters(self) -> dict[str, Any]:
        named = self.ids is not None or UNANSWERABLE in (self.tags or ())
        return {
            **asdict(self),
            "unanswerable": named,
            "steps_per_oracle_step": STEPS_PER_ORACLE_STEP,
            "spare_steps": SPARE_STEPS,
        }


@dataclass(frozen=True)
class TaskRow:
    """A task's id, and its record as JSON text."""

    id: int
    json: str


def task_list(tasks: TaskFilter, *, after: int, limit: int) -> list[TaskRow]:
    """List up to ``limit`` records in id order, beginning with the first id above ``after``."""
    with connection.cursor() as cursor:
        cursor.execute(_PAGE, {**tasks.parameters(), "after": after, "limit": limit})
        return [TaskRow(*row) for row in cursor.fetchall()]


def task_splits(tasks: TaskFilter, *, limit: int) -> list[tuple[int, str]]:
    """List ids and splits of up to ``limit`` matching tasks, in id order."""
    with connection.cursor() as cursor:
        cursor.execute(_SPLITS, {**tasks.parameters(), "limit": limit})
        return list(cursor.fetchall())


def tasks_fingerprint(tasks: TaskFilter) -> tuple[int, str]:
    """Return the number of tasks and a text that changes when any of them changes."""
    with connection.cursor() as cursor:
        cursor.execute(_FINGERPRINT, tasks.parameters())
        count, newest, mixed = cursor.fetchone()
    return count, f"{count}:{newest}:{mixed}:{_SHAPE}"


def tasks_export(tasks: TaskFilter) -> Iterator[bytes]:
    """Yield the records as NDJSON in blocks of about 64 KB, with one batch in memory at a time.

    Each batch has its own statement and transaction. Tasks that are added after the start are left out.
    """
    return _export(_EXPORT_TASKS, tasks)


def golds_export(tasks: TaskFilter) -> Iterator[bytes]:
    """Yield the current golds as ``tasks_export`` does, only for callers with the scope ``golds``."""
    return _export(_EXPORT_GOLDS, tasks)


def split_check(tasks: TaskFilter) -> None:
    """Raise ``GymError`` 422 ``unknown_split`` if no visible task has the requested split."""
    if tasks.split is None:
        return
    visible = Task.objects.all()
    if tasks.benchmark is not None:
        visible = visible.filter(benchmark=tasks.benchmark)
    if tasks.splits is not None:
        visible = visible.filter(split__in=tasks.splits)
    known = set(visible.values_list("split", flat=True).distinct())
    if tasks.split not in known:
        message = f"There is no split {tasks.split!r} here. {did_you_mean(tasks.split, known)}"
        raise GymError("unknown_split", message, status=422, fields={"split": [message]})


def benchmark_list(*, splits: Iterable[str] | None) -> list[dict[str, Any]]:
    """List every benchmark with the number of tasks in each split that the caller may see."""
    tasks = Task.objects.all() if splits is None else Task.objects.filter(split__in=list(splits))
    counts = _counts(tasks)
    impossible = _counts(
        tasks.filter(kind=kinds.SITE, golds__is_current=True, golds__extra__is_possible=False)
    )
    return [
        _benchmark_record(
            benchmark, splits=counts.get(benchmark, {}), impossible=impossible.get(benchmark, {})
        )
        for benchmark in benchmarks
    ]


def _counts(tasks: QuerySet[Task]) -> dict[str, dict[str, int]]:
    """Count tasks by benchmark and split."""
    counts: dict[str, dict[str, int]] = {}
    grouped = tasks.values("benchmark", "split").annotate(tasks=Count("pk")).order_by("benchmark", "split")
    for row in grouped:
        counts.setdefault(row["benchmark"], {})[row["split"]] = row["tasks"]
    return counts


def _benchmark_record(
    benchmark: str, *, splits: dict[str, int], impossible: dict[str, int]
) -> dict[str, Any]:
    plugin = benchmarks.get(benchmark)
    return {
        "id": plugin.id,
        "title": plugin.title,
        "kind": plugin.kind,
        "license": plugin.license,
        "source": plugin.source,
        "splits": splits,
        "impossible_share": {split: round(count / splits[split], 4) for split, count in impossible.items()},
        "verifiers": {"official": plugin.verifier_official, "training": plugin.verifier_training},
    }


def _export(statement: Composed, tasks: TaskFilter) -> Iterator[bytes]:
    after, last = 0, Task.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    while after < last:
        batch = _batch(statement, tasks, after=after, last=last)
        if not batch:
            return
        after = int(batch[-1].partition(b":")[2].partition(b",")[0])
        yield from _blocks(batch)


def _batch(statement: Composed, tasks: TaskFilter, *, after: int, last: int) -> list[bytes]:
    """Read the next records completely, so that no statement stays open while they are sent."""
    parameters = {"after": after, "last": last, "limit": EXPORT_BATCH}
    with (
        limit_statements(EXPORT_MS),
        connection.cursor() as cursor,
        cursor.copy(statement, {**tasks.parameters(), **parameters}) as rows,
    ):
        return [bytes(row) for row in rows]


def _blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    block = bytearray()
    for line in lines:
        block += line
        if len(block) >= EXPORT_BLOCK_BYTES:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)
