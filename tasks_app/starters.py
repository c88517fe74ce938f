"""Starter tasks: a few items of each benchmark, written for this project in the official format.

The benchmark's own reader reads them, so they also prove the reader. A set is the file ``starters/<id>.*``
or, if the official form has several files, the folder ``starters/<id>``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from tasks_app import record_files, sources
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, TaskDraft

FOLDER = Path(__file__).parent / "benchmarks" / "starters"
SPLIT = "starter"


def find_path(benchmark: str) -> Path:
    return next(FOLDER.glob(f"{benchmark}.*"), FOLDER / benchmark)


@cache
def starter_drafts(benchmark: str) -> tuple[TaskDraft, ...]:
    """Read the starter tasks in the order of their keys, ``starter-<n>`` unless the plug-in builds its own.

    Raises ``ValueError`` for a row that the reader refuses.
    """
    plugin = benchmarks.get(benchmark)
    if plugin.starters is not None:
        return tuple(plugin.starters())
    return tuple(sorted(_read(benchmark), key=lambda draft: draft.key))


def _read(benchmark: str) -> Iterator[TaskDraft]:
    plugin = benchmarks.get(benchmark)
    files = sources.split_files(plugin, find_path(benchmark), split=plugin.splits[0])
    for number, row in enumerate(record_files.drafts(plugin, files), start=1):
        if isinstance(row, BadRow):
            raise ValueError(f"a starter task of {benchmark} cannot be read: {row}")
        key = row.key if row.key.startswith(f"{SPLIT}-") else f"{SPLIT}-{number}"
        yield replace(row, key=key, split=None, gold=replace(row.gold, source=""))
