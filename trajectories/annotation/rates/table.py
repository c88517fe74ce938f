"""A project's rates by group, with those expected from length and corrected rates by machines; cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from core.database.sql import Statement
from trajectories.annotation.agreement.coefficients import Estimate
from trajectories.annotation.codebook.types import load_codebook
from trajectories.annotation.rates.lengths import bin_lengths, fit_length_baseline, match_rates
from trajectories.annotation.rates.prediction import CorrectedRate, correct_rate
from trajectories.annotation.rates.resamples import Floats, Resamples, estimate_sample, estimate_share
from trajectories.annotation.rates.selectors import CORRECT, INCORRECT, Choice, RateUnit, read_rate_units
from trajectories.annotation.rates.success import Association, Case, estimate_association
from trajectories.models import AnnotationProject, Annotator

# Groups with fewer labelled units are not matched on length, since too few lengths would be common to all
# groups.
MATCHED_MIN = 20
ALL = "all"
NO_VERSION = "no version"


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """A grouping by which rates are compared; ``key`` and ``label`` return a unit's group and its name."""

    id: str
    title: str
    key: Callable[[RateUnit], Hashable]
    label: Callable[[RateUnit], str]


GROUPINGS = {
    one.id: one
    for one in (
        Grouping(id="arm", title="Arm", key=lambda unit: unit.arm, label=lambda unit: unit.arm),
        Grouping(
            id="run",
            title="Run",
            key=lambda unit: unit.run,
            label=lambda unit: f"{unit.run_name} (run {unit.run})",
        ),
        Grouping(
            id="version",
            title="Policy version",
            key=lambda unit: unit.version,
            label=lambda unit: NO_VERSION if unit.version is None else f"version {unit.version}",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class RateRow:
    """A group's rate.

    ``by_length`` is the rate expected from length alone, ``beyond`` the difference from it, and ``matched``
    the rate at the length distribution of all groups together.
    """

    key: str
    label: str
    units: int
    trajectories: int
    rate: Estimate
    by_length: float | None
    beyond: Estimate | None
    matched: Estimate | None


@dataclass(frozen=True, kw_only=True)
class Group:
    key: str
    label: str
    mask: Floats


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The rates of a project, computed from all its ``units``, whether labelled or not."""

    units: Sequence[RateUnit]
    grouping: Grouping

    @cached_property
    def labelled(self) -> list[RateUnit]:
        return [unit for unit in self.units if unit.people is not None]

    @cached_property
    def rows(self) -> list[RateRow]:
        """One row for all units that people labelled, followed by one for each group."""
        if not self.labelled:
            return []
        whole, *groups = group_units(self.labelled, self.grouping)
        return [self._row(whole, None), *(self._row(group, self._matched.get(group.key)) for group in groups)]

    @property
    def common_weight(self) -> float | None:
        """The share of the weight in lengths that all matched groups have; None if nothing is matched."""
        return self._matching[1] if self._matching[0] else None

    @cached_property
    def successes(self) -> list[tuple[str, Association]]:
        """The association with success within items, for all units and for each group."""
        cases = self._cases
        groups = group_units(self.labelled, self.grouping)[1:] if self.labelled else []
        by_group = [
            (group.label, estimate_association([case for case in cases if str(case.group) == group.key]))
            for group in groups
        ]
        return [("All", estimate_association(cases)), *by_group]

    def corrected(self, machine: int) -> list[tuple[Group, CorrectedRate]]:
        """Compute each group's rate from a machine's labels, corrected by people's labels."""
        seen = [unit for unit in self.units if unit.people is not None or machine in unit.machines]
        if not seen:
            return []
        people = _floats(np.nan if unit.people is None else unit.people for unit in seen)
        given = _floats(unit.machines.get(machine, np.nan) for unit in seen)
        weights, resamples = _floats(unit.weight for unit in seen), _resamples(seen)
        return [
            (
                group,
                correct_rate(people=people, machine=given, weights=weights * group.mask, resamples=resamples),
            )
            for group in group_units(seen, self.grouping)
        ]

    # ---- what people say

    @cached_property
    def _resamples(self) -> Resamples:
        return _resamples(self.labelled)

    @cached_property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        """Return the label, the weight and the word count of each labelled unit."""
        has_it = _floats(unit.people for unit in self.labelled)
        return (
            has_it,
            _floats(unit.weight for unit in self.labelled),
            _floats(unit.words for unit in self.labelled),
        )

    @cached_property
    def _by_length(self) -> Floats | None:
        has_it, weights, words = self._values
        return fit_length_baseline(
            has_it=has_it, words=words, weights=weights, clusters=self._resamples.codes
        )

    @cached_property
    def _matching(self) -> tuple[dict[str, Floats], float]:
        has_it, weights, words = self._values
        groups = [
            group
            for group in group_units(self.labelled, self.grouping)[1:]
            if group.mask.sum() >= MATCHED_MIN
        ]
        if len(groups) < 2:
            return {}, 0.0
        rates, common = match_rates(
            has_it=has_it,
            weights=weights,
            bins=bin_lengths(words, weights),
            groups=[group.mask for group in groups],
            resamples=self._resamples,
        )
        return {group.key: samples for group, samples in zip(groups, rates, strict=True)}, common

    @property
    def _matched(self) -> dict[str, Floats]:
        return self._matching[0]

    def _row(self, group: Group, matched: Floats | None) -> RateRow:
        has_it, weights, _ = self._values
        trajectories = self._resamples.trajectories(group.mask > 0)
        rate = self._resamples.mean(has_it, weights * group.mask)
        by_length = beyond = None
        if self._by_length is not None:
            baseline = self._resamples.mean(self._by_length, weights * group.mask)
            by_length, beyond = float(baseline[0]), estimate_sample(rate - baseline)
        return RateRow(
            key=group.key,
            label=group.label,
            units=int(group.mask.sum()),
            trajectories=trajectories,
            rate=estimate_share(rate, trajectories=trajectories),
            by_length=by_length,
            beyond=beyond,
            matched=None if matched is None else estimate_share(matched, trajectories=trajectories),
        )

    @property
    def _cases(self) -> list[Case]:
        by_episode: dict[int, list[RateUnit]] = {}
        for unit in self.labelled:
            if unit.outcome in (CORRECT, INCORRECT):
                by_episode.setdefault(unit.episode, []).append(unit)
        return [_case(members, self.grouping) for members in by_episode.values()]


def group_units(units: Sequence[RateUnit], grouping: Grouping) -> list[Group]:
    """Return a group of all units, followed by the groups in the order of keys; masks are 1 for members."""
    labels: dict[Hashable, str] = {grouping.key(unit): grouping.label(unit) for unit in units}
    keys = [grouping.key(unit) for unit in units]
    ordered = sorted(labels, key=lambda key: (key is None, key))
    groups = [
        Group(key=str(key), label=labels[key], mask=_floats(one == key for one in keys)) for key in ordered
    ]
    return [Group(key=ALL, label="All", mask=np.ones(len(units))), *groups]


def _case(members: Sequence[RateUnit], grouping: Grouping) -> Case:
    first = members[0]
    shares = _floats(unit.people for unit in members)
    weights = _floats(unit.weight for unit in members)
    return Case(
        item=first.task,
        group=grouping.key(first),
        share=float(np.average(shares, weights=weights)),
        is_correct=first.outcome == CORRECT,
    )


def _resamples(units: Sequence[RateUnit]) -> Resamples:
    return Resamples(clusters=[unit.episode for unit in units], strata=[unit.stratum for unit in units])


def _floats(values: object) -> Floats:
    return np.array(list(values), dtype=np.float64)  # type: ignore[call-overload]


FIGURES_REMEMBERED = 64
_STATE = Statement(__file__, "state")


@dataclass(frozen=True, kw_only=True)
class RateFigures:
    """Figures of ``Rates``, without the units from which they were computed.

    ``corrected`` has, for each machine, the groups' keys and labels with the rates from the machine's labels.
    """

    rows: Sequence[RateRow]
    common_weight: float | None
    successes: Sequence[tuple[str, Association]]
    corrected: Mapping[int, Sequence[tuple[str, str, CorrectedRate]]]


def figures(project: AnnotationProject, *, choice: Choice, grouping: Grouping) -> RateFigures:
    """Return the figures, cached until labels or verdicts change, since computing them can take seconds."""
    machines = Annotator.objects.filter(project=project).exclude(kind=Annotator.Kind.PERSON)
    numbers = tuple(machines.order_by("pk").values_list("pk", flat=True))
    return _figures(project.pk, tuple(choice), grouping.id, numbers, _STATE.row(project=project.pk))


@lru_cache(maxsize=FIGURES_REMEMBERED)
def _figures(
    project_id: int,
    choice: tuple[tuple[str, str], ...],
    grouping_id: str,
    machines: tuple[int, ...],
    state: Hashable,
) -> RateFigures:
    project = AnnotationProject.objects.select_related("codebook").get(pk=project_id)
    units = read_rate_units(project, codebook=load_codebook(project.codebook), choice=choice)
    rates = Rates(units=units, grouping=GROUPINGS[grouping_id])
    return RateFigures(
        rows=rates.rows,
        common_weight=rates.common_weight,
        successes=rates.successes,
        corrected={
            machine: [(group.key, group.label, rate) for group, rate in rates.corrected(machine)]
            for machine in machines
        },
    )
