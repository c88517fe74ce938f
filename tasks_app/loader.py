"""Bulk loading of tasks and golds into the database. Loading the same rows again changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from django.db import connection, transaction

from core.storage import file_lock
from core.text import json as json_text
from tasks_app import loader_sql, starters, wording_errata
from tasks_app.draft_assets import drafts_complete
from tasks_app.gold_extras import Enricher
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, Row, TaskDraft

BATCH_ROWS = 1_000
PICTURED_ROWS = 100
ENRICHED_ROWS = 20  # small batches, because each row takes a while: keep results and show progress
KEY_MAX_CHARS = 200
TAG_MAX_CHARS = 100
SOURCE_MAX_CHARS = 500
LOCK_NAMESPACE = "palaestra.load"

Progress = Callable[[int], object]


@dataclass(frozen=True)
class GoldChange:
    """A task for which the source now gives another gold; ``version`` is the new gold's."""

    name: str
    version: int


@dataclass
class LoadReport:
    """The result of a load, counted in tasks. ``problem`` explains why golds could not be enriched."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    problem: str = ""
    gold_changes: list[GoldChange] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.new + self.changed + self.unchanged


@dataclass(frozen=True)
class _Placed:
    """A draft with the benchmark and split that it belongs to."""

    benchmark: str
    split: str
    draft: TaskDraft

    @property
    def name(self) -> str:
        return f"{self.benchmark}/{self.split}/{self.draft.key}"


def tasks_load(
    plugin: BenchmarkPlugin,
    rows: Iterable[Row],
    *,
    split: str,
    is_replacing: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Store one benchmark's rows, one batch per transaction, in constant memory except for the keys.

    A row that names a split other than ``split`` is left out. Rows that cannot be stored are listed in the
    report's ``bad`` without affecting others. So are rows whose key belongs to a different question from
    another file, unless ``is_replacing``.
    """
    report = LoadReport()
    with file_lock.hold_files():  # pictures are stored before the rows that refer to them
        for batch in _store_batches(plugin, rows, split=split, is_replacing=is_replacing, report=report):
            if progress:
                progress(len(batch))
    return report


def _store_batches(
    plugin: BenchmarkPlugin, rows: Iterable[Row], *, split: str, is_replacing: bool, report: LoadReport
) -> Iterator[list[_Placed]]:
    benchmark_store(plugin)
    good = _good_rows(rows, benchmark=plugin.id, split=split, bad=report.bad)
    enricher = Enricher(plugin.enrichment, plugin.id, split) if plugin.enrichment else None
    for batch in _batches(good, rows=ENRICHED_ROWS if enricher else BATCH_ROWS):
        free = batch if is_replacing else _with_free_keys(batch, bad=report.bad)
        _batch_write(_enriched(free, enricher, bad=report.bad) if enricher else free, report=report)
        yield batch
    report.problem = enricher.problem if enricher else ""


def starter_tasks_load() -> LoadReport:
    """Load every benchmark's starter tasks into the split ``starter``."""
    report = LoadReport()
    placed: list[_Placed] = []
    with file_lock.hold_files():
        for plugin_id in benchmarks:
            plugin = benchmarks.get(plugin_id)
            benchmark_store(plugin)
            placed += _good_rows(
                starters.starter_drafts(plugin.id), benchmark=plugin.id, split=starters.SPLIT, bad=report.bad
            )
        _batch_write(placed, report=report)
    return report


def benchmark_store(plugin: BenchmarkPlugin) -> None:
    """Store the benchmark's row, which its tasks refer to."""
    facts = (plugin.title, plugin.kind, plugin.license, plugin.source)
    with connection.cursor() as cursor:
        cursor.execute(
            loader_sql.UPSERT_BENCHMARK,
            (plugin.id, *facts, plugin.verifier_official, plugin.verifier_training),
        )


def turn_take(cursor: Any) -> None:
    """Wait for other loads' transactions, since two at the same time could assign the same gold version."""
    cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [LOCK_NAMESPACE])


def cut_steps(plugin: BenchmarkPlugin, solution: str) -> list[str]:
    """Return the steps of a reference solution; none if its benchmark has no way to cut it."""
    return plugin.cut(solution) if plugin.cut and solution else []


def draft_problem(draft: TaskDraft) -> str | None:
    """Explain why Postgres cannot store a draft; None if it can."""
    if not 0 < len(draft.key) <= KEY_MAX_CHARS:
        return f"the key has {len(draft.key)} characters; it needs 1 to {KEY_MAX_CHARS}"
    if any(len(tag) > TAG_MAX_CHARS for tag in draft.tags):
        return f"a tag has more than {TAG_MAX_CHARS} characters"
    if draft.difficulty is not None and not 0 <= draft.difficulty <= 1:
        return f"the difficulty {draft.difficulty} is not between 0 and 1"
    if not draft.gold.answer:
        return "the gold answer is empty"
    try:
        text = msgspec.json.encode([_task_content(draft), _gold_content(draft)])
    except UnicodeEncodeError:
        return "the text contains half a character (a lone surrogate)"
    return "the text contains a NUL character" if json_text.has_nul(text) else None


