"""Kinds of files: their columns, and the rows that they make of episodes, or of an annotation project."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any, Literal

from django.db.models import QuerySet

from trajectories.exports.parameters import Labels, Parameters
from trajectories.models import AnnotationProject, Episode
from trajectories.models.origins import Origin

Row = dict[str, Any]
Unit = Literal["episode", "group", "task"]
# `json` is any JSON, a text in Parquet; `messages` are a chat; `images` are files beside.
ColumnType = Literal["integer", "number", "text", "truth", "json", "messages", "images"]

IMAGES = "images"
GOLD = "gold"
WEIGHT = "weight"
NO_LABEL = "no_label"
GOLD_UNIT = "gold_unit"


@dataclass(frozen=True, kw_only=True)
class StepLabel:
    """The weight of a step's label; ``reason`` says why it is 0."""

    weight: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Units whose rows are made together.

    ``episodes`` are those that the filters show, of these units and all others. What no row can be made of is
    counted in ``left_out``, by its reason. ``labels`` are those of labelled steps; None without a filter by
    labels.
    """

    ids: Sequence[int]
    parameters: Parameters
    episodes: QuerySet[Episode]
    left_out: Counter[str] = field(default_factory=Counter)
    labels: Mapping[tuple[int, int], StepLabel] | None = None

    def step_weight(self, episode: int, step: int) -> float | None:
        """Return the step's weight; None, counted, if its label filters it out, or it has none."""
        return 1.0 if self.labels is None else self._positive(self.labels.get((episode, step)))

    def episode_weight(self, episode: int) -> float | None:
        """Return the mean over labelled steps; None, counted, if that is 0 or there are none."""
        return 1.0 if self.labels is None else self._positive(self._of_episodes.get(episode))

    def _positive(self, label: StepLabel | None) -> float | None:
        if label is None or not label.weight:
            self.left_out[label.reason if label else NO_LABEL] += 1
            return None
        return label.weight

    @cached_property
    def _of_episodes(self) -> Mapping[int, StepLabel]:
        steps: dict[int, list[StepLabel]] = defaultdict(list)
        for (episode, _), label in (self.labels or {}).items():
            steps[episode].append(label)
        return {episode: _mean(labels) for episode, labels in steps.items()}


def _mean(labels: Sequence[StepLabel]) -> StepLabel:
    """Return the mean label; steps labelled only as gold units do not count."""
    counting = [label for label in labels if label.reason != GOLD_UNIT]
    if not counting:
        return labels[0]
    return StepLabel(weight=fmean(label.weight for label in counting), reason=counting[0].reason)


@dataclass(frozen=True, kw_only=True)
class LabelReader:
    """Reads what counts as the labels of steps.

    ``read`` returns the label of each labelled step of some episodes, by episode and step;
    ``count_elsewhere`` counts the labelled steps with a weight among episodes that are not taken.
    """

    read: Callable[[Labels, Sequence[int]], dict[tuple[int, int], StepLabel]]
    count_elsewhere: Callable[[Labels, QuerySet[Episode], QuerySet[Episode]], int]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """``columns`` by name, in the order of the files."""

    id: str
    columns: Mapping[str, ColumnType]


@dataclass(frozen=True, kw_only=True)
class EpisodeKind(Kind):
    """Rows that ``rows`` makes of batches of a ``unit``.

    ``options`` are the fields of ``Parameters`` that it reads besides filters; ``outcomes`` and ``origins``
    are those whose episodes it takes unless the filters say.
    """

    title: str
    description: str
    unit: Unit
    rows: Callable[[Batch], Iterator[Row]]
    outcomes: tuple[str, ...]
    options: tuple[str, ...] = ()
    origins: tuple[str, ...] = (Origin.PLAIN,)


@dataclass(frozen=True, kw_only=True)
class ProjectKind(Kind):
    """Rows that ``rows`` makes of an annotation project, for its archive.

    It gets the project, the names of annotators by id, and a counter for what has no row, by its reason.
    ``stem`` names the file of a row, one of ``stems``. ``table`` gets the project, and returns the columns
    of the same rows as a table and a function that flattens a row; None if they are no table.
    """

    rows: Callable[[AnnotationProject, Mapping[int, str], Counter[str]], Iterator[Row]]
    stems: tuple[str, ...]
    stem: Callable[[Row], str]
    is_of: Callable[[AnnotationProject], bool] = lambda project: True
    table: Callable[[AnnotationProject], tuple[Sequence[str], Callable[[Row], Row]]] | None = None
