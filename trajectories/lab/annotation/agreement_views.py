"""Agreement between annotators, and the units behind each figure."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.agreement.figures import figures
from trajectories.annotation.agreement.repeats import people_repeated, self_agreement, units_repeated
from trajectories.annotation.agreement.selectors import units_between, units_labelled
from trajectories.annotation.codebook.types import codebook_read
from trajectories.annotation.pairs.bias import order_bias
from trajectories.annotation.pairs.selectors import pairs_labelled
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.annotation.queue_views import project_or_404
from trajectories.models import AnnotationProject
from trajectories.models.annotation import View

UNITS_SHOWN = 500


@lab_page
def annotation_agreement(request: LabRequest, project_id: int) -> HttpResponse:
    """Coefficients by field and by answer, and who gave which answers to the same units."""
    project = project_or_404(project_id)
    view = view_requested(request, project)
    shown = figures(project, view=view)
    people = people_repeated(project, view=view)
    codebook = codebook_read(project.codebook.content)
    is_of_pairs = project.level == AnnotationProject.Level.PAIR
    context = {
        "here": "annotation",
        "project": project,
        "view": view,
        "views": views_of(project),
        "units": shown.units,
        "trajectories": shown.trajectories,
        "fields": shown.fields,
        "self_agreement": self_agreement(people, codebook) if people else [],
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
    units = units_labelled(project, view=view_requested(request, project))
    units = units_between(units, field=field.id, one=one, other=other, number=number)
    context = {
        "here": "annotation",
        "project": project,
        "field": field,
        "title": f"{titles[one]} and {titles[other]}",
        "units": units[:UNITS_SHOWN],
        "count": len(units),
    }
    return render(request, "lab/annotation/cell.html", context)


@lab_page
def annotation_repeats(request: LabRequest, project_id: int) -> HttpResponse:
    """The units of which ``?annotator``, or anyone, said the same in a ``?field`` both times, or not."""
    project = project_or_404(project_id)
    field = codebook_read(project.codebook.content).field(request.GET.get("field", ""))
    people = people_repeated(project, view=view_requested(request, project))
    # Together they are the last, or the only one.
    by_id = {str(one.annotator or ""): one for one in people} | {"": people[-1] if people else None}
    person = by_id.get(request.GET.get("annotator", ""))
    if field is None or person is None:
        raise Http404("No repeated units match.")
    is_same = request.GET.get("same") == "1"
    units = units_repeated(person, field, is_same=is_same)
    context = {
        "here": "annotation",
        "project": project,
        "field": field,
        "title": f"{person.name}, {'the same' if is_same else 'not the same'} both times",
        "units": units[:UNITS_SHOWN],
        "count": len(units),
    }
    return render(request, "lab/annotation/cell.html", context)


def views_of(project: AnnotationProject) -> list[View]:
    return [View(name) for name in project.views]


def view_requested(request: LabRequest, project: AnnotationProject) -> View:
    """The view that ``?view`` names, else the project's first one."""
    name = request.GET.get("view", "") or project.views[0]
    if name not in project.views:
        raise Http404("This project has no such view.")
    return View(name)
