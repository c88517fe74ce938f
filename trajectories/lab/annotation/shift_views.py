"""What annotators say by what they see: agreement in each view, and how labels shift between views."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.agreement.selectors import units_labelled
from trajectories.annotation.agreement.shift import answer_title, shifts
from trajectories.annotation.agreement.table import agreement
from trajectories.annotation.codebook.types import codebook_read
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.annotation.agreement_views import UNITS_SHOWN, view_requested, views_of
from trajectories.lab.annotation.queue_views import project_or_404


@lab_page
def annotation_views(request: LabRequest, project_id: int) -> HttpResponse:
    """Each field in each view, and what changes from the first view to the others."""
    project = project_or_404(project_id)
    codebook = codebook_read(project.codebook.content)
    first, *others = views_of(project)
    labelled = {view: units_labelled(project, view=view) for view in (first, *others)}
    tables = {view: agreement(units, codebook) for view, units in labelled.items()}
    changes = {view: shifts(labelled[first], labelled[view], codebook) for view in others}
    fields = [
        {
            "field": field,
            "rows": [(view, table[place].whole) for view, table in tables.items()],
            "shifts": [(view, of_view[place]) for view, of_view in changes.items()],
        }
        for place, field in enumerate(codebook.fields)
    ]
    context = {"here": "annotation", "project": project, "first": first, "others": others, "fields": fields}
    return render(request, "lab/annotation/views.html", context)


@lab_page
def annotation_shift(request: LabRequest, project_id: int) -> HttpResponse:
    """The units that got the answer ``?one`` in the first view and ``?other`` in the ``?view``."""
    project = project_or_404(project_id)
    codebook = codebook_read(project.codebook.content)
    first, view = views_of(project)[0], view_requested(request, project)
    field = codebook.field(request.GET.get("field", ""))
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    known = {option.id for option in field.options} if field else set()
    if field is None or view == first or not {*one.split(","), *other.split(",")} <= known | {""}:
        raise Http404("The codebook of this project has no such answers.")
    changes = shifts(units_labelled(project), units_labelled(project, view=view), codebook)
    shift = next(shift for shift in changes if shift.field.id == field.id)
    units = shift.units_with(one=one, other=other)
    context = {
        "here": "annotation",
        "project": project,
        "field": field,
        "title": f"{answer_title(field, one)} ({first.label}), {answer_title(field, other)} ({view.label})",
        "units": units[:UNITS_SHOWN],
        "count": len(units),
    }
    return render(request, "lab/annotation/cell.html", context)
