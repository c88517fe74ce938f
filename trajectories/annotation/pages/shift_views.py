"""Labels by view: agreement in each view, and how labels shift between views."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.agreement.selectors import units_labelled
from trajectories.annotation.agreement.shift import IN_BOTH, WITHIN, answer_title, shifts
from trajectories.annotation.agreement.table import agreement
from trajectories.annotation.codebook.types import codebook_of
from trajectories.annotation.pages.agreement_views import cell_render, view_requested, views_of
from trajectories.annotation.pages.head import head_context
from trajectories.annotation.pages.queue_views import project_or_404
from trajectories.shell.access import LabRequest, lab_page

SOURCE_TITLES = {
    IN_BOTH: "labelled in both views",
    WITHIN: "labelled by two in the first view and in both views",
}


@lab_page
def annotation_views(request: LabRequest, project_id: int) -> HttpResponse:
    """Each field in each view, and what changes from the first view to the others."""
    project = project_or_404(project_id)
    codebook = codebook_of(project.codebook)
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
    head = head_context("Views", project=project, tab="views")
    context = {**head, "first": first, "others": others, "fields": fields}
    return render(request, "lab/annotation/views.html", context)


@lab_page
def annotation_shift(request: LabRequest, project_id: int) -> HttpResponse:
    """The units behind a figure between the first view and the ``?view``: those of ``?source``.

    With ``?one`` and ``?other`` those that got these two answers, one in each view.
    """
    project = project_or_404(project_id)
    codebook = codebook_of(project.codebook)
    first, view = views_of(project)[0], view_requested(request, project)
    field = codebook.field(request.GET.get("field", ""))
    if field is None or view == first:
        raise Http404("The codebook of this project has no such answers.")
    changes = shifts(units_labelled(project), units_labelled(project, view=view), codebook)
    shift = next(shift for shift in changes if shift.field.id == field.id)
    if "one" not in request.GET:
        source = request.GET.get("source", IN_BOTH)
        if source not in SOURCE_TITLES:
            raise Http404("There are no such units.")
        title = f"{SOURCE_TITLES[source]} ({first.label}, {view.label})"
        units = shift.units_behind(source)
        return cell_render(request, project, field, title, units, apart=shift.units_changed)
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    if not {*one.split(","), *other.split(",")} <= {option.id for option in field.options} | {""}:
        raise Http404("The codebook of this project has no such answers.")
    title = f"{answer_title(field, one)} ({first.label}), {answer_title(field, other)} ({view.label})"
    units = shift.units_with(one=one, other=other)
    return cell_render(request, project, field, title, units)
