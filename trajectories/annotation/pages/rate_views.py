"""Pages on a project's rates: what is counted, tables, chart, CSV file, and the units behind each rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.urls import reverse

from core.database.integers import is_id
from trajectories.annotation.agreement.coefficients import estimate_cells
from trajectories.annotation.codebook.types import Codebook, Field, Option, load_codebook
from trajectories.annotation.pages.common import project_or_404, render_page, render_table, render_units
from trajectories.annotation.rates.prediction import CorrectedRate
from trajectories.annotation.rates.selectors import Choice, RateUnit, read_rate_units
from trajectories.annotation.rates.table import (
    GROUPINGS,
    Grouping,
    RateFigures,
    RateRow,
    Rates,
    figures,
    group_units,
)
from trajectories.models import AnnotationProject, Annotator
from trajectories.reports.charts.forest import Forest
from trajectories.reports.labels import arm_label
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.text.values import numeral

# The answers that count as reasoning, if the codebook has them.
REASONING: Choice = [("type", "reasoning"), ("type", "mixed")]
FOREST = Forest(
    value="share",
    group="{group}",
    label=("label",),
    unit="percent",
    is_share=True,
    beside=("matched", "at equal lengths"),
)
PEOPLE_SIGNS = ("all", "with", "without")
# The columns of the CSV file for each estimate and its interval.
ESTIMATES = {
    "estimate": ("estimate", "low", "high"),
    "beyond": ("beyond", "beyond_low", "beyond_high"),
    "matched": ("matched", "matched_low", "matched_high"),
    "people": ("people", "people_low", "people_high"),
}
CSV_COLUMNS = (
    *(
        "table",
        "machine",
        "group",
        "units",
        "trajectories",
        "more_units",
        *ESTIMATES["estimate"],
        "by_length",
    ),
    *(*ESTIMATES["beyond"], *ESTIMATES["matched"], *ESTIMATES["people"], "power", "note"),
)
# Units that both the machine and people labelled, and further units that only the machine labelled.
BOTH, MORE = "both", "more"


@dataclass(frozen=True, kw_only=True)
class CorrectedRow:
    name: str
    rate: CorrectedRate
    units_url: str


@dataclass(frozen=True, kw_only=True)
class Machine:
    annotator: Annotator
    rows: list[CorrectedRow]


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    row: RateRow
    name: str
    units_url: str

    @property
    def beyond(self) -> str:
        beyond = self.row.beyond
        return "" if beyond is None or beyond.value is None else _points(beyond.value)

    @property
    def beyond_interval(self) -> str:
        beyond = self.row.beyond
        if beyond is None or beyond.low is None or beyond.high is None:
            return ""
        return f"[{_points(beyond.low)}, {_points(beyond.high)}]"


@dataclass(frozen=True, kw_only=True)
class RatesPage:
    """The page of rates.

    ``?answer=FIELD:OPTION``, which may be repeated, selects the answers to count, and ``?by`` the groups to
    compare.
    """

    project: AnnotationProject
    data: QueryDict

    @cached_property
    def codebook(self) -> Codebook:
        return load_codebook(self.project.codebook)

    @cached_property
    def choice(self) -> Choice:
        """The chosen answers. Raises ``Http404`` for answers that the codebook does not have."""
        known = [(field.id, option.id) for field in self.codebook.fields for option in field.options]
        named = [(name, option) for name, _, option in (text.partition(":") for text in self._answers)]
        if not set(named) <= set(known):
            raise Http404("The codebook of this project has no such answers.")
        return named or [one for one in REASONING if one in known] or known[:1]

    @property
    def grouping(self) -> Grouping:
        return GROUPINGS.get(self.data.get("by", ""), GROUPINGS["arm"])

    @property
    def groupings(self) -> list[Grouping]:
        return list(GROUPINGS.values())

    @property
    def fields(self) -> list[tuple[Field, list[tuple[Option, bool]]]]:
        """The form's fields, each with its options and whether they are chosen."""
        return [
            (field, [(option, (field.id, option.id) in self.choice) for option in field.options])
            for field in self.codebook.fields
        ]

    @property
    def title(self) -> str:
        """A description of what is counted, in the codebook's words."""
        titles = {
            (field.id, option.id): option.title for field in self.codebook.fields for option in field.options
        }
        return " or ".join(titles[one] for one in self.choice)

    @property
    def query(self) -> str:
        answers = [("answer", f"{name}:{option}") for name, option in self.choice]
        return urlencode([*answers, ("by", self.grouping.id)])

    @cached_property
    def figures(self) -> RateFigures:
        return figures(self.project, choice=self.choice, grouping=self.grouping)

    @cached_property
    def _rates(self) -> Rates:
        """The rates, with the units behind their figures."""
        units = read_rate_units(self.project, codebook=self.codebook, choice=self.choice)
        return Rates(units=units, grouping=self.grouping)

    @cached_property
    def rows(self) -> list[ShownRow]:
        return [
            ShownRow(row=row, name=self.name(row.label), units_url=self.units_url(row.key))
            for row in self.figures.rows
        ]

    @cached_property
    def machines(self) -> list[Machine]:
        rows = Annotator.objects.filter(project=self.project).exclude(kind=Annotator.Kind.PERSON)
        return [
            Machine(
                annotator=annotator,
                rows=[
                    CorrectedRow(
                        name=self.name(label),
                        rate=rate,
                        units_url=f"{self.units_url(key)}&machine={annotator.pk}",
                    )
                    for key, label, rate in self.figures.corrected.get(annotator.pk, ())
                ],
            )
            for annotator in rows.order_by("kind", "name")
        ]

    @property
    def successes(self) -> list[tuple[str, Any]]:
        return [(self.name(label), one) for label, one in self.figures.successes]

    @cached_property
    def drawing(self) -> Drawing | None:
        """The chart of the groups' rates, as they are and at equal lengths."""
        rows = [_drawn(row, group=self.title) for row in self.rows]
        title = f"Rates by {self.grouping.title.lower()}"
        return FOREST.draw({"id": "annotation_rates", "title": title, "rows": rows})

    def name(self, label: str) -> str:
        return arm_label(label) if self.grouping.id == "arm" else label

    def units_url(self, group: str) -> str:
        address = reverse("annotation_rate_units", args=[self.project.pk])
        return f"{address}?{self.query}&{urlencode({'group': group})}"

    def units_of(self, group: str, *, sign: str, machine: str = "") -> list[RateUnit]:
        """Return a group's units that people or, if one is named, a ``machine`` labelled.

        ``sign`` restricts people's units to those with or without the chosen answers, and a machine's units
        to those that people labelled too or did not. Raises ``Http404`` if the project has no such group.
        """
        units = self._units_of_machine(machine, sign) if machine else self._units_of_people(sign)
        groups = {known.key: known for known in group_units(units, self.grouping)} if units else {}
        if group not in groups:
            raise Http404("This project has no such units.")
        return [unit for unit, is_in in zip(units, groups[group].mask, strict=True) if is_in]

    def _units_of_people(self, sign: str) -> list[RateUnit]:
        if sign not in PEOPLE_SIGNS:
            raise Http404("There are no such units.")
        labelled = self._rates.labelled
        return [unit for unit in labelled if sign == "all" or bool(unit.people) == (sign == "with")]

    def _units_of_machine(self, machine: str, sign: str) -> list[RateUnit]:
        if not is_id(machine) or sign not in (BOTH, MORE):
            raise Http404("There are no such units.")
        return [
            unit
            for unit in self._rates.units
            if int(machine) in unit.machines and (unit.people is not None) == (sign == BOTH)
        ]

    def csv_rows(self) -> Iterator[list[Any]]:
        """Yield the lines of the page's tables, joined into one table."""
        yield list(CSV_COLUMNS)
        for row in self.figures.rows:
            yield _csv_row(
                table="rate",
                group=row.label,
                units=row.units,
                trajectories=row.trajectories,
                by_length=row.by_length,
                estimate=row.rate,
                beyond=row.beyond,
                matched=row.matched,
            )
        for machine in self.machines:
            for corrected in machine.rows:
                yield _csv_row(
                    table="corrected",
                    machine=machine.annotator.name,
                    group=corrected.name,
                    units=corrected.rate.units,
                    more_units=corrected.rate.more_units,
                    estimate=corrected.rate.corrected,
                    people=corrected.rate.people,
                    power=corrected.rate.power,
                    note=corrected.rate.reason,
                )
        for label, odds in self.figures.successes:
            yield _csv_row(
                table="odds_ratio",
                group=label,
                units=odds.informative,
                trajectories=odds.trajectories,
                estimate=odds.odds_ratio,
                note=odds.reason,
            )

    @property
    def _answers(self) -> list[str]:
        return self.data.getlist("answer")


