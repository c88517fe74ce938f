from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus

from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from core.errors import GymError
from trajectories.exports import selectors, services
from trajectories.exports.formats import CONTENT_TYPES
from trajectories.exports.pages.form import ExportForm
from trajectories.exports.pages.pages import RUNS, ExportsPage, author_of, shown_or_404
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.shell.access import LabRequest, lab_action, lab_page, wants_fragment
from trajectories.shell.forms import OF_PROJECT


@lab_page
def export_list(request: LabRequest) -> HttpResponse:
    """List the exports with authors and times, above the form for a new one.

    ``?runs=`` fills in its runs.
    """
    form = ExportForm(user=request.user, initial={RUNS: request.GET.get(RUNS, "")})
    return _list_render(request, form)


@lab_action
def export_create(request: LabRequest) -> HttpResponseBase:
    form = ExportForm(request.POST, request.FILES, user=request.user)
    if form.is_valid():
        try:
            export = services.export_request(
                form.cleaned_data["kind"],
                form.parameters(),
                author=author_of(request),
                project=form.cleaned_data.get(OF_PROJECT, DEFAULT_PROJECT),
            )
        except GymError as error:
            form.add_error(next((name for name in error.fields if name in form.fields), None), error.message)
        else:
            return redirect("export", export_id=export.pk)
    return _list_render(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@lab_page
def export_detail(request: LabRequest, export_id: int) -> HttpResponse:
    shown = shown_or_404(export_id, author=author_of(request))
    name = "_export" if wants_fragment(request) else "export"
    return render(request, f"lab/exports/{name}.html", {"here": "exports", "shown": shown})


@lab_action
def export_cancel(request: LabRequest, export_id: int) -> HttpResponseBase:
    """Cancel it; nothing happens to one that has ended meanwhile."""
    shown = shown_or_404(export_id, author=author_of(request))
    with suppress(GymError):
        services.export_cancel(shown.export)
    return redirect("export", export_id=export_id)


@lab_action
def export_again(request: LabRequest, export_id: int) -> HttpResponseBase:
    """Write it afresh; nothing happens to one that goes on."""
    shown = shown_or_404(export_id, author=author_of(request))
    with suppress(GymError):
        services.export_again(shown.export)
    return redirect("export", export_id=export_id)


@lab_page
def export_file(request: LabRequest, export_id: int, name: str) -> FileResponse:
    shown = shown_or_404(export_id, author=author_of(request))
    try:
        _, file = selectors.file_open(shown.export, name)
    except GymError as error:
        raise Http404(error.message) from error
    content_type = CONTENT_TYPES[name.rpartition(".")[2]]
    response = FileResponse(file, content_type=content_type, as_attachment=True, filename=name)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _list_render(
    request: LabRequest, form: ExportForm, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    page = ExportsPage(request.GET, author=author_of(request))
    context = {"here": "exports", "page": page, "form": form}
    return render(request, "lab/exports/exports.html", context, status=status)
