"""The kinds of files, each a file in ``builtin``, or in the folder of the feature whose records they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.registry import Registry
from trajectories.exports.types import Batch, EpisodeKind, LabelReader, ProjectKind, Row

# Exports of episodes, and exports of annotation projects, which an archive combines.
KINDS: Registry[EpisodeKind] = Registry("export kind")
PROJECT_KINDS: Registry[ProjectKind] = Registry("archive kind")
LABEL_READERS: Registry[LabelReader] = Registry("label reader")

Rows = Callable[[Batch], Iterator[Row]]


def export_kind(kind_id: str, **fields: Any) -> Callable[[Rows], Rows]:
    """Register a function as what makes the rows of a kind; ``fields`` are the others of ``EpisodeKind``."""

    def register(rows: Rows) -> Rows:
        KINDS.register(kind_id, EpisodeKind(id=kind_id, rows=rows, **fields))
        return rows

    return register
