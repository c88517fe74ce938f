"""Contents of the search page and of the counts of its hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from core.database.integers import BIGINT_MAX
from trajectories.lab.episode_files.views import as_file, asks_for_golds, reader
from trajectories.lab.search import exports, selectors
from trajectories.lab.search.request import Chip, SearchRequest
from trajectories.lab.search.selectors import HITS_PER_PAGE, Counts, HitPage
from trajectories.models import Episode
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page, sees_golds, wants_fragment
from trajectories.shell.grid.view import Grid, GridView, build_grid
from trajectories.shell.slow_queries import page_render

FACETS = ("outcome", "arm", "run")


@dataclass(frozen=True, kw_only=True)
class FacetRow:
    """One value's count. ``address`` sets the filter to the value; empty if the filter has no such choice."""

    label: str
    code: str
    count: int
    address: str


class SearchPage:
    """One page of hits, newest first. Hits are steps if the search contains words, otherwise episodes."""

    def __init__(self, request: SearchRequest, *, sees_golds: bool) -> None:
        self.request = request
        self.sees_golds = sees_golds
        hits: HitPage | None = HitPage(hits=[], older=None)
        if not request.query_error:
            hits = slow_queries.result_in_time(
                lambda: selectors.search_page(request.search, after=request.after, limit=HITS_PER_PAGE)
            )
        self.is_too_slow = hits is None
        self.hits, self._older = (hits.hits, hits.older) if hits else ([], None)

    @property
    def view(self) -> GridView:
        return self.request.view

    @property
    def grid(self) -> Grid:
        return build_grid(self.view, self.hits)

    @cached_property
    def chips(self) -> list[Chip]:
        return self.request.chips()

    @property
    def older(self) -> str:
        """The address of the next page."""
        return self.request.address_after(self._older) if self._older else ""

    @property
    def is_first(self) -> bool:
        return self.request.after is None

    @property
    def counts_address(self) -> str:
        return self.request.address("search_counts")

    @property
    def annotate_address(self) -> str:
        """The address of the form that creates an annotation project from these episodes."""
        return self.request.address("annotation_new")

    @property
    def export_query(self) -> str:
        """The query string for the addresses of this search's exports."""
        return self.request.address("search_facts").partition("?")[2]

    @cached_property
    def numbered(self) -> int | None:
        """The number in the query if it is the number of an existing episode; otherwise None."""
        query = self.request.search.query
        if not (query.isascii() and query.isdigit()) or int(query) > BIGINT_MAX:
            return None
        return Episode.objects.filter(pk=int(query)).values_list("pk", flat=True).first()

    @property
    def has_episodes(self) -> bool:
        """True if any episode exists at all, whether or not it matches."""
        return bool(self.hits) or self.request.is_set or Episode.objects.exists()


class CountsPage:
    """Counts of a search's hits by outcome, arm and run, fetched separately so as not to delay the hits."""

    def __init__(self, request: SearchRequest) -> None:
        self.request = request
        self.counts: Counts | None = None
        if not request.query_error:
            self.counts = slow_queries.result_in_time(lambda: selectors.search_counts(request.search))
        self.is_too_slow = self.counts is None and not request.query_error

    @property
    def unit(self) -> str:
        return "step" if self.request.search.words else "episode"

    @cached_property
    def facets(self) -> dict[str, list[FacetRow]]:
        """Number of hits by value, for each filter that is not set yet."""
        if self.counts is None or not self.counts.total:
            return {}
        counts: dict[str, Mapping[Any, int]] = {
            "outcome": self.counts.outcomes,
            "arm": self.counts.arms,
            "run": self.counts.runs,
        }
        return {
            name: [self._row(name, str(code), count) for code, count in counts[name].items()]
            for name in FACETS
            if name not in self.request.filters
        }

    def _row(self, name: str, code: str, count: int) -> FacetRow:
        field = "status" if name == "outcome" and code in Episode.Status.values else name
        label = self.request.form.label_of(field, code)
        address = self.request.address(**{field: code}) if label else ""
        fallback = f"run {code}" if name == "run" else code
        return FacetRow(label=label or fallback, code=code, count=count, address=address)


@lab_page
def search(request: LabRequest) -> HttpResponseBase:
    """Show a search's hits, newest first. The address describes the search completely."""
    search_request = SearchRequest(request.GET)
    if not request.htmx and search_request.view.is_scattered:
        # Without scripts, a browser also sends the form's empty fields, which do not belong in a shared
        # address.
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
    """Redirect from the address of the former episode list, whose query searched the tasks' texts."""
    parameters: QueryDict = request.GET.copy()
    if words := parameters.pop("q", None):
        parameters["problem"] = words[-1]
    return redirect(SearchRequest(parameters).address())


@lab_page
def search_export(request: LabRequest, name: str) -> HttpResponseBase:
    """Send one of the ``EXPORTS``; as for API keys, ``?golds=1`` adds the golds for users who may see them.

    The export is refused if any part of the search is invalid, because ignoring that part would select other
    episodes.
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
