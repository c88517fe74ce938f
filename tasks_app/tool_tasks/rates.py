"""The scores of many episodes together: rates of calling, choosing and filling in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from tasks_app.tool_tasks.scores import Score


@dataclass(frozen=True, kw_only=True)
class Rates:
    """``precision`` and ``recall`` are of episodes: those that need a call among those with one, and the
    other way round. ``confusions`` counts pairs of the tool needed and the one called, right ones too.
    ``distances`` are means by tool and field. A rate of nothing is None. ``needing`` of the
    ``episodes`` need a call, and ``calling`` made one; those that are right either way are in neither.
    ``surplus`` of the ``calls`` were not needed.
    """

    episodes: int
    needing: int
    calling: int
    calls: int
    surplus: int
    precision: float | None
    recall: float | None
    selection: float | None
    arguments: float | None
    execution: float | None
    redundant: float
    confusions: dict[tuple[str, str], int]
    distances: dict[tuple[str, str], float]


def rates_of(scores: Sequence[Score]) -> Rates:
    """``redundant`` is the mean number of calls that were not needed, in an episode."""
    certain = [score for score in scores if not score.is_optional]
    needing = sum(score.is_needed for score in certain)
    calling = sum(score.called > 0 for score in certain)
    right = sum(score.is_needed and score.called > 0 for score in certain)
    calls = sum(score.called + score.harmless for score in scores)
    by_field: dict[tuple[str, str], list[float]] = defaultdict(list)
    for tool, fields in (one for score in scores for one in score.distances):
        for name, distance in fields.items():
            by_field[tool, name].append(distance)
    return Rates(
        episodes=len(scores),
        needing=needing,
        calling=calling,
        calls=calls,
        surplus=sum(score.surplus for score in scores),
        precision=_share(right, calling),
        recall=_share(right, needing),
        selection=_mean([score.selection for score in scores]),
        arguments=_mean([score.arguments for score in scores]),
        execution=_share(calls - sum(score.failed for score in scores), calls),
        redundant=fmean(score.surplus for score in scores) if scores else 0.0,
        confusions=dict(_confusions(scores)),
        distances={place: fmean(values) for place, values in sorted(by_field.items())},
    )


def _confusions(scores: Sequence[Score]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for score in scores:
        counts.update((tool, tool) for tool, _ in score.distances)
        counts.update(score.confusions)
    return counts


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