def _good_rows(rows: Iterable[Row], *, benchmark: str, split: str, bad: list[BadRow]) -> Iterator[_Placed]:
    seen: set[str] = set()
    rows_of_split = (row for row in rows if isinstance(row, BadRow) or row.split in (None, split))
    for row in drafts_complete(wording_errata.rows_corrected(rows_of_split, benchmark=benchmark)):
        if isinstance(row, BadRow):
            bad.append(row)
            continue
        problem = draft_problem(row) or (f"the key {row.key!r} occurs twice" if row.key in seen else None)
        if problem:
            bad.append(BadRow(row.place, problem))
            continue
        seen.add(row.key)
        yield _Placed(benchmark, split, row)


def _batches(good: Iterable[_Placed], *, rows: int) -> Iterator[list[_Placed]]:
    """Yield batches that are stored in one transaction each.

    Batches with pictures are smaller because they are slow.
    """
    batch: list[_Placed] = []
    for item in good:
        batch.append(item)
        if len(batch) >= (PICTURED_ROWS if item.draft.payload.get("pictures") else rows):
            yield batch
            batch = []
    if batch:
        yield batch


def _with_free_keys(placed: list[_Placed], *, bad: list[BadRow]) -> list[_Placed]:
    rows = _json_rows(placed, lambda draft: {**_hashed_content(draft), "place": draft.place})
    with connection.cursor() as cursor:
        cursor.execute(loader_sql.TAKEN_KEYS, [rows])
        taken: dict[int, str] = dict(cursor.fetchall())
    advice = "load both files as one folder, or use --replace if this file replaces the other"
    for n, source in taken.items():
        draft = placed[n].draft
        problem = (
            f"the key {draft.key!r} belongs to another question, from {source.partition(';')[0]}: {advice}"
        )
        bad.append(BadRow(draft.place, problem))
    return [item for n, item in enumerate(placed) if n not in taken]


def _enriched(placed: list[_Placed], enricher: Enricher, *, bad: list[BadRow]) -> list[_Placed]:
    good: list[_Placed] = []
    for item, draft in zip(placed, enricher.enriched([item.draft for item in placed]), strict=True):
        problem = str(draft) if isinstance(draft, ValueError) else draft_problem(draft)
        if problem or isinstance(draft, ValueError):
            bad.append(BadRow(item.draft.place, problem or ""))
        else:
            good.append(replace(item, draft=draft))
    return good


def _batch_write(placed: list[_Placed], *, report: LoadReport) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        turn_take(cursor)
        cursor.execute(loader_sql.UPSERT_TASKS, [_json_rows(placed, _hashed_content)])
        written = [is_new for (is_new,) in cursor.fetchall()]
        changes = _golds_write(cursor, placed)
    report.new += sum(written)
    report.changed += len(written) - sum(written)
    report.unchanged += len(placed) - len(written)
    report.gold_changes += changes


def _golds_write(cursor: Any, placed: list[_Placed]) -> list[GoldChange]:
    """Store new golds and new versions of changed ones, and return the changes.

    A solution that is new to an otherwise unchanged gold is added in place.
    """
    cursor.execute(loader_sql.FILL_SOLUTIONS, [_solved_rows(placed)])
    cursor.execute(loader_sql.CHANGED_GOLDS, [_json_rows(placed, _gold_content)])
    changes: list[tuple[int, int, int]] = cursor.fetchall()
    if not changes:
        return []
    cursor.execute(loader_sql.RETIRE_GOLDS, [[task_id for _, task_id, version in changes if version > 1]])
    golds = [
        {
            **_gold_content(placed[n].draft),
            "task_id": task_id,
            "version": version,
            "steps": _steps(placed[n]),
            "source": placed[n].draft.gold.source[:SOURCE_MAX_CHARS],
        }
        for n, task_id, version in changes
    ]
    cursor.execute(loader_sql.INSERT_GOLDS, [msgspec.json.encode(golds).decode()])
    return [GoldChange(placed[n].name, version) for n, _, version in changes if version > 1]


def _steps(item: _Placed) -> list[str]:
    return cut_steps(benchmarks.get(item.benchmark), item.draft.gold.solution)


def _solved_rows(placed: list[_Placed]) -> str:
    rows = [
        {
            "benchmark": item.benchmark,
            "split": item.split,
            "key": item.draft.key,
            **_gold_content(item.draft),
            "steps": _steps(item),
        }
        for item in placed
        if item.draft.gold.solution
    ]
    return msgspec.json.encode(rows).decode()


def _json_rows(placed: Iterable[_Placed], content_of: Callable[[TaskDraft], dict[str, Any]]) -> str:
    rows = [
        {
            "n": n,
            "benchmark": item.benchmark,
            "split": item.split,
            "key": item.draft.key,
            **content_of(item.draft),
        }
        for n, item in enumerate(placed)
    ]
    return msgspec.json.encode(rows).decode()


def _hashed_content(draft: TaskDraft) -> dict[str, Any]:
    """Return the content with its hash. The hash leaves out the gold, which the arena could guess from it."""
    content = _task_content(draft)
    digest = hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
    return {**content, "content_hash": digest}


def _task_content(draft: TaskDraft) -> dict[str, Any]:
    return {
        "kind": draft.kind,
        "prompt": draft.prompt,
        "payload": draft.payload,
        "difficulty": draft.difficulty,
        "tags": draft.tags,
        "guess_rate": draft.guess_rate,
        "oracle_steps": draft.oracle_steps,
        "gap_eligible": draft.gap_eligible,
        "gap_reason": draft.gap_reason,
    }


def _gold_content(draft: TaskDraft) -> dict[str, Any]:
    gold = draft.gold
    return {"answer": gold.answer, "accepted": gold.accepted, "solution": gold.solution, "extra": gold.extra}
