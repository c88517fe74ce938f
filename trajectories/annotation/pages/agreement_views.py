"""Agreement between annotators, and the units behind each figure."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.agreement.figures import figures
from trajectories.annotation.agreement.repeats import people_repeated, self_agreement, units_repeated
from trajectories.annotation.agreement.selectors import UnitLabels, units_between, units_labelled
from trajectories.annotation.agreement.sources import PAIRED, RATED, SOURCES, WITH, is_apart, units_behind
from trajectories.annotation.codebook.types import Field, codebook_of
from trajectories.annotation.pages.head import head_context
from trajectories.annotation.pages.queue_views import project_or_404
from trajectories.annotation.pairs.bias import order_bias
from trajectories.annotation.pairs.selectors import pairs_labelled
from trajectories.models import AnnotationProject
from trajectories.models.annotation import View
from trajectories.shell.access import LabRequest, lab_page

UNITS_SHOWN = 500
SOURCE_TITLES = {
    PAIRED: "units of two or more",
    WITH: "units of two or more with it",
    RATED: "all labelled units",
}
SAME = {"1": (True, "the same both times"), "0": (False, "not the same both times")}
APART = ("0", "1")


@lab_page
def annotation_agreement(request: LabRequest, project_id: int) -> HttpResponse:
    """Show coefficients by field and by answer, and who gave which answers to the same units."""
    project = project_or_404(project_id)
    view = view_requested(request, project)
    shown = figures(project, view=view)
    people = people_repeated(project, view=view)
    codebook = codebook_of(project.codebook)
    is_of_pairs = project.level == AnnotationProject.Level.PAIR
    context = {
        **head_context("Agreement", project=project, tab="agreement"),
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
    """The units behind a figure of a ``?field``, or of its ``?option``: those of ``?source``.

    With ``?one`` and ``?other`` those to which two people gave these two answers.
    """
    project = project_or_404(project_id)
    field = codebook_of(project.codebook).field(request.GET.get("field", ""))
    units = units_labelled(project, view=view_requested(request, project))
    if field is None:
        raise Http404("The codebook of this project has no such field.")
    if "one" in request.GET:
        return _between(request, project, field, units)
    option = request.GET.get("option", "")
    source = source_requested(request, field)
    units = units_behind(units, field, option=option, source=source)
    apart = {unit.unit for unit in units if is_apart(unit, field, option=option)}
    return cell_render(request, project, field, figure_title(field, option, source), units, apart=apart)


@lab_page
def annotation_repeats(request: LabRequest, project_id: int) -> HttpResponse:
    """The units that ``?annotator``, or anyone, labelled twice: those with the ``?same`` answer, or not."""
    project = project_or_404(project_id)
    field = codebook_of(project.codebook).field(request.GET.get("field", ""))
    people = people_repeated(project, view=view_requested(request, project))
    # Together they are the last, or the only one.
    by_id = {str(one.annotator or ""): one for one in people} | {"": people[-1] if people else None}
    person = by_id.get(request.GET.get("annotator", ""))
    if field is None or person is None:
        raise Http404("No repeated units match.")
    is_same, words = SAME.get(request.GET.get("same", ""), (None, "labelled twice"))
    units = units_repeated(person, field, is_same=is_same)
    return cell_render(request, project, field, f"{person.name}, {words}", units)


def cell_render(
    request: LabRequest,
    project: AnnotationProject,
    field: Field,
    title: str,
    units: Sequence[UnitLabels],
    *,
    apart: set[int] | None = None,
) -> HttpResponse:
    """The list of units; if it is known which of them have labels that differ, ``?apart`` narrows it."""
    chosen = request.GET.get("apart", "")
    shown = list(units)
    if apart is not None and chosen in APART:
        shown = [unit for unit in units if (unit.unit in apart) == (chosen == "1")]
    context = {
        **head_context(f"{field.title}: {title}", project=project, place=field.title),
        "units": shown[:UNITS_SHOWN],
        "count": len(shown),
        "apart": chosen,
        "counts": (len(units), len(apart), len(units) - len(apart)) if apart is not None else None,
    }
    return render(request, "lab/annotation/cell.html", context)


def source_requested(request: LabRequest, field: Field) -> str:
    """Return the ``?source``, which goes with an ``?option`` of the field or with none.

    Raises ``Http404`` if the codebook has no such answers.
    """
    source, option = request.GET.get("source", PAIRED), request.GET.get("option", "")
    if source not in SOURCES or ((option or source == WITH) and option not in _titles(field)):
        raise Http404("The codebook of this project has no such answers.")
    return source


def figure_title(field: Field, option: str, source: str) -> str:
    return ", ".join(filter(None, (_titles(field).get(option, ""), SOURCE_TITLES[source])))


def _between(
    request: LabRequest, project: AnnotationProject, field: Field, units: Sequence[UnitLabels]
) -> HttpResponse:
    titles = _titles(field)
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    if field.is_set or not {one, other} <= set(titles):
        raise Http404("The codebook of this project has no such answers.")
    number = field.step_option.id if field.step_option else ""
    units = units_between(units, field=field.id, one=one, other=other, number=number)
    return cell_render(request, project, field, f"{titles[one]} and {titles[other]}", units)


def _titles(field: Field) -> dict[str, str]:
    return {option.id: option.title for option in field.options}


def views_of(project: AnnotationProject) -> list[View]:
    return [View(name) for name in project.views]


def view_requested(request: LabRequest, project: AnnotationProject) -> View:
    """Return the view that ``?view`` names, else the project's first one. Raises ``Http404``."""
    name = request.GET.get("view", "") or project.views[0]
    if name not in project.views:
        raise Http404("This project has no such view.")
    return View(name)
