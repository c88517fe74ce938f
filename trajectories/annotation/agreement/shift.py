"""Effect of the view on labels, from units that some people saw in one view and others in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

from trajectories.annotation.agreement import coefficients
from trajectories.annotation.agreement.coefficients import Estimate
from trajectories.annotation.agreement.selectors import UnitLabels
from trajectories.annotation.codebook.types import Codebook, Field

NO_ANSWER = "none"
# Sources of a page of units: all that were labelled in both views, or only those of them that at least two
# people labelled in the first view.
IN_BOTH, WITHIN = "both", "within"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer to a field, or a set of answers; ``name`` identifies it in URLs."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class UnitShift:
    """A unit that was labelled in both views.

    ``pairs`` are all pairs of an answer from the first view and one from the other; ``within`` are the pairs
    of answers by two people who both saw the first view.
    """

    unit: UnitLabels
    pairs: list[tuple[str, str]]
    within: list[tuple[str, str]]

    @property
    def changed(self) -> float:
        return _differing(self.pairs)


@dataclass(frozen=True, kw_only=True)
class Shift:
    """Change in the answers to one field between the project's first view and another."""

    field: Field
    units: Sequence[UnitShift]

    @cached_property
    def changed(self) -> Estimate:
        """The share of answer pairs across the two views that differ, each unit counted once."""
        return _mean([(both.unit.episode, both.changed) for both in self.units])

    @cached_property
    def within(self) -> Estimate:
        """The share of differing answer pairs among people who all saw the first view, as a baseline."""
        return _mean([(both.unit.episode, _differing(both.within)) for both in self.units if both.within])

    @cached_property
    def excess(self) -> Estimate:
        """The mean of ``changed`` minus ``within``, over units for which both are known."""
        return _mean(
            [
                (both.unit.episode, both.changed - _differing(both.within))
                for both in self.units
                if both.within
            ]
        )

    @property
    def matrix(self) -> list[tuple[Answer, list[tuple[Answer, int]]]]:
        """Counts of answer pairs: rows are answers in the first view, columns those in the other."""
        counts = Counter(pair for both in self.units for pair in both.pairs)
        answers = self._answers({name for pair in counts for name in pair})
        return [
            (answer, [(other, counts[answer.name, other.name]) for other in answers]) for answer in answers
        ]

    def filter_units_with(self, *, one: str, other: str) -> list[UnitLabels]:
        """Return the units with the answer ``one`` in the first view and ``other`` in the other view."""
        return [both.unit for both in self.units if (one, other) in both.pairs]

    def filter_units_behind(self, source: str) -> list[UnitLabels]:
        """Return the units labelled in both views, or only those that two people labelled in the first."""
        return [both.unit for both in self.units if source == IN_BOTH or both.within]

    @property
    def units_changed(self) -> set[int]:
        """The ids of units whose answers differ between the views."""
        return {both.unit.unit for both in self.units if both.changed}

    def _answers(self, names: set[str]) -> list[Answer]:
        """Return all answers in codebook order, or, for a field with sets, the given sets, smallest first."""
        if not self.field.is_set:
            return [Answer(name=option.id, title=option.title) for option in self.field.options]
        return [
            Answer(name=name, title=format_answer(self.field, name))
            for name in sorted(names, key=lambda name: (name.count(",") + bool(name), name))
        ]


def shifts(first: Sequence[UnitLabels], other: Sequence[UnitLabels], codebook: Codebook) -> list[Shift]:
    """Compute, for each field, the shift between the labels of two views."""
    others = {unit.unit: unit for unit in other}
    both = [(unit, others[unit.unit]) for unit in first if unit.unit in others]
    return [
        Shift(field=field, units=[shift for pair in both if (shift := _unit_shift(*pair, field=field)).pairs])
        for field in codebook.fields
    ]


def format_answer(field: Field, name: str) -> str:
    titles = {option.id: option.title for option in field.options}
    return ", ".join(titles.get(one, one) for one in name.split(",")) if name else NO_ANSWER


def name_answer(answer: Any) -> str:
    return ",".join(sorted(answer)) if isinstance(answer, list) else str(answer)


def _unit_shift(one: UnitLabels, other: UnitLabels, *, field: Field) -> UnitShift:
    first, second = (list(map(name_answer, unit.answers_to(field))) for unit in (one, other))
    return UnitShift(unit=one, pairs=list(product(first, second)), within=list(combinations(first, 2)))


def _differing(pairs: Sequence[tuple[str, str]]) -> float:
    return sum(one != other for one, other in pairs) / len(pairs)


def _mean(values: Sequence[tuple[int, float]]) -> Estimate:
    if not values:
        return Estimate(value=None)
    return coefficients.mean([value for _, value in values], clusters=[episode for episode, _ in values])
