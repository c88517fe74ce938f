"""The splits that a folder of official files contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import GymError
from tasks_app import record_files, sources
from tasks_app.types import BadRow, BenchmarkPlugin, Row, TaskDraft


@dataclass(frozen=True)
class Split:
    """A split in a folder; unreadable rows are listed with the first split of their files."""

    name: str
    drafts: list[TaskDraft]
    bad: list[BadRow]


def splits_in(plugin: BenchmarkPlugin, folder: Path) -> Iterator[Split]:
    """Yield every split that a folder contains. Raises ``GymError`` ``no_file`` if there is none."""
    for files, named in _groups(plugin, folder).items():
        yield from rows_by_split(record_files.drafts(plugin, files), named=named)


def rows_by_split(rows: Iterable[Row], *, named: str) -> list[Split]:
    """Group rows by split; rows that do not name a split belong to ``named``."""
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
    """Group the files that are read together, each group with the split of rows that do not name one."""
    if plugin.files is None:
        by_split: dict[str, list[Path]] = {}
        for file in record_files.source_files(folder):
            by_split.setdefault(sources.split_named(plugin, file), []).append(file)
        return {tuple(files): split for split, files in by_split.items()}
    groups: dict[tuple[Path, ...], str] = {}
    for split, files in sources.official_splits(plugin, folder).items():
        groups.setdefault(files, split)
    if not groups:
        raise GymError("no_file", f"The folder {folder} contains no file of {plugin.id}.")
    return groups
