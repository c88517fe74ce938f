"""Pages for adjudicators: the list of disagreements, each disputed unit with its form, and its history."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from core.database.integers import is_id
from core.errors import GymError
from trajectories.annotation.adjudication import selectors
from trajectories.annotation.adjudication.history import read_history
from trajectories.annotation.adjudication.selectors import Disagreement
from trajectories.annotation.adjudication.services import Settlement, unit_settle
from trajectories.annotation.codebook.types import load_codebook
from trajectories.annotation.labels.services import LabelConflict
from trajectories.annotation.pages.adjudication import SettlementPage
from trajectories.annotation.pages.common import project_or_404, render_page, unit_or_404
from trajectories.annotation.pages.label_form import saving_read, starts_read
from trajectories.annotation.projects.services import adjudicator_set
from trajectories.annotation.queues.selectors import find_annotator
from trajectories.annotation.queues.tickets import is_swapped
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label
from trajectories.shell.access import LabRequest, annotator_action, annotator_page, lab_action, lab_page
from trajectories.shell.roles import is_annotator

ROWS = 50
CONFLICT = (
    "This unit was settled in the meantime, by another adjudicator or in another tab. That label was kept "
    "and is shown below as “settled”. Compare the two, and save again to change it."
)
UNDISPUTED = "People do not disagree on this unit, or no longer do."


@annotator_page
def annotation_disagreements(request: LabRequest, project_id: int) -> HttpResponse:
    """List units on which people differ, most disputed first; ``?field`` and ``?state`` filter them."""
    project, annotator = _project_seen(request, project_id)
    every = selectors.list_disagreements_now(project)
    field, state = _filters(request, project)
    counts = {
        name: len(selectors.filter_disagreements(every, field=field, state=name)) for name in selectors.STATES
    }
    rows = selectors.filter_disagreements(every, field=field, state=state)
    codebook = load_codebook(project.codebook)
    return render_page(
        request,
        "adjudication/disagreements",
        "Disagreements",
        project=project,
        tab="disagreements",
        annotator=annotator,
        rows=Paginator(rows, ROWS).get_page(request.GET.get("page")),
        counts=counts,
        field=field,
        state=state,
        codebook=codebook,
        titles={field.id: field.title for field in codebook.fields},
        by_field=_by_field(every, project, state=state),
        for_others=selectors.list_units_for_others(project, annotator),
        first=selectors.find_next_unit(_open_to(annotator, every, field), after=None),
        query=_query(field),
    )


@annotator_page
def annotation_disagreement(request: LabRequest, project_id: int, unit_id: int) -> HttpResponse:
    """Show a unit with people's answers side by side; ``?take`` names the column that prefills the form."""
    project, annotator = _project_seen(request, project_id)
    unit = unit_or_404(project, unit_id)
    disagreement = selectors.find_disagreement(unit)
    page = SettlementPage(
        unit=unit,
        annotator=annotator,
        disagreement=disagreement,
        taken=request.GET.get("take", ""),
        starts=starts_read(request.GET),
    )
    if disagreement is None and page.settlement is None:
        raise Http404(UNDISPUTED)
    return _unit_render(request, page)


@annotator_action
def annotation_settle(request: LabRequest, project_id: int, unit_id: int) -> HttpResponseBase:
    """Store an adjudicator's decision, and go on to the next unit."""
    project, annotator = _project_seen(request, project_id)
    if annotator is None:
        raise Http404("You can settle disagreements here once you are an adjudicator of the project.")
    unit = unit_or_404(project, unit_id)
    field, _ = _filters(request, project)
    disagreement = selectors.find_disagreement(unit)
    if disagreement is None and selectors.find_settlement(unit) is None:
        raise Http404(UNDISPUTED)
    try:
        settlement = _settlement_read(request, unit, annotator)
        unit_settle(settlement, unit=unit, annotator=annotator)
    except GymError as error:
        if error.status == HTTPStatus.BAD_REQUEST:
            return render(request, "lab/no_access.html", {"message": error.message}, status=error.status)
        page = SettlementPage(
            unit=unit,
            annotator=annotator,
            disagreement=disagreement,
            posted=settlement.saving.answers,
            sent={name: request.POST.get(name, "") for name in ("reason", "codebook_note", "about")},
            errors=[CONFLICT if isinstance(error, LabelConflict) else error.message],
        )
        return _unit_render(request, page, status=HTTPStatus(error.status))
    still_open = _open_to(annotator, selectors.list_disagreements_now(project), field)
    following = selectors.find_next_unit(still_open, after=disagreement)
    return redirect(_address(project, following, field))


