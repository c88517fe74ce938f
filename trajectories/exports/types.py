"""What an export kind is: its columns, its units, and the rows that it makes of a batch of units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
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
    counted in ``left_out``, by its reason. ``weights`` are those of labelled steps, also where they are 0;
    None without a filter by labels.
    """

    ids: Sequence[int]
    parameters: Parameters
    episodes: QuerySet[Episode]
    left_out: Counter[str] = field(default_factory=Counter)
    weights: Mapping[tuple[int, int], float] | None = None

    def step_weight(self, episode: int, step: int) -> float | None:
        """None, counted, if the step is filtered out by its label, or has none."""
        return 1.0 if self.weights is None else self._positive(self.weights.get((episode, step)))

    def episode_weight(self, episode: int) -> float | None:
        """The mean of the episode's labelled steps; None, counted, if that is 0 or there are none."""
        return 1.0 if self.weights is None else self._positive(self._means.get(episode))

    def _positive(self, weight: float | None) -> float | None:
        if not weight:
            self.left_out["no_label"] += 1
        return weight or None

    @cached_property
    def _means(self) -> Mapping[int, float]:
        steps: dict[int, list[float]] = defaultdict(list)
        for (episode, _), weight in (self.weights or {}).items():
            steps[episode].append(weight)
        return {episode: fmean(weights) for episode, weights in steps.items()}


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
