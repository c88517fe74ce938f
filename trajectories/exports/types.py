"""Types of export kinds: their columns, and how they make rows from episodes or annotation projects."""

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
# `json` is any JSON value (a text in Parquet), `messages` is a chat, and `images` names separate files.
ColumnType = Literal["integer", "number", "text", "truth", "json", "messages", "images"]

IMAGES = "images"
GOLD = "gold"
WEIGHT = "weight"
NO_LABEL = "no_label"
GOLD_UNIT = "gold_unit"


@dataclass(frozen=True, kw_only=True)
class StepLabel:
    """The weight of a step's label, with the ``reason`` if it is 0."""

    weight: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Units whose rows are made together.

    ``episodes`` are the episodes of these units that match the filters. Whatever cannot become a row is
    counted in ``left_out`` by its reason. ``labels`` has the labels by episode and step, or is None without a
    filter by labels.
    """

    ids: Sequence[int]
    parameters: Parameters
    episodes: QuerySet[Episode]
    left_out: Counter[str] = field(default_factory=Counter)
    labels: Mapping[tuple[int, int], StepLabel] | None = None

    def step_weight(self, episode: int, step: int) -> float | None:
        """Return a step's weight.

        Returns None and counts the reason if the step has no label or its label filters it out.
        """
        return 1.0 if self.labels is None else self._positive(self.labels.get((episode, step)))

    def episode_weight(self, episode: int) -> float | None:
        """Return an episode's weight, which is the mean over its labelled steps.

        Returns None and counts the reason if the mean is 0 or no step is labelled.
        """
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
    """Return the mean of an episode's labels, in which steps labelled only as gold units do not count."""
    counting = [label for label in labels if label.reason != GOLD_UNIT]
    if not counting:
        return labels[0]
    return StepLabel(weight=fmean(label.weight for label in counting), reason=counting[0].reason)


@dataclass(frozen=True, kw_only=True)
class LabelReader:
    """A reader of the labels that steps have in an annotation project.

    ``read`` returns the label of each labelled step in the given episodes, by episode and step.
    ``count_elsewhere`` counts the steps with a weighted label in episodes that the export does not take.
    """

    read: Callable[[Labels, Sequence[int]], dict[tuple[int, int], StepLabel]]
    count_elsewhere: Callable[[Labels, QuerySet[Episode], QuerySet[Episode]], int]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of export; ``columns`` has the column types by name, in the order of the files."""

    id: str
    columns: Mapping[str, ColumnType]


@dataclass(frozen=True, kw_only=True)
class EpisodeKind(Kind):
    """A kind of export whose ``rows`` are made from batches of a ``unit``.

    ``options`` are the fields of ``Parameters`` that the kind reads besides filters. ``outcomes`` and
    ``origins`` restrict its episodes unless the filters specify others.
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
    """A kind of export whose ``rows`` are made from an annotation project, for its archive.

    ``rows`` gets the project, the annotators' names by id, and a counter for what is left out, by reason.
    ``stem`` returns the file name of a row without its ending, which is one of ``stems``. ``table`` gets the
    project and returns the columns of a table with a function that flattens a row; it is None if there is no
    table.
    """

    rows: Callable[[AnnotationProject, Mapping[int, str], Counter[str]], Iterator[Row]]
    stems: tuple[str, ...]
    stem: Callable[[Row], str]
    is_of: Callable[[AnnotationProject], bool] = lambda project: True
    table: Callable[[AnnotationProject], tuple[Sequence[str], Callable[[Row], Row]]] | None = None
