"""Aggregated scores of many episodes: the rates for calling, choosing and filling in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from tasks_app.tool_tasks.distances import Fault
from tasks_app.tool_tasks.scores import Score

Pair = tuple[str, str]
"""A needed tool and the tool that was called instead, or a tool and one of its fields."""
EXTRA = ""
"""Stands for arguments that the tool has no field for."""


class Part(NamedTuple):
    """One episode's contribution to a rate: numerator and denominator."""

    counted: float
    among: float


def _recall(score: Score) -> Part:
    """Return the episode's part in recall, which is made or missed only if a call is needed."""
    needs = score.is_needed and not score.is_optional
    return Part(needs and score.called > 0, needs)


def _precision(score: Score) -> Part:
    """Return the episode's part in precision, which counts only if a call was made.

    Episodes in which a call is optional do not count.
    """
    called = score.called > 0 and not score.is_optional
    return Part(called and score.is_needed, called)


def _mean_of(value: float | None) -> Part:
    return Part(value or 0.0, value is not None)


RATES: Mapping[str, Callable[[Score], Part]] = {
    "recall": _recall,
    "precision": _precision,
    "selection": lambda score: _mean_of(score.selection),
    "arguments": lambda score: _mean_of(score.arguments),
    "execution": lambda score: Part(score.calls - score.failed, score.calls),
}


def confusion_part(score: Score, pair: Pair) -> Part:
    """Return how often one tool was called where another was needed, and how often that was needed."""
    return Part(score.confusions.count(pair), count_needs(score)[pair[0]])


def fault_part(score: Score, place: Pair, *, fault: Fault | None = None) -> Part:
    """Return how often a field was wrong, and in how many calls of its tool.

    ``fault`` restricts the kind of fault.
    """
    tool, field = place
    faults = [_fault(differing, field) for name, differing in score.faults if name == tool]
    return Part(sum(other is not None and fault in (None, other) for other in faults), len(faults))


def _fault(faults: Mapping[str, Fault], field: str) -> Fault | None:
    if field == EXTRA:
        return "extra" if "extra" in faults.values() else None
    return faults.get(field)


def count_needs(score: Score) -> Counter[str]:
    """Count how often each tool was needed, according to the graph that fits the calls best."""
    return Counter([tool for tool, _ in score.distances] + [needed for needed, _ in score.confusions])


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The rates of many episodes.

    ``shares`` has a value for each of ``RATES``, None if nothing counts. ``confusions`` counts pairs of
    needed and called tool, most frequent first, and ``needs`` counts how often each tool was needed.
    ``distances`` are means by tool and field. Of the ``episodes``, ``needing`` need a call and ``calling``
    made one; episodes in which a call is optional count in neither. Of the ``calls``, ``surplus`` were not
    needed.
    """

    episodes: int
    needing: int
    calling: int
    calls: int
    surplus: int
    shares: Mapping[str, float | None]
    confusions: Mapping[Pair, int]
    needs: Mapping[str, int]
    distances: Mapping[Pair, float]


def compute_rates(scores: Sequence[Score]) -> Rates:
    parts = {name: [part(score) for score in scores] for name, part in RATES.items()}
    by_field: dict[Pair, list[float]] = defaultdict(list)
    for tool, fields in (pair for score in scores for pair in score.distances):
        for name, distance in fields.items():
            by_field[tool, name].append(distance)
    confusions = Counter(pair for score in scores for pair in score.confusions)
    return Rates(
        episodes=len(scores),
        needing=int(_among(parts["recall"])),
        calling=int(_among(parts["precision"])),
        calls=sum(score.calls for score in scores),
        surplus=sum(score.surplus for score in scores),
        shares={name: share(own) for name, own in parts.items()},
        confusions=dict(confusions.most_common()),
        needs=sum(map(count_needs, scores), Counter()),
        distances={place: fmean(values) for place, values in sorted(by_field.items())},
    )


def share(parts: Sequence[Part]) -> float | None:
    among = _among(parts)
    return sum(part.counted for part in parts) / among if among else None


def _among(parts: Sequence[Part]) -> float:
    return sum(part.among for part in parts)
