"""Contents of the page of a run's rewards: the profile, its payments, and another profile beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict

from core.errors import GymError
from trajectories.judges.run_rewards.charts import Point, chart_draw
from trajectories.judges.run_rewards.episodes import (
    EPISODES_MAX,
    Comparison,
    Totals,
    VersionRow,
    comparison_of,
    paid_read,
    totals_of,
    version_row,
    versions_of,
)
from trajectories.judges.run_rewards.form import RewardsForm
from trajectories.judges.run_rewards.judges import JudgedRates, judged_rates
from trajectories.models import Run
from trajectories.record.projects import Sight
from trajectories.rewards.components.learned import MARK
from trajectories.rewards.profiles.payment import range_of
from trajectories.rewards.profiles.store import DEFAULT, SETTING, Named, builtin, profile_get, profiles_of
from trajectories.rewards.profiles.types import Profile, Term
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.tasks import benchmarks_known
from trajectories.shell.text.numerals import numeral

VERSIONS_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class TermRow:
    """A term of a profile, its numbers in words."""

    term: Term

    @property
    def range(self) -> str:
        low, high = range_of(self.term)
        return f"{numeral(low, 'g')} to {numeral(high, 'g')}"

    @property
    def learned(self) -> str:
        """The id of the learned reward that is paid for, if one is."""
        return self.term.component.removeprefix(MARK) if self.term.component.startswith(MARK) else ""

    @property
    def gate(self) -> str:
        gate = self.term.gate
        return f"{gate.term} at least {gate.at_least:.0%}" if gate else ""

    @property
    def schedule(self) -> str:
        phases = self.term.schedule
        return ", ".join(f"× {numeral(one.factor, 'g')} from {one.trainer_step:,}" for one in phases)

    @property
    def decides(self) -> str:
        return f"at most {self.term.decides_below:.0%}, at least {self.term.decides_above:.0%}"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One of the profiles of the page and what it pays in all."""

    named: Named
    totals: Totals

    @property
    def profile(self) -> Profile:
        return self.named.profile

    @property
    def terms(self) -> list[TermRow]:
        return [TermRow(term=term) for term in self.profile.terms]


class RewardsPage:
    """``?profile=`` is read, by default the run's own; ``?beside=`` is compared with it; ``?benchmark=``
    leaves the episodes of one. Profiles are those that keys of the run's project may name."""

    episodes_max = EPISODES_MAX

    def __init__(self, run_id: int, parameters: QueryDict) -> None:
        self.run: Run = selectors.run_get(run_id)
        self._viewer = Sight(project=self.run.project)
        self.errors: list[str] = []
        self.own = self._own()
        self.form = RewardsForm(
            parameters, own=self.own, offered=profiles_of(self._viewer), benchmarks=benchmarks_known()
        )
        filters = self.form.filters()
        self.errors += self.form.error_messages()
        self._named: list[Named] = [filters.get("profile", self.own)]
        self._named += [filters["beside"]] if "beside" in filters else []
        self.paid, self.has_more = paid_read(
            run_id=run_id, named=self._named, benchmark=filters.get("benchmark", "")
        )

    def _own(self) -> Named:
        setting = self.run.settings.get(SETTING) or DEFAULT
        try:
            return profile_get(str(setting), viewer=self._viewer)
        except GymError as error:
            self.errors.append(f"{error.message} The run names it; {DEFAULT} is read.")
            return builtin()[DEFAULT]

    @cached_property
    def readings(self) -> list[Reading]:
        """The profile that is read, and the one beside it if there is one."""
        return [
            Reading(named=named, totals=totals_of(self.paid, place))
            for place, named in enumerate(self._named)
        ]

    @property
    def reading(self) -> Reading:
        return self.readings[0]

    @property
    def beside(self) -> Reading | None:
        return self.readings[1] if len(self.readings) > 1 else None

    @cached_property
    def comparison(self) -> Comparison | None:
        return comparison_of(self.paid) if self.beside else None

    @cached_property
    def judged(self) -> list[JudgedRates]:
        """The shares of criteria that the profiles pay for, as judges grade and as corrected."""
        profiles = [one.profile for one in self._named]
        return judged_rates(profiles, self.paid)

    # ---- over policy versions
    def _terms(self, place: int) -> list[str]:
        return [term.id for term in self._named[place].profile.terms]

    @cached_property
    def _versions(self) -> list[list[VersionRow]]:
        """Rows of each profile."""
        return [versions_of(self.paid, self._terms(place), place) for place in range(len(self._named))]

    @property
    def versions(self) -> list[VersionRow]:
        return self._versions[0][:VERSIONS_SHOWN]

    @property
    def has_more_versions(self) -> bool:
        return len(self._versions[0]) > VERSIONS_SHOWN

    @cached_property
    def all_versions(self) -> VersionRow:
        return version_row(None, self.paid, self._terms(0), 0)

    @cached_property
    def charts(self) -> list[tuple[str, Drawing]]:
        """The total under each profile, and each term of the first; none with one version."""
        numbers = sorted(row.version for row in self._versions[0] if row.version is not None)
        if len(numbers) < 2:
            return []
        totals = {
            named.reference: _points(rows, None)
            for named, rows in zip(self._named, self._versions, strict=True)
        }
        drawn = [("Total", chart_draw("total", "Total", totals, numbers))]
        for place, term in enumerate(self._terms(0)):
            lines = {self._named[0].reference: _points(self._versions[0], place)}
            drawn.append((term, chart_draw(f"term-{place}", term, lines, numbers)))
        return [(title, drawing) for title, drawing in drawn if drawing]


def _points(rows: Sequence[VersionRow], term: int | None) -> list[Point]:
    """Means of the total, or of the term at a place, where they are known."""
    means = ((row.version, row.total if term is None else row.terms[term]) for row in rows)
    return [
        Point(version, mean.value, mean.count)
        for version, mean in means
        if version is not None and mean.value is not None
    ]
