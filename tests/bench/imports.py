"""`python -m tests.bench.imports ID PATH SPLIT ROUNDS`: load official files, copy the rows, and time both.

Prints a JSON list with the rows per second of each turn: `loaded` and `copied`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import django
from django.db import connection, transaction

BATCH_ROWS = 1_000
TABLES = ("tasks_app_task", "tasks_app_gold")


def main(benchmark: str, path: str, split: str, rounds: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    pairs = [_turn(benchmark, Path(path), split) for _ in range(int(rounds))]
    sys.stdout.write(json.dumps(pairs))


def _turn(benchmark: str, path: Path, split: str) -> dict[str, float]:
    tables_empty()
    begun = time.perf_counter()
    count = _load(benchmark, path, split)
    loaded_s = time.perf_counter() - begun
    stored = [_stored(table) for table in TABLES]
    tables_empty()
    begun = time.perf_counter()
    for first in range(0, count, BATCH_ROWS):
        with transaction.atomic():
            for table, (columns, content) in zip(TABLES, stored, strict=True):
                _copy(table, columns, content[first : first + BATCH_ROWS])
    copied_s = time.perf_counter() - begun
    return {"loaded": count / loaded_s, "copied": count / copied_s}


def _load(benchmark: str, path: Path, split: str) -> int:
    """Do what `manage.py load_benchmark ID --file PATH --split SPLIT` does, beginning with the files."""
    from tasks_app import loader, record_files
    from tasks_app.registry import benchmarks

    plugin = benchmarks.get(benchmark)
    if plugin.draft_of is None:
        raise ValueError(f"{benchmark} is read from no file")
    files = plugin.files(path, split) if plugin.files and path.is_dir() else record_files.source_files(path)
    report = loader.tasks_load(plugin, record_files.drafts(plugin, files), split=split)
    if report.bad or not report.new:
        raise ValueError(f"{report.new} rows loaded, {len(report.bad)} bad: {report.bad[:3]}")
    return report.new


def _stored(table: str) -> tuple[str, list[tuple[Any, ...]]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)"
            " FROM information_schema.columns WHERE table_name = %s",
            [table],
        )
        (columns,) = cursor.fetchone()
        cursor.execute(f"SELECT {columns} FROM {table} ORDER BY id")
        return columns, cursor.fetchall()


def _copy(table: str, columns: str, content: list[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for row in content:
            copy.write_row(row)


def tables_empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE tasks_app_task CASCADE")


if __name__ == "__main__":
    main(*sys.argv[1:])
