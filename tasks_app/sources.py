"""Assignment of a folder's files to the splits of a benchmark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import GymError
from tasks_app import record_files
from tasks_app.types import BadRow, BenchmarkPlugin, Row, TaskDraft

NOT_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Split:
    """A split of a folder; rows that cannot be read are with the first split of their files."""

    name: str
    drafts: list[TaskDraft]
    bad: list[BadRow]


def split_named(plugin: BenchmarkPlugin, file: Path) -> str:
    """Return what the file or a folder above it is named after, else the first split."""
    folders = [parent.name for parent in file.resolve().parents if parent.name in plugin.splits]
    return next(iter([*_splits_in_name(plugin, file), *folders, plugin.splits[0]]))


def _splits_in_name(plugin: BenchmarkPlugin, file: Path) -> list[str]:
    """List the splits that are part of a file's name, as in "AIME_Dataset_1983_2024" or
    "train-00000-of-00002".
    """
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
        names = _official_splits(plugin, path)
        if not names:
            raise
        message = f"{error.message} Found there: {', '.join(names)}; say which with --split."
        raise GymError(error.code, message) from None


def _files_of_split(plugin: BenchmarkPlugin, files: list[Path], *, split: str) -> list[Path]:
    """Drop the files that name other splits, where rows do not name their split."""
    first = next(record_files.drafts(plugin, files[:1]), None)
    if isinstance(first, TaskDraft) and first.split is not None:
        return files
    names = {file: _splits_in_name(plugin, file) for file in files}
    matches = [file for file in files if split in names[file] or not names[file]]
    if not matches:
        others = sorted({splits[0] for splits in names.values()})
        message = f"The folder holds no file of the split {split!r}. Found there: {', '.join(others)}."
        raise GymError("no_file", f"{message} Say which with --split, or name one file.")
    return matches


def rows_of_split(rows: Iterable[Row], *, split: str, others: Counter[str]) -> Iterator[Row]:
    """Yield the rows of a split, and those that name none or cannot be read; ``others`` counts the rest."""
    for row in rows:
        if isinstance(row, BadRow) or row.split in (None, split):
            yield row
        else:
            others[row.split] += 1


def splits_in(plugin: BenchmarkPlugin, folder: Path) -> Iterator[Split]:
    """Yield every split that a folder holds. Raises ``GymError`` ``no_file`` when it holds none."""
    for files, named in _groups(plugin, folder).items():
        yield from rows_by_split(record_files.drafts(plugin, files), named=named)


def rows_by_split(rows: Iterable[Row], *, named: str) -> list[Split]:
    """Group rows by split; ``named`` is the split of rows that name none."""
    splits: dict[str, list[TaskDraft]] = {}
    bad: list[BadRow] = []
    for row in rows:
        if isinstance(row, BadRow):
            bad.append(row)
        else:
            splits.setdefault(row.split or named, []).append(row)
    first, *others = (splits or {named: []}).items()
    return [Split(*first, bad), *(Split(name, drafts, []) for name, drafts in others)]


def _groups(plugin: BenchmarkPlugin, folder: Path) -> dict[tuple[Path, ...], str]:
    """Group files that are read together, with the split of those of their rows that name none."""
    if plugin.files is None:
        by_split: dict[str, list[Path]] = {}
        for file in record_files.source_files(folder):
            by_split.setdefault(split_named(plugin, file), []).append(file)
        return {tuple(files): split for split, files in by_split.items()}
    groups: dict[tuple[Path, ...], str] = {}
    for split, files in _official_splits(plugin, folder).items():
        groups.setdefault(files, split)
    if not groups:
        raise GymError("no_file", f"The folder {folder} holds no file of {plugin.id}.")
    return groups


def _official_splits(plugin: BenchmarkPlugin, folder: Path) -> dict[str, tuple[Path, ...]]:
    """Return the splits whose files a folder holds."""
    splits: dict[str, tuple[Path, ...]] = {}
    for split in plugin.splits:
        with suppress(GymError):
            splits[split] = tuple(plugin.files(folder, split)) if plugin.files else ()
    return {split: files for split, files in splits.items() if files}


@lru_cache(maxsize=512)
def dash_name(name: str) -> str:
    """Write a name in lower case with one dash for whatever is no letter or digit."""
    return NOT_WORD.sub("-", name.casefold())
