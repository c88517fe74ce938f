"""Labels as filters for exports: each step's final label, and the weight that follows from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from trajectories.annotation.labels import consensus
from trajectories.exports.parameters import Labels
from trajectories.exports.registry import LABEL_READERS
from trajectories.exports.types import GOLD_UNIT, LabelReader, StepLabel
from trajectories.models import Episode

NO_MAJORITY, OTHER_ANSWER = "no_majority", "other_answer"


def read_labels(labels: Labels, episodes: Sequence[int]) -> dict[tuple[int, int], StepLabel]:
    """Return the label of each labelled step, by episode and step.

    If a thought was labelled by paragraph, its weight is the mean over its paragraphs, weighted by their
    length.
    """
    units: dict[tuple[int, int], list[tuple[int, Any]]] = defaultdict(list)
    for unit, values in consensus.read_consensus(project=labels.project, episodes=list(episodes)):
        part = unit["end"] - unit["begin"], values.get(labels.field)
        units[unit["episode"], unit["step"]].append(part)
    counting = {place: _label(parts, labels) for place, parts in units.items()}
    golds = consensus.read_gold_places(project=labels.project, episodes=list(episodes))
    return {**{place: StepLabel(weight=0.0, reason=GOLD_UNIT) for place in golds}, **counting}


def count_elsewhere(labels: Labels, among: QuerySet[Episode], taken: QuerySet[Episode]) -> int:
    """Count the labelled steps with a positive weight in episodes of ``among`` that are not in ``taken``."""
    labelled = consensus.list_labelled_episodes(project=labels.project)
    others = among.filter(pk__in=labelled).exclude(pk__in=taken.values("pk"))
    left = read_labels(labels, list(others.values_list("pk", flat=True)))
    return sum(label.weight > 0 for label in left.values())


def _label(parts: Sequence[tuple[int, Any]], labels: Labels) -> StepLabel:
    weight = _mean([(chars, _weight(answer, labels)) for chars, answer in parts])
    is_answered = any(answer is not None for _, answer in parts)
    return StepLabel(weight=weight, reason="" if weight else OTHER_ANSWER if is_answered else NO_MAJORITY)


def _weight(answer: Any, labels: Labels) -> float:
    """Return the greatest weight of the field's answers."""
    answers: Sequence[Any] = answer if isinstance(answer, list) else [answer]
    return max(
        (labels.weights.get(str(answer), 0.0) for answer in answers if answer is not None), default=0.0
    )


def _mean(parts: Sequence[tuple[int, float]]) -> float:
    length = sum(chars for chars, _ in parts)
    if not length:
        return max(weight for _, weight in parts)
    return sum(chars * weight for chars, weight in parts) / length


LABEL_READERS.register("annotation", LabelReader(read=read_labels, count_elsewhere=count_elsewhere))
