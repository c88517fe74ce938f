"""The kinds of exports, each a file in ``builtin``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from core.registry import Registry
from trajectories.exports.types import Batch, ColumnType, Kind, Row, Unit
from trajectories.models.origins import Origin

KINDS: Registry[Kind] = Registry("export kind")

Rows = Callable[[Batch], Iterator[Row]]


def export_kind(
    kind_id: str,
    *,
    title: str,
    description: str,
    unit: Unit,
    columns: Mapping[str, ColumnType],
    outcomes: tuple[str, ...],
    options: tuple[str, ...] = (),
    origins: tuple[str, ...] = (Origin.PLAIN,),
) -> Callable[[Rows], Rows]:
    """Register a function as what makes the rows of a kind."""

    def registered(rows: Rows) -> Rows:
        kind = Kind(
            id=kind_id,
            title=title,
            description=description,
            unit=unit,
            columns=columns,
            rows=rows,
            outcomes=outcomes,
            options=options,
            origins=origins,
        )
        KINDS.register(kind_id, kind)
        return rows

    return registered
