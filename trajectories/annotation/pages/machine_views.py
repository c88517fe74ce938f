"""Pages on a project's machine annotators: their agreement with people, and the units behind each figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from core.database.integers import is_id
from trajectories.annotation.agreement.coefficients import estimate_cells
from trajectories.annotation.agreement.selectors import filter_units_behind
from trajectories.annotation.agreement.table import Row as AgreementRow
from trajectories.annotation.jobs import job_request
from trajectories.annotation.machines.comparison import (
    ALL,
    BOTH,
    BY_MACHINE,
    BY_PEOPLE,
    MACHINE,
    PEOPLE,
    Comparison,
    MachineRow,
    filter_units,
)
from trajectories.annotation.machines.selectors import MachinesPage
from trajectories.annotation.machines.services import RULES
from trajectories.annotation.pages.agreement_views import format_title, read_source
from trajectories.annotation.pages.common import project_or_404, render_page, render_table, render_units
from trajectories.models import AnnotationJob
from trajectories.shell.access import LabRequest, lab_action, lab_page

JOBS_SHOWN = 5
MODEL = "model"
SIGNS = {
    ALL: "labelled by the machine and by people",
    BOTH: "given by both",
    MACHINE: "given only by the machine",
    PEOPLE: "given only by people",
    BY_MACHINE: "given by the machine",
    BY_PEOPLE: "given by people",
}
FIGURES = ("raw", "alpha", "ac1", "precision", "recall", "people_alpha")
ENDS = ("", "_low", "_high")
CSV_COLUMNS = (
    *("table", "machine", "field", "answer", "units", "both", "machine_alone", "people_alone"),
    *(f"{name}{end}" for name in FIGURES for end in ENDS),
    "note",
)


@lab_page
def annotation_machines(request: LabRequest, project_id: int) -> HttpResponse:
    """Show each machine's agreement with people, and the machines' agreement with each other."""
    project = project_or_404(project_id)
    jobs = project.jobs.filter(kind=AnnotationJob.Kind.MACHINE).select_related("created_by").order_by("-pk")
    return render_page(
        request,
        "machines",
        "Machines",
        project=project,
        tab="machines",
        page=MachinesPage(project=project),
        jobs=jobs[:JOBS_SHOWN],
        judge=settings.ANNOTATION_JUDGE_MODEL if settings.ANNOTATION_JUDGE_URL else "",
    )


@lab_action
def annotation_machine_start(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Request a job in which a machine labels the units that it has not labelled yet."""
    project = project_or_404(project_id)
    machine = request.POST.get("machine", "")
    if machine not in (RULES, MODEL):
        raise Http404("There is no such machine.")
    jobs = project.jobs.filter(kind=AnnotationJob.Kind.MACHINE, requested_at__isnull=False)
    if not jobs.filter(parameters__machine=machine).exists():
        job_request(project, AnnotationJob.Kind.MACHINE, {"machine": machine}, user_id=request.user.pk)
    return redirect("annotation_machines", project_id=project_id)


@lab_page
def annotation_machine_units(request: LabRequest, project_id: int) -> HttpResponse:
    """List the units behind a ``?machine``'s figure on a ``?field``; ``?sign`` says who gave the ``?option``.

    For a ``?group`` of annotators, ``?source`` selects the units instead.
    """
    project = project_or_404(project_id)
    page = MachinesPage(project=project)
    if "group" in request.GET:
        return _group_units(request, page)
    compared = _comparison_or_404(page, request.GET.get("machine", ""))
    sign, option = request.GET.get("sign", ALL), request.GET.get("option", "")
    one = next((field for field in compared.fields if field.field.id == request.GET.get("field")), None)
    titles = {option.id: option.title for option in one.field.options} if one else {}
    if one is None or sign not in SIGNS or (sign != ALL and option not in titles):
        raise Http404("This project's codebook has no such answers.")
    units = filter_units(one.units, option=option, sign=sign)
    title = " · ".join(filter(None, (one.field.title, titles.get(option, ""), SIGNS[sign])))
    return render_units(request, title, units, project=project, tab="machines")


def _group_units(request: LabRequest, page: MachinesPage) -> HttpResponse:
    group = next((group for group in page.groups if group.id == request.GET["group"]), None)
    fields = {field.field.id: field for field in group.fields} if group else {}
    one = fields.get(request.GET.get("field", ""))
    if group is None or one is None:
        raise Http404("This project has no such group, or no such field.")
    option, source = request.GET.get("option", ""), read_source(request, one.field)
    units = filter_units_behind(one.units, one.field, option=option, source=source)
    title = f"{group.title} · {one.field.title}: {format_title(one.field, option, source)}"
    return render_units(request, title, units, project=page.project, tab="machines")


@lab_page
def annotation_machines_file(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Send the page's tables as one CSV file."""
    page = MachinesPage(project=project_or_404(project_id))
    return render_table(f"annotation-{project_id}-machines.csv", _csv_rows(page))


def _comparison_or_404(page: MachinesPage, machine: str) -> Comparison:
    chosen = [one for one in page.machines if is_id(machine) and one.pk == int(machine)]
    if not chosen or not page.people:
        raise Http404("This project has no such machine, or no labels by people.")
    return page.compare_with_people(chosen[0])


def _csv_rows(page: MachinesPage) -> Iterator[list[Any]]:
    yield list(CSV_COLUMNS)
    for compared in page.comparisons:
        for field in compared.fields:
            for row in field.rows:
                yield _csv_row(
                    row,
                    table="machine and people",
                    machine=compared.machine.name,
                    field=field.field.id,
                    answer=row.option,
                    both=row.both,
                    machine_alone=row.machine,
                    people_alone=row.people,
                )
    for group in page.groups:
        for of_field in group.fields:
            for line in (of_field.whole, *of_field.answers):
                yield _csv_row(line, table=group.title, field=of_field.field.id, answer=line.option)


def _csv_row(row: MachineRow | AgreementRow, **cells: Any) -> list[Any]:
    """Return a line of the file from ``cells`` by column and the figures that rows of both kinds have."""
    cells |= {"units": row.units, "note": row.reason}
    for name in FIGURES:
        columns = (f"{name}{end}" for end in ENDS)
        cells |= dict(zip(columns, estimate_cells(getattr(row, name, None)), strict=True))
    return [cells.get(column, "") for column in CSV_COLUMNS]