def _drawn(shown: ShownRow, *, group: str) -> dict[str, Any]:
    drawn: dict[str, Any] = {"group": group, "label": shown.name, "links": {"episodes": shown.units_url}}
    for column, ends, estimate in (
        ("share", ("low", "high"), shown.row.rate),
        ("matched", ("matched_low", "matched_high"), shown.row.matched),
    ):
        parts = [None if part in (None, "") else 100 * part for part in estimate_cells(estimate)]
        drawn |= dict(zip((column, *ends), parts, strict=True))
    return drawn


def _csv_row(**cells: Any) -> list[Any]:
    """Return a line of the file from ``cells`` by column; an estimate fills three columns."""
    for name, columns in ESTIMATES.items():
        cells |= dict(zip(columns, estimate_cells(cells.get(name)), strict=True))
    return [cells.get(column, "") for column in CSV_COLUMNS]


def _points(value: float) -> str:
    """Render a difference of shares in percentage points, with its sign."""
    return numeral(100 * value, "+.1f")


SIGNS = {
    "all": "labelled by people",
    "with": "given by people",
    "without": "not given by people",
    "both": "labelled by the machine and by people",
    "more": "labelled only by the machine",
}


@lab_page
def annotation_rates(request: LabRequest, project_id: int) -> HttpResponse:
    """Show how often thoughts have the chosen answers, by arm, run or policy version."""
    project = project_or_404(project_id)
    page = RatesPage(project=project, data=request.GET)
    return render_page(request, "rates", "Rates", project=project, tab="rates", page=page)


@lab_page
def annotation_rate_units(request: LabRequest, project_id: int) -> HttpResponse:
    """List a ``?group``'s labelled units, ``?sign`` being ``all``, or ``with`` or ``without`` chosen answers.

    For a ``?machine``, ``?sign`` is ``both`` (people labelled the unit too) or ``more`` (only the machine
    did).
    """
    project = project_or_404(project_id)
    page = RatesPage(project=project, data=request.GET)
    sign = request.GET.get("sign", "all")
    machine = request.GET.get("machine", "")
    units = page.units_of(request.GET.get("group", "all"), sign=sign, machine=machine)
    return render_units(request, f"{page.title}: {SIGNS[sign]}", units, project=project, tab="rates")


@lab_page
def annotation_rates_file(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Send the page's tables as one CSV file."""
    page = RatesPage(project=project_or_404(project_id), data=request.GET)
    return render_table(f"annotation-{project_id}-rates.csv", page.csv_rows())
