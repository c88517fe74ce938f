"""Pages on agreement between annotators, its shift between views, and the units behind each figure."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpResponse

from trajectories.annotation.agreement.repeats import (
    filter_repeated_units,
    read_repeated_people,
    self_agreement,
)
from trajectories.annotation.agreement.selectors import (
    PAIRED,
    RATED,
    SOURCES,
    WITH,
    UnitLabels,
    filter_units_behind,
    filter_units_between,
    is_apart,
    read_labelled_units,
)
from trajectories.annotation.agreement.shift import IN_BOTH, WITHIN, format_answer, shifts
from trajectories.annotation.agreement.table import agreement, figures
from trajectories.annotation.codebook.types import Field, load_codebook
from trajectories.annotation.pages.common import project_or_404, render_page, render_units
from trajectories.annotation.pairs.bias import measure_order_bias
from trajectories.annotation.pairs.selectors import read_labelled_pairs
from trajectories.models import AnnotationProject
from trajectories.models.annotation import View
from trajectories.shell.access import LabRequest, lab_page

SOURCE_TITLES = {
    PAIRED: "units labelled by two or more people",
    WITH: "units labelled by two or more people with this answer",
    RATED: "all labelled units",
}
SAME = {"1": (True, "same answer both times"), "0": (False, "different answers")}
APART = ("0", "1")


@lab_page
def annotation_agreement(request: LabRequest, project_id: int) -> HttpResponse:
    """Show coefficients by field and by answer, and who gave which answers to the same units."""
    project = project_or_404(project_id)
    view = read_view(request, project)
    shown = figures(project, view=view)
    people = read_repeated_people(project, view=view)
    codebook = load_codebook(project.codebook)
    is_of_pairs = project.level == AnnotationProject.Level.PAIR
    return render_page(
        request,
        "agreement",
        "Agreement",
        project=project,
        tab="agreement",
        view=view,
        views=list_views(project),
        units=shown.units,
        trajectories=shown.trajectories,
        fields=shown.fields,
        self_agreement=self_agreement(people, codebook) if people else [],
        order=measure_order_bias(read_labelled_pairs(project)) if is_of_pairs else None,
    )


@lab_page
def annotation_cell(request: LabRequest, project_id: int) -> HttpResponse:
    """List the units behind a figure on a ``?field`` or its ``?option``; ``?source`` selects which units.

    With ``?one`` and ``?other``, list the units to which two people gave these two answers.
    """
    project = project_or_404(project_id)
    field = load_codebook(project.codebook).field(request.GET.get("field", ""))
    units = read_labelled_units(project, view=read_view(request, project))
    if field is None:
        raise Http404("This project's codebook has no such field.")
    if "one" in request.GET:
        return _between(request, project, field, units)
    option = request.GET.get("option", "")
    source = read_source(request, field)
    units = filter_units_behind(units, field, option=option, source=source)
    apart = {unit.unit for unit in units if is_apart(unit, field, option=option)}
    return cell_render(request, project, field, format_title(field, option, source), units, apart=apart)


@lab_page
def annotation_repeats(request: LabRequest, project_id: int) -> HttpResponse:
    """List the units that ``?annotator``, or anyone, labelled twice.

    ``?same`` restricts them to those with the same answer both times (1) or different answers (0).
    """
    project = project_or_404(project_id)
    field = load_codebook(project.codebook).field(request.GET.get("field", ""))
    people = read_repeated_people(project, view=read_view(request, project))
    # The last entry stands for all people together; if there is only one person, it is that person.
    by_id = {str(person.annotator or ""): person for person in people} | {"": people[-1] if people else None}
    person = by_id.get(request.GET.get("annotator", ""))
    if field is None or person is None:
        raise Http404("No repeated units match.")
    is_same, words = SAME.get(request.GET.get("same", ""), (None, "labelled twice"))
    units = filter_repeated_units(person, field, is_same=is_same)
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
    """List units. If ``apart`` gives those with differing labels, ``?apart`` can narrow the list."""
    chosen = request.GET.get("apart", "")
    shown = list(units)
    if apart is not None and chosen in APART:
        shown = [unit for unit in units if (unit.unit in apart) == (chosen == "1")]
    counts = None if apart is None else (len(units), len(apart), len(units) - len(apart))
    head = {"project": project, "place": field.title, "apart": chosen, "counts": counts}
    return render_units(request, f"{field.title}: {title}", shown, template="cell", **head)


def read_source(request: LabRequest, field: Field) -> str:
    """Return the ``?source``, after checking it and the ``?option`` against the field.

    Raises ``Http404`` if the source or the option is unknown, or the source requires an option.
    """
    source, option = request.GET.get("source", PAIRED), request.GET.get("option", "")
    if source not in SOURCES or ((option or source == WITH) and option not in _titles(field)):
        raise Http404("The codebook of this project has no such answers.")
    return source


def format_title(field: Field, option: str, source: str) -> str:
    return ", ".join(filter(None, (_titles(field).get(option, ""), SOURCE_TITLES[source])))


def _between(
    request: LabRequest, project: AnnotationProject, field: Field, units: Sequence[UnitLabels]
) -> HttpResponse:
    titles = _titles(field)
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    if field.is_set or not {one, other} <= set(titles):
        raise Http404("The codebook of this project has no such answers.")
    number = field.step_option.id if field.step_option else ""
    units = filter_units_between(units, field=field.id, one=one, other=other, number=number)
    return cell_render(request, project, field, f"{titles[one]} and {titles[other]}", units)


def _titles(field: Field) -> dict[str, str]:
    return {option.id: option.title for option in field.options}


def list_views(project: AnnotationProject) -> list[View]:
    return [View(name) for name in project.views]


def read_view(request: LabRequest, project: AnnotationProject) -> View:
    """Return the view that ``?view`` names, or the project's first. Raises ``Http404`` for any other view."""
    name = request.GET.get("view", "") or project.views[0]
    if name not in project.views:
        raise Http404("This project has no such view.")
    return View(name)


