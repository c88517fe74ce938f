"""The one room where episodes are looked for: by words in their thoughts, by filters, or just the newest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from core.integers import BIGINT_MAX
from core.statements import TooSlow, statements_within
from trajectories.lab import access, slow_queries
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.export.views import as_file, asks_for_golds, reader
from trajectories.lab.search import selections
from trajectories.lab.search.query import Asked
from trajectories.lab.search.selectors import HITS_PER_PAGE, Counts, HitPage, search_page
from trajectories.lab.search.selectors import search_counts as counts_of
from trajectories.models import Episode

FACETS = ("outcome", "arm", "run")
NDJSON = "application/x-ndjson"


@lab_page
def search_slashed(request: LabRequest) -> HttpResponseBase:
    """The address as other pages' end."""
    return redirect(reverse("search", query=request.GET))


@lab_page
def search(request: LabRequest) -> HttpResponseBase:
    """Hits, newest first: steps where words are sought, else episodes. The address holds the whole search."""
    asked = Asked(request.GET)
    if not request.htmx and any(value == "" for value in request.GET.values()):
        # A form without scripts sends its empty fields too; they have no place in an address that is shared.
        return redirect(asked.address())
    fragment = access.wants_fragment(request)
    template = "lab/search/_results.html" if fragment else "lab/search/search.html"
    found = _found(asked, golds=access.sees_golds(request.user))
    response = _said(request, template, {"here": "search", "asked": asked, **found})
    if fragment:
        response["HX-Push-Url"] = asked.address()
    return response


@lab_page
def search_counts(request: LabRequest) -> HttpResponse:
    """How many hits there are, by outcome, arm and run: asked for apart, so that hits need not wait."""
    asked = Asked(request.GET)
    counts, is_too_slow = _counted(asked)
    fragment = access.wants_fragment(request)
    template = "lab/search/_counts.html" if fragment else "lab/search/counts.html"
    context = {"here": "search", "asked": asked, "counts": counts, "facets": _facets(asked, counts)}
    context["counted"] = "step" if asked.search.words else "episode"
    return _said(request, template, {**context, "is_too_slow": is_too_slow})


@lab_page
def episode_list(request: LabRequest) -> HttpResponse:
    """The list of episodes is a search without words; what was looked for there was the task's text."""
    parameters: QueryDict = request.GET.copy()
    if words := parameters.pop("q", None):
        parameters["problem"] = words[-1]
    return redirect(Asked(parameters).address())


