"""Pages on gold units: their list, and the forms that mark more of them."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from core.database.integers import is_id
from core.errors import GymError
from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.columns import PLACE
from trajectories.annotation.pages.common import project_or_404, render_page
from trajectories.annotation.queues import golds, selectors
from trajectories.models import AnnotationProject, AnnotationUnit
from trajectories.shell.access import LabRequest, lab_action, lab_page

SHOWN = 500
FILE_BYTES_MAX = 1024 * 1024


@lab_page
def annotation_golds(request: LabRequest, project_id: int) -> HttpResponse:
    """Show a project's gold units with their answers, and the forms that mark more of them."""
    return _page(request, project_or_404(project_id))


@lab_action
def annotation_gold_add(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Mark the gold units in a file, or the one that a form names, whose label becomes the right answer."""
    project = project_or_404(project_id)
    try:
        if request.POST.get("from") == "file":
            golds.golds_read(project, _file_text(request))
        else:
            _mark(request, project)
    except GymError as error:
        return _page(request, project, error=error.message)
    return redirect("annotation_golds", project_id=project_id)


@lab_action
def annotation_gold_remove(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Make a gold unit an ordinary unit again."""
    text = request.POST.get("unit", "")
    unit = golds.list_golds(project_or_404(project_id)).filter(pk=int(text) if is_id(text) else 0).first()
    if unit is not None:
        golds.gold_clear(unit)
    return redirect("annotation_golds", project_id=project_id)


def format_gold(unit: AnnotationUnit, codebook: Codebook) -> list[str]:
    """Render the right answers of a gold unit."""
    values = (unit.gold or {}).get("values", {})
    return [
        f"{field.title}: {field.words(values[field.id])}" for field in codebook.fields if field.id in values
    ]


def _mark(request: LabRequest, project: AnnotationProject) -> None:
    texts = {name: request.POST.get(name, "").strip() for name in PLACE}
    place = {name: text for name, text in texts.items() if text}
    if not all(is_id(text) or text == "0" for text in place.values()):
        raise GymError("no_unit", "Episode, step and paragraph must be numbers.", status=422)
    if not {"episode", "step"} <= place.keys():
        raise GymError("no_unit", "Give the episode and the step.", status=422)
    unit = golds.find_unit(project, **{name: int(text) for name, text in place.items()})
    annotator = None
    if request.POST.get("from") != "adjudicated":
        annotator = selectors.find_annotator(request.user, project.pk)
        if annotator is None:
            raise GymError("no_label", "You are not an annotator of this project.", status=422)
    golds.gold_from_label(unit, annotator=annotator, why=request.POST.get("why", ""))


def _file_text(request: LabRequest) -> str:
    file = request.FILES.get("file")
    if file is None or not file.size or file.size > FILE_BYTES_MAX:
        raise GymError("bad_golds", "Choose a file of at most 1 MB.", status=422)
    try:
        return str(file.read(), "utf-8-sig")
    except UnicodeDecodeError:
        raise GymError("bad_golds", "This file is not UTF-8 text.", status=422) from None


def _page(request: LabRequest, project: AnnotationProject, *, error: str = "") -> HttpResponse:
    codebook = load_codebook(project.codebook)
    units = golds.list_golds(project)
    return render_page(
        request,
        "golds",
        "Gold units",
        project=project,
        tab="golds",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        error=error,
        count=units.count(),
        golds=[{"unit": unit, "answers": format_gold(unit, codebook)} for unit in units[:SHOWN]],
        labels_here=selectors.find_annotator(request.user, project.pk) is not None,
        posted=request.POST or request.GET,
    )
