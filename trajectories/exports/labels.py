"""Labels as filters: what counts as the label of each step, and its weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from trajectories.annotation.api import selectors
from trajectories.exports.parameters import Labels
from trajectories.models import Episode


def step_weights(labels: Labels, episodes: QuerySet[Episode]) -> dict[tuple[int, int], float]:
    """By episode and step. Of a thought in paragraphs it is their mean, by their lengths."""
    units: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    ids = list(episodes.values_list("pk", flat=True))
    for unit, values in selectors.consensus_list(project=labels.project, episodes=ids):
        weight = _weight(values.get(labels.field), labels)
        units[unit["episode"], unit["step"]].append((unit["end"] - unit["begin"], weight))
    return {place: _mean(parts) for place, parts in units.items()}


def _weight(answer: Any, labels: Labels) -> float:
    """The greatest of a field with several answers."""
    answers: Sequence[Any] = answer if isinstance(answer, list) else [answer]
    return max((labels.weights.get(str(one), 0.0) for one in answers if one is not None), default=0.0)


def _mean(parts: Sequence[tuple[int, float]]) -> float:
    length = sum(chars for chars, _ in parts)
    if not length:
        return max(weight for _, weight in parts)
    return sum(chars * weight for chars, weight in parts) / length