@lab_action
def annotation_adjudicator(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Make one of a project's people an adjudicator, or revoke that role."""
    project = project_or_404(project_id)
    number = request.POST.get("annotator", "")
    if is_id(number):
        adjudicator_set(project, int(number), is_adjudicator=request.POST.get("is_adjudicator") == "1")
    return redirect("annotation_project", project_id=project_id)


def _project_seen(request: LabRequest, project_id: int) -> tuple[AnnotationProject, Annotator | None]:
    """Return the project and the user's adjudicator in it, or None for a researcher, who can only read."""
    annotator = find_annotator(request.user, project_id)
    if annotator is not None and annotator.is_adjudicator:
        return annotator.project, annotator
    if is_annotator(request.user):
        raise Http404("You are not an adjudicator of this project. Ask its owner to make you one.")
    return project_or_404(project_id), None


def _filters(request: HttpRequest, project: AnnotationProject) -> tuple[str, str]:
    field, state = request.GET.get("field", ""), request.GET.get("state", "")
    known = load_codebook(project.codebook).field(field)
    return (field if known else "", state if state in selectors.STATES else selectors.OPEN)


def _by_field(
    every: list[Disagreement], project: AnnotationProject, *, state: str
) -> list[tuple[str, str, int]]:
    """Return the id and title of each field that filters the list, with its number of units that differ."""
    counts = selectors.count_fields(selectors.filter_disagreements(every, state=state))
    return [(field.id, field.title, counts[field.id]) for field in load_codebook(project.codebook).fields]


def _open_to(annotator: Annotator | None, every: list[Disagreement], field: str) -> list[Disagreement]:
    """Return the open units that the adjudicator may settle: not those that others must settle for them."""
    rows = selectors.filter_disagreements(every, field=field, state=selectors.OPEN)
    if annotator is None:
        return rows
    for_others = selectors.list_units_for_others(annotator.project, annotator)
    return [row for row in rows if row.unit not in for_others]


def _settlement_read(request: LabRequest, unit: AnnotationUnit, annotator: Annotator) -> Settlement:
    codebook = load_codebook(unit.project.codebook)
    is_other_first = is_swapped(unit, annotator=annotator, is_repeat=False)
    about = request.POST.get("about", "")
    return Settlement(
        saving=replace(
            saving_read(request.POST, codebook=codebook, is_swapped=is_other_first),
            state=Label.State.DONE,
            view=selectors.choose_view(selectors.list_columns(unit)),
        ),
        reason=request.POST.get("reason", ""),
        codebook_note=request.POST.get("codebook_note", "").replace("\0", ""),
        field=about if codebook.field(about) else "",
    )


def _unit_render(
    request: LabRequest, page: SettlementPage, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    project = page.unit.project
    field, _ = _filters(request, project)
    still_open = _open_to(page.annotator, selectors.list_disagreements_now(project), field)
    address = _address(project, page.unit.pk, "")
    return render_page(
        request,
        "adjudication/unit",
        f"Unit {page.unit.position}",
        project=project,
        status=status,
        settling=page,
        page=page.shown,
        annotator=page.annotator,
        left=len(still_open),
        skip_to=_address(project, selectors.find_next_unit(still_open, after=page.disagreement), field),
        query=_query(field),
        unit_address=f"{address}{_query(field)}&" if field else f"{address}?",  # Other parameters follow.
    )


def _address(project: AnnotationProject, unit: int | None, field: str) -> str:
    """Return the URL of the given unit, or of the list if there is none."""
    if unit is None:
        return reverse("annotation_disagreements", args=[project.pk]) + _query(field)
    return reverse("annotation_disagreement", args=[project.pk, unit]) + _query(field)


def _query(field: str) -> str:
    return f"?{urlencode({'field': field})}" if field else ""


@lab_page
def annotation_history(request: LabRequest, project_id: int, unit_id: int) -> HttpResponse:
    """Show all versions of all labels of a unit."""
    project = project_or_404(project_id)
    unit = unit_or_404(project, unit_id)
    return render_page(
        request,
        "adjudication/history",
        f"History of unit {unit.position}",
        project=project,
        place=f"unit {unit.position}",
        unit=unit,
        versions=read_history(unit),
    )
