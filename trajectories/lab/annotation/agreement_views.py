"""Agreement between annotators, and the units behind each figure."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.agreement.selectors import units_between, units_labelled
from trajectories.annotation.agreement.table import agreement
from trajectories.annotation.codebook.types import codebook_read
from trajectories.annotation.pairs.bias import order_bias
from trajectories.annotation.pairs.selectors import pairs_labelled
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.annotation.queue_views import project_or_404
from trajectories.models import AnnotationProject

UNITS_SHOWN = 500


@lab_page
def annotation_agreement(request: LabRequest, project_id: int) -> HttpResponse:
    """Coefficients by field and by answer, and who gave which answers to the same units."""
    project = project_or_404(project_id)
    units = units_labelled(project)
    is_of_pairs = project.level == AnnotationProject.Level.PAIR
    tasks = dict(project.units.values_list("pk", "stratum")) if is_of_pairs else {}
    context = {
        "here": "annotation",
        "project": project,
        "units": units,
        "trajectories": len({unit.episode for unit in units}),
        "fields": agreement(units, codebook_read(project.codebook.content), clusters=tasks),
        "order": order_bias(pairs_labelled(project)) if is_of_pairs else None,
    }
    return render(request, "lab/annotation/agreement.html", context)


@lab_page
def annotation_cell(request: LabRequest, project_id: int) -> HttpResponse:
    """The units to which two people gave the answers ``?one`` and ``?other`` of a ``?field``."""
    project = project_or_404(project_id)
    field = codebook_read(project.codebook.content).field(request.GET.get("field", ""))
    titles = {option.id: option.title for option in field.options} if field else {}
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    if field is None or field.is_set or not {one, other} <= set(titles):
        raise Http404("The codebook of this project has no such answers.")
    number = field.step_option.id if field.step_option else ""
    units = units_between(units_labelled(project), field=field.id, one=one, other=other, number=number)
    context = {
        "here": "annotation",
        "project": project,
        "field": field,
        "one": titles[one],
        "other": titles[other],
        "units": units[:UNITS_SHOWN],
        "count": len(units),
    }
    return render(request, "lab/annotation/cell.html", context)
