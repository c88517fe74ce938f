"""The registries of export kinds.

Each kind is a file in ``builtin`` or in the feature whose records it exports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.registry import Registry
from trajectories.exports.types import Batch, EpisodeKind, LabelReader, ProjectKind, Row

# ``KINDS`` export episodes. ``PROJECT_KINDS`` export annotation projects, and an archive combines them.
KINDS: Registry[EpisodeKind] = Registry("export kind")
PROJECT_KINDS: Registry[ProjectKind] = Registry("archive kind")
LABEL_READERS: Registry[LabelReader] = Registry("label reader")

Rows = Callable[[Batch], Iterator[Row]]


def export_kind(kind_id: str, **fields: Any) -> Callable[[Rows], Rows]:
    """Register the decorated function as the ``rows`` of an export kind.

    ``fields`` has the other fields of ``EpisodeKind``.
    """

    def register(rows: Rows) -> Rows:
        KINDS.register(kind_id, EpisodeKind(id=kind_id, rows=rows, **fields))
        return rows

    return register