SHIFT_TITLES = {
    IN_BOTH: "labelled in both views",
    WITHIN: "labelled in both views, and by two people in the first",
}


@lab_page
def annotation_views(request: LabRequest, project_id: int) -> HttpResponse:
    """Show the agreement on each field in each view, and what changes from the first view to the others."""
    project = project_or_404(project_id)
    codebook = load_codebook(project.codebook)
    first, *others = list_views(project)
    labelled = {view: read_labelled_units(project, view=view) for view in (first, *others)}
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
    return render_page(
        request, "views", "Views", project=project, tab="views", first=first, others=others, fields=fields
    )


@lab_page
def annotation_shift(request: LabRequest, project_id: int) -> HttpResponse:
    """List the units behind a figure on the shift to ``?view``; ``?source`` selects which units.

    With ``?one`` and ``?other``, list the units with the first answer in the project's first view and the
    other answer in ``?view``.
    """
    project = project_or_404(project_id)
    codebook = load_codebook(project.codebook)
    first, view = list_views(project)[0], read_view(request, project)
    field = codebook.field(request.GET.get("field", ""))
    if field is None or view == first:
        raise Http404("The codebook of this project has no such answers.")
    changes = shifts(read_labelled_units(project), read_labelled_units(project, view=view), codebook)
    shift = next(shift for shift in changes if shift.field.id == field.id)
    if "one" not in request.GET:
        source = request.GET.get("source", IN_BOTH)
        if source not in SHIFT_TITLES:
            raise Http404("There are no such units.")
        title = f"{SHIFT_TITLES[source]} ({first.label}, {view.label})"
        units = shift.filter_units_behind(source)
        return cell_render(request, project, field, title, units, apart=shift.units_changed)
    one, other = request.GET.get("one", ""), request.GET.get("other", "")
    if not {*one.split(","), *other.split(",")} <= {option.id for option in field.options} | {""}:
        raise Http404("The codebook of this project has no such answers.")
    title = f"{format_answer(field, one)} ({first.label}), {format_answer(field, other)} ({view.label})"
    units = shift.filter_units_with(one=one, other=other)
    return cell_render(request, project, field, title, units)
