"""Contents of the page on a run's rewards: a profile, its payments, and a comparison with another profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from core.errors import GymError
from palaestra.protocol.outcomes import JUDGED
from trajectories.judges.report import CriterionRates, criteria_rates
from trajectories.judges.run_rewards.charts import Point, chart_draw
from trajectories.judges.run_rewards.episodes import (
    EPISODES_MAX,
    Comparison,
    Paid,
    Totals,
    VersionRow,
    comparison_of,
    paid_read,
    totals_of,
    version_row,
    versions_of,
)
from trajectories.judges.samples import grades_latest
from trajectories.models import Judge, Run
from trajectories.record.projects import Sight
from trajectories.rewards.components.learned import MARK
from trajectories.rewards.profiles.judge_terms import list_named_judges
from trajectories.rewards.profiles.payment import range_of
from trajectories.rewards.profiles.store import (
    DEFAULT,
    REFERENCE,
    SETTING,
    Named,
    builtin,
    list_profiles,
    profile_get,
)
from trajectories.rewards.profiles.types import Profile, Term
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.forms import FilterForm, Select, name_field
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.tasks import list_benchmarks
from trajectories.shell.text.values import numeral

CHOICES_MAX = 200
VERSIONS_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class JudgedRates:
    """A criterion that a profile pays for.

    ``waiting`` counts the episodes with a right or wrong answer that have not been graded yet.
    """

    judge: Judge
    rates: CriterionRates
    waiting: int


def judged_rates(profiles: Sequence[Profile], paid: Sequence[Paid]) -> list[JudgedRates]:
    """Return the rates of each criterion that a term names.

    A term that names only a judge stands for all of the judge's criteria.
    """
    named: dict[str, set[str]] = {}
    for judge, criterion in (pair for profile in profiles for pair in list_named_judges(profile)):
        named.setdefault(judge, set()).add(criterion)
    judges = Judge.objects.filter(name__in=named).prefetch_related("certifications").order_by("name")
    episodes = [one.episode for one in paid if one.outcome in JUDGED]
    grades = {judge: grades_latest(judge, episodes=episodes) for judge in judges}
    return [
        JudgedRates(judge=judge, rates=rates, waiting=len(episodes) - len(given))
        for judge, given in grades.items()
        for rates in criteria_rates(judge, given.values())
        if not named[judge.name].isdisjoint({"", rates.criterion})
    ]


class ProfileField(forms.Field):
    """A form field for an ``offered`` profile: ``name@hash``, or a name alone for its newest version."""

    def __init__(self, label: str, *, offered: Sequence[Named], blank: str) -> None:
        choices = [("", blank), *((one.reference, one.reference) for one in offered[:CHOICES_MAX])]
        super().__init__(required=False, label=label, widget=Select(choices=choices))
        self._offered = offered

    def to_python(self, value: Any) -> Named | None:
        if not value:
            return None
        named = self._named(value)
        if named is None:
            raise forms.ValidationError("is not a reward profile that this run's project may name")
        return named

    def prepare_value(self, value: Any) -> Any:
        """Return the choice in the list for a value; a name alone becomes its newest version."""
        named = self._named(value) if isinstance(value, str) else None
        return named.reference if named else value

    def _named(self, reference: str) -> Named | None:
        match = REFERENCE.fullmatch(reference)
        name, sha256 = match.groups() if match else ("", None)
        alike = (one for one in self._offered if one.profile.name == name)
        return next((one for one in alike if one.sha256.startswith(sha256 or "")), None)


class RewardsForm(FilterForm):
    page = "this page"

    def __init__(
        self, data: QueryDict, *, own: Named, offered: Sequence[Named], benchmarks: Sequence[str]
    ) -> None:
        super().__init__(data)
        self._own = own
        blank = f"the run's: {own.reference}"
        self.fields["profile"] = ProfileField("Profile", offered=offered, blank=blank)
        self.fields["beside"] = ProfileField("Compare with", offered=offered, blank="nothing")
        self.fields["benchmark"] = name_field(benchmarks, "Benchmark")

    def clean_beside(self) -> Named | None:
        beside: Named | None = self.cleaned_data["beside"]
        if beside is not None and beside == (self.cleaned_data.get("profile") or self._own):
            raise forms.ValidationError("is the same profile as the one shown")
        return beside


@dataclass(frozen=True, kw_only=True)
class TermRow:
    """A profile's term, with its numbers rendered as text."""

    term: Term

    @property
    def range(self) -> str:
        low, high = range_of(self.term)
        return f"{numeral(low, 'g')} to {numeral(high, 'g')}"

    @property
    def learned(self) -> str:
        """The id of the learned reward that the term pays for, or empty."""
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
    """One of the page's profiles, with the totals that it pays."""

    named: Named
    totals: Totals

    @property
    def profile(self) -> Profile:
        return self.named.profile

    @property
    def terms(self) -> list[TermRow]:
        return [TermRow(term=term) for term in self.profile.terms]


class RewardsPage:
    """The page on a run's rewards.

    It shows the ``?profile=``, by default the run's own, and compares it with ``?beside=``, if given;
    ``?benchmark=`` restricts the episodes. Keys of the run's project may name the same profiles.
    """

    episodes_max = EPISODES_MAX

    def __init__(self, run_id: int, parameters: QueryDict) -> None:
        self.run: Run = selectors.run_get(run_id)
        self._viewer = Sight(project=self.run.project)
        self.errors: list[str] = []
        self.own = self._own()
        self.form = RewardsForm(
            parameters, own=self.own, offered=list_profiles(self._viewer), benchmarks=list_benchmarks()
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
            self.errors.append(f"{error.message} The run names it, so {DEFAULT} is shown instead.")
            return builtin()[DEFAULT]

    @cached_property
    def readings(self) -> list[Reading]:
        """The shown profile and, if given, the one that it is compared with."""
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
        """The shares that meet the criteria that the profiles pay for, as graded and as corrected."""
        profiles = [one.profile for one in self._named]
        return judged_rates(profiles, self.paid)

    # ---- over policy versions
    def _terms(self, place: int) -> list[str]:
        return [term.id for term in self._named[place].profile.terms]

    @cached_property
    def _versions(self) -> list[list[VersionRow]]:
        """The rows by policy version, for each profile."""
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
        """Charts of the total under each profile and of the first's terms; empty if there is one version."""
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
    """Return the known means of the total or, if given, of the term at that position."""
    means = ((row.version, row.total if term is None else row.terms[term]) for row in rows)
    return [
        Point(version, mean.value, mean.count)
        for version, mean in means
        if version is not None and mean.value is not None
    ]


@lab_page
def run_rewards(request: LabRequest, run_id: int) -> HttpResponse:
    """Show the payments for a run's episodes, under its own profile or as another would have paid."""
    page = RewardsPage(run_id, request.GET)
    return render(request, "lab/run_rewards/rewards.html", {"here": "runs", "page": page})
