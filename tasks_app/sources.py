"""Assignment of a folder's files to the splits of a benchmark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from core.errors import GymError
from tasks_app import record_files
from tasks_app.types import BadRow, BenchmarkPlugin, Row, TaskDraft

NOT_WORD = re.compile(r"[^a-z0-9]+")


def split_named(plugin: BenchmarkPlugin, file: Path) -> str:
    """Return the split that the file or a folder above it is named after, else the first split."""
    folders = [parent.name for parent in file.resolve().parents if parent.name in plugin.splits]
    return next(iter([*_splits_in_name(plugin, file), *folders, plugin.splits[0]]))


def _splits_in_name(plugin: BenchmarkPlugin, file: Path) -> list[str]:
    """List the splits in a file's name, such as "AIME_1983_2024" or "train-00000-of-00002"."""
    stem = f"-{dash_name(file.stem)}-"
    return [split for split in plugin.splits if f"-{dash_name(split)}-" in stem]


def split_files(plugin: BenchmarkPlugin, path: Path, *, split: str) -> list[Path]:
    """List the files to read for a split. Raises ``GymError`` ``no_file`` or ``unknown_format``."""
    if not path.is_dir():
        return record_files.source_files(path)
    if plugin.files is None:
        return _files_of_split(plugin, record_files.source_files(path), split=split)
    try:
        return plugin.files(path, split)
    except GymError as error:
        names = official_splits(plugin, path)
        if not names:
            raise
        message = f"{error.message} Available: {', '.join(names)}; choose with --split."
        raise GymError(error.code, message) from None


def _files_of_split(plugin: BenchmarkPlugin, files: list[Path], *, split: str) -> list[Path]:
    """Keep the files that name the split or no split. If the rows name their splits, keep all files."""
    first = next(record_files.drafts(plugin, files[:1]), None)
    if isinstance(first, TaskDraft) and first.split is not None:
        return files
    names = {file: _splits_in_name(plugin, file) for file in files}
    matches = [file for file in files if split in names[file] or not names[file]]
    if not matches:
        others = sorted({splits[0] for splits in names.values()})
        message = f"The folder contains no file of the split {split!r}. Available: {', '.join(others)}."
        raise GymError("no_file", f"{message} Choose with --split, or name one file.")
    return matches


def rows_of_split(rows: Iterable[Row], *, split: str, others: Counter[str]) -> Iterator[Row]:
    """Yield the rows of a split and rows that name none or cannot be read; ``others`` counts the rest."""
    for row in rows:
        if isinstance(row, BadRow) or row.split in (None, split):
            yield row
        else:
            others[row.split] += 1


def official_splits(plugin: BenchmarkPlugin, folder: Path) -> dict[str, tuple[Path, ...]]:
    """Map the splits that a folder has files for to those files."""
    splits: dict[str, tuple[Path, ...]] = {}
    for split in plugin.splits:
        with suppress(GymError):
            splits[split] = tuple(plugin.files(folder, split)) if plugin.files else ()
    return {split: files for split, files in splits.items() if files}


@lru_cache(maxsize=512)
def dash_name(name: str) -> str:
    """Convert a name to lower case with one dash for each run of other characters than letters and digits."""
    return NOT_WORD.sub("-", name.casefold())
