"""The columns of a label, by their names in files, the API and forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from core.database.integers import INT_MAX
from core.structs.fields import Id
from trajectories.exports.types import ColumnType

Number = Annotated[int, Meta(ge=0, le=INT_MAX)]

UNIT = "unit__"


class Column(NamedTuple):
    """A column's type, and the ``path`` that leads to it from a label in a query."""

    path: str
    type: ColumnType


# The columns, in the order in which files have them.
COLUMNS: Mapping[str, Column] = {
    "key": Column("key", "text"),
    "episode": Column("unit__episode_id", "integer"),
    "step": Column("unit__step", "integer"),
    "paragraph": Column("unit__paragraph", "integer"),
    "begin": Column("unit__begin", "integer"),
    "end": Column("unit__end", "integer"),
    "other_episode": Column("unit__other_episode_id", "integer"),
    "other_step": Column("unit__other_step", "integer"),
    "stratum": Column("unit__stratum", "text"),
    "weight": Column("unit__weight", "number"),
    "annotator": Column("annotator_id", "text"),
    "annotator_kind": Column("annotator__kind", "text"),
    "layer": Column("layer", "text"),
    "view": Column("view", "text"),
    "is_repeat": Column("is_repeat", "truth"),
    "is_gold": Column("is_gold", "truth"),
    "is_swapped": Column("is_swapped", "truth"),
    "version": Column("version", "integer"),
    "codebook": Column("codebook_id", "text"),
    "state": Column("state", "text"),
    "is_unsure": Column("is_unsure", "truth"),
    "reason": Column("reason", "text"),
    "active_ms": Column("active_ms", "integer"),
    "created_at": Column("created_at", "text"),
    "note": Column("note", "text"),
    "values": Column("values", "json"),
    "spans": Column("spans", "json"),
    "links": Column("links", "json"),
}
# In a table, these are spread over several columns or abbreviated.
NESTED = ("values", "spans", "links")
# The columns that identify a unit in its project.
PLACE = ("episode", "step", "paragraph", "other_episode", "other_step")
# The columns of the label itself, as opposed to its unit, annotator and codebook.
OWN = tuple(
    name for name, column in COLUMNS.items() if column.path == name and name not in ("key", "is_gold")
)


def label_paths(names: Iterable[str]) -> list[str]:
    """Return the query paths that lead from a label to these columns."""
    return [COLUMNS[name].path for name in names]


def unit_paths(names: Iterable[str]) -> list[str]:
    """Return the query paths that lead from a unit to these columns."""
    return [path.removeprefix(UNIT) for path in label_paths(names)]


class UnitPlace(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The columns by which a file identifies a unit. In a pair, ``episode`` is the member called first."""

    episode: Id
    step: Number
    paragraph: Number = 0
    other_episode: Id | None = None
    other_step: Number | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """The values that identify the unit in its project."""
        return tuple(getattr(self, name) for name in PLACE)
