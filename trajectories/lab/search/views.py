"""The list of episodes: a search by words in thoughts, by filters, or just the newest."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from trajectories.lab.episode_files.views import as_file, asks_for_golds, reader
from trajectories.lab.search import exports
from trajectories.lab.search.page import CountsPage, SearchPage
from trajectories.lab.search.request import SearchRequest
from trajectories.shell.access import LabRequest, lab_page, sees_golds, wants_fragment
from trajectories.shell.slow_queries import page_render


@lab_page
def search(request: LabRequest) -> HttpResponseBase:
    """Hits, newest first. The address describes the whole search."""
    search_request = SearchRequest(request.GET)
    if not request.htmx and search_request.view.is_scattered:
        # Without scripts a form sends its empty fields too, which do not belong in an address to be shared.
        return redirect(search_request.address())
    page = SearchPage(search_request, sees_golds=sees_golds(request.user))
    context = {"here": "search", "page": page}
    response = page_render(request, "search/search", context, is_too_slow=page.is_too_slow)
    if wants_fragment(request):
        response["HX-Push-Url"] = search_request.address()
    return response


@lab_page
def search_counts(request: LabRequest) -> HttpResponse:
    page = CountsPage(SearchRequest(request.GET))
    context = {"here": "search", "page": page}
    return page_render(request, "search/counts", context, is_too_slow=page.is_too_slow)


@lab_page
def episode_list(request: LabRequest) -> HttpResponse:
    """The former list of episodes, whose query was over the task's text."""
    parameters: QueryDict = request.GET.copy()
    if words := parameters.pop("q", None):
        parameters["problem"] = words[-1]
    return redirect(SearchRequest(parameters).address())


@lab_page
def search_export(request: LabRequest, name: str) -> HttpResponseBase:
    """A file of ``EXPORTS``; with ``?golds=1``, for those who may see them, as keys with golds get it.

    Refused where a part of the search is invalid: ignoring it would select other episodes.
    """
    search = SearchRequest(request.GET)
    errors = [error for error in (search.query_error, *search.errors) if error]
    if search.has_empty_selection:
        errors.append("No episode was selected.")
    if errors:
        text = "\n".join(
            [*errors, "Nothing was exported, because other episodes would match. Fix the address.", ""]
        )
        refused = HttpResponse(text, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")
        refused["X-Content-Type-Options"] = "nosniff"
        return refused
    export = exports.EXPORTS[name]
    principal = reader(request, golds=asks_for_golds(request))
    lines = export.lines(search, principal=principal, now=timezone.now())
    return as_file(StreamingHttpResponse(lines, content_type=export.content_type), export.file_name)