def _said(request: LabRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page or fragment; 503 with the sentence that tells it when the search was stopped."""
    if not context["is_too_slow"]:
        return render(request, template, context)
    return slow_queries.page_render(request, template, context, is_too_slow=True)


def _paged(asked: Asked) -> tuple[HitPage, bool]:
    """The hits, and whether the search was stopped instead."""
    if asked.query_problem:
        return HitPage(hits=[], older=None), False
    try:
        with statements_within(slow_queries.SEARCH_MS):
            return search_page(asked.search, after=asked.after, limit=HITS_PER_PAGE), False
    except TooSlow:
        return HitPage(hits=[], older=None), True


def _counted(asked: Asked) -> tuple[Counts | None, bool]:
    """The counts, and whether counting was stopped instead."""
    if asked.query_problem:
        return None, False
    try:
        with statements_within(slow_queries.SEARCH_MS):
            return counts_of(asked.search), False
    except TooSlow:
        return None, True


def _found(asked: Asked, *, golds: bool) -> dict[str, Any]:
    page, is_too_slow = _paged(asked)
    return {
        "page": page,
        "is_too_slow": is_too_slow,
        "episodes": [] if asked.search.words else [hit.episode for hit in page.hits],
        "chips": asked.chips(),
        "older": asked.address_behind(page.older) if page.older else "",
        "counts_address": asked.address("search_counts"),
        "facets_to_come": len([name for name in FACETS if name not in asked.search.filters]),
        "exports": _exports(asked, golds=golds),
        "named": _named(asked.search.query),
        "is_filled": bool(page.hits) or asked.is_anything or Episode.objects.exists(),
    }


def _exports(asked: Asked, *, golds: bool) -> list[dict[str, str]]:
    """What can be taken away, for the menu."""
    trajectories = asked.address("search_trajectories")
    joined = "&" if "?" in trajectories else "?"
    found = [
        ("Trajectories", trajectories, "NDJSON, one episode a line"),
        ("Trajectories with golds", f"{trajectories}{joined}golds=1", "for whom you may show them"),
        ("Facts", asked.address("search_facts"), "CSV, one row an episode"),
        ("Ids", asked.address("search_ids"), "text, one a line"),
    ]
    return [
        {"name": name, "address": address, "about": about}
        for name, address, about in found
        if golds or "golds" not in name
    ]


def _named(query: str) -> int | None:
    """The episode whose number was typed, if there is one."""
    if not (query.isascii() and query.isdigit()) or int(query) > BIGINT_MAX:
        return None
    return Episode.objects.filter(pk=int(query)).values_list("pk", flat=True).first()


def _facets(asked: Asked, counts: Counts | None) -> list[dict[str, Any]]:
    """Counts by the values of filters that are not set yet."""
    if counts is None or not counts.total:
        return []
    named = {asked.runs.get(run, f"run {run}"): (run, count) for run, count in counts.runs.items()}
    rows: dict[str, dict[str, tuple[Any, int]]] = {
        "outcome": {name: (name, count) for name, count in counts.outcomes.items()},
        "arm": {name: (name, count) for name, count in counts.arms.items()},
        "run": named,
    }
    return [
        {"name": name, "rows": [_facet(asked, name, said, *row) for said, row in rows[name].items()]}
        for name in FACETS
        if name not in asked.search.filters
    ]


def _facet(asked: Asked, name: str, said: str, value: Any, count: int) -> dict[str, Any]:
    """``address`` sets the filter; empty where the filter has no such choice."""
    field = "status" if name == "outcome" and value in Episode.Status.values else name
    address = asked.address(**{field: str(value)}) if value in asked.choices(field) else ""
    return {"said": said, "value": value, "count": count, "address": address}


def _selection(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """What is taken away is refused where a part of the search makes no sense: it would be another one."""

    @lab_page
    @wraps(view)
    def checked(request: LabRequest) -> HttpResponseBase:
        asked = Asked(request.GET)
        problems = [problem for problem in (asked.query_problem, *asked.problems) if problem]
        if asked.is_unticked:
            problems.append("No episode was ticked.")
        if not problems:
            return view(request, asked)
        refusal = "Without it another selection would be taken, so nothing was: mend the address."
        said = "\n".join([*problems, refusal, ""])
        refused = HttpResponse(said, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")
        refused["X-Content-Type-Options"] = "nosniff"
        return refused

    return checked


@_selection
def search_trajectories(request: LabRequest, asked: Asked) -> HttpResponseBase:
    """NDJSON; with ``?golds=1``, for those who may see them, as the API gives it to keys with golds."""
    principal = reader(request, golds=asks_for_golds(request))
    lines = selections.trajectories_selected(asked, principal=principal, now=timezone.now())
    return _streamed(lines, content_type=NDJSON, name="palaestra-trajectories.ndjson")


@_selection
def search_facts(request: LabRequest, asked: Asked) -> HttpResponseBase:
    lines = selections.facts_selected(asked, now=timezone.now())
    return _streamed(lines, content_type="text/csv; charset=utf-8", name="palaestra-facts.csv")


@_selection
def search_ids(request: LabRequest, asked: Asked) -> HttpResponseBase:
    lines = selections.ids_selected(asked, now=timezone.now())
    return _streamed(lines, content_type="text/plain; charset=utf-8", name="palaestra-episodes.txt")


def _streamed(lines: Iterator[bytes], *, content_type: str, name: str) -> HttpResponseBase:
    return as_file(StreamingHttpResponse(lines, content_type=content_type), name)
