"""What an export kind is: its columns, its units, and the rows that it makes of a batch of units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db.models import QuerySet

from trajectories.exports.parameters import Parameters
from trajectories.models import Episode

Row = dict[str, Any]
Unit = Literal["episode", "group", "task"]
# `json` is any JSON, a text in Parquet; `messages` are a chat; `images` are files beside.
ColumnType = Literal["integer", "number", "text", "truth", "json", "messages", "images"]

IMAGES = "images"
GOLD = "gold"
WEIGHT = "weight"


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Units whose rows are made together.

    ``episodes`` are those that the filters show, of these units and all others. What no row can be made of is
    counted in ``left_out``, by its reason. ``weights`` are those of labelled steps; None without a filter by
    labels.
    """

    ids: Sequence[int]
    parameters: Parameters
    episodes: QuerySet[Episode]
    left_out: Counter[str] = field(default_factory=Counter)
    weights: Mapping[tuple[int, int], float] | None = None

    def weight(self, episode: int, step: int) -> float | None:
        """Of a step; None, counted, if it is filtered out by its label, or has none."""
        if self.weights is None:
            return 1.0
        weight = self.weights.get((episode, step))
        if weight is None:
            self.left_out["no_label"] += 1
        return weight


@dataclass(frozen=True, kw_only=True)
class Kind:
    """``columns`` by name, in the order of the files. ``unit``: what its rows are made of.

    ``options`` are the fields of ``Parameters`` that it reads besides filters; ``outcomes`` are those whose
    episodes it takes unless the filters say.
    """

    id: str
    title: str
    description: str
    unit: Unit
    columns: Mapping[str, ColumnType]
    rows: Callable[[Batch], Iterator[Row]]
    outcomes: tuple[str, ...]
    options: tuple[str, ...] = ()
