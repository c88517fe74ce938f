"""The lab pages with the list of exports and with a single export."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from operator import attrgetter
from typing import Any

from django.http import FileResponse, Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from core.api.paging import page_cut
from core.errors import GymError
from trajectories.exports import selectors, services
from trajectories.exports.formats import CONTENT_TYPES
from trajectories.exports.pages.form import ExportForm
from trajectories.exports.parameters import Revision, parameters_read
from trajectories.exports.registry import KINDS
from trajectories.exports.services import Author
from trajectories.exports.types import EpisodeKind
from trajectories.exports.work import LEFT_OUT
from trajectories.models import Export
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.shell import access
from trajectories.shell.access import LabRequest, lab_action, lab_page, wants_fragment
from trajectories.shell.forms import OF_PROJECT, CursorForm

EXPORTS_PER_PAGE = 25
RUNS = "runs"
# Parameters left out of the list of filters, because they are not filters or the page shows them elsewhere.
UNSAID = {"format", "solutions", "as_of", "golds", "locked"}


def build_author(request: LabRequest) -> Author:
    """Return the logged-in user as the author of an export."""
    sees_golds = access.sees_golds(request.user)
    return Author(
        name=request.user.get_username(),
        sees_golds=sees_golds,
        sees_solutions=sees_golds,
        sees_guidance=sees_golds,
        unlocks=request.user.is_staff,
        user_id=request.user.pk,
    )


class ShownExport:
    """An export as the pages show it, in a list or on its own page."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self.parameters = parameters_read(export.parameters)
        self.rows: int | None = export.result.get("rows")
        self.is_open = export.is_open

    @property
    def kind(self) -> EpisodeKind | None:
        return KINDS.get(self.export.kind) if self.export.kind in KINDS else None

    @property
    def title(self) -> str:
        return self.kind.title if self.kind else self.export.kind

    @property
    def filters(self) -> list[tuple[str, str]]:
        """The names and values of the parameters that differ from the defaults."""
        shown = []
        for name in self.parameters.__struct_fields__:
            value = getattr(self.parameters, name)
            default = getattr(DEFAULTS, name)
            if value != default and name not in UNSAID:
                shown.append((name.replace("_", " "), _words(value)))
        return shown

    @property
    def left_out(self) -> list[tuple[int, str]]:
        counts: Mapping[str, int] = self.export.result.get("left_out", {})
        return [(count, LEFT_OUT.get(name, name)) for name, count in counts.items()]

    @property
    def files(self) -> list[dict[str, Any]]:
        return selectors.file_entries(self.export)

    @property
    def bytes(self) -> int:
        return sum(file["bytes"] for file in self.files)


DEFAULTS = parameters_read({})


class ExportsPage:
    """A page of the list of exports, newest first, starting at the cursor in ``parameters``."""

    def __init__(self, parameters: QueryDict, *, author: Author) -> None:
        parameters = parameters.copy()
        parameters.pop(RUNS, None)  # belongs to the form for a new export
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        exports = selectors.export_list(author=author, before=before, limit=EXPORTS_PER_PAGE)
        shown, self.older = page_cut(exports, limit=EXPORTS_PER_PAGE, place=attrgetter("pk"))
        self.exports = [ShownExport(export) for export in shown]
        self.errors = form.error_messages()
        self.kinds = [kind for _, kind in KINDS.items()]


def export_or_404(export_id: int, *, author: Author) -> ShownExport:
    """Return the export for its page.

    Raises ``Http404`` if the author may not see it or it does not exist.
    """
    try:
        return ShownExport(selectors.export_get(export_id, author=author))
    except GymError as error:
        raise Http404(error.message) from error


def _words(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Revision):
        return f"{len(value):,}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if hasattr(value, "weights"):
        weights = ", ".join(f"{name}={number:g}" for name, number in value.weights.items())
        return f"{value.field} of project {value.project}: {weights}"
    return str(value)


@lab_page
def export_list(request: LabRequest) -> HttpResponse:
    """Show the exports with their authors and times, below the form for a new one.

    The query parameter ``runs`` fills in the form's runs.
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
                author=build_author(request),
                project=form.cleaned_data.get(OF_PROJECT, DEFAULT_PROJECT),
            )
        except GymError as error:
            form.add_error(next((name for name in error.fields if name in form.fields), None), error.message)
        else:
            return redirect("export", export_id=export.pk)
    return _list_render(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@lab_page
def export_detail(request: LabRequest, export_id: int) -> HttpResponse:
    shown = export_or_404(export_id, author=build_author(request))
    name = "_export" if wants_fragment(request) else "export"
    return render(request, f"lab/exports/{name}.html", {"here": "exports", "shown": shown})


@lab_action
def export_cancel(request: LabRequest, export_id: int) -> HttpResponseBase:
    """Cancel an export. An export that has ended in the meantime stays as it is."""
    shown = export_or_404(export_id, author=build_author(request))
    with suppress(GymError):
        services.export_cancel(shown.export)
    return redirect("export", export_id=export_id)


@lab_action
def export_again(request: LabRequest, export_id: int) -> HttpResponseBase:
    """Run an export again. An export that is still in progress stays as it is."""
    shown = export_or_404(export_id, author=build_author(request))
    with suppress(GymError):
        services.export_again(shown.export)
    return redirect("export", export_id=export_id)


@lab_page
def export_file(request: LabRequest, export_id: int, name: str) -> FileResponse:
    shown = export_or_404(export_id, author=build_author(request))
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
    page = ExportsPage(request.GET, author=build_author(request))
    context = {"here": "exports", "page": page, "form": form}
    return render(request, "lab/exports/exports.html", context, status=status)
