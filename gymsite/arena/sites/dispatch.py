"""A request to a page of a mock site: world, state, view, and what becomes of its events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from functools import lru_cache

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import ResolverMatch, URLResolver
from django.urls.resolvers import RoutePattern

from gymsite.arena import clock, episodes
from gymsite.arena.sites import events
from gymsite.arena.sites.site import Change, Event, Page, Site, Visit, sites
from gymsite.core.presentation import look_read
from tasks_app.worlds.keys import world_arguments

KIND = "site"
# Each time that another tab was faster, the view is called again, with what that tab did.
TRIES = 5


def answer(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    *,
    path: str,
    form: QueryDict | None,
    step: int | None,
    frame: Mapping[str, object],
    status: int = 0,
) -> HttpResponse:
    """The page at a path below the site's first page, or the redirect after a change.

    ``frame`` goes into the template's context beside the page's own; ``status`` is in place of the page's.
    Raises ``Http404`` for a path or a thing that there is not.
    """
    site = sites.get(episode.payload["site"])
    match = resolve(site.id, path)
    is_noted = request.method in ("GET", "POST") and not status
    for _ in range(TRIES):
        history = events.history_read(episode_id=episode.episode_id)
        visit = _visit(request, episode, site, history, path=path, form=form)
        made = match.func(visit, *match.args, **match.kwargs)
        fresh = _fresh(made, history) if is_noted else ()
        stored = _append(episode, history, fresh, step=step)
        if stored == "gone":
            raise Http404
        if isinstance(made, Page):
            # A look changes nothing: the page is good even where its note came too late.
            return _drawn(request, site, visit, made, frame=frame, status=status or made.status)
        if stored == "stored":
            return _redirect(visit.root + made.to)
    return _redirect(visit.root + made.conflict_to)


@lru_cache(maxsize=16)
def _resolver(site_id: str) -> URLResolver:
    return URLResolver(RoutePattern(""), list(sites.get(site_id).urls))


def resolve(site_id: str, path: str) -> ResolverMatch:
    """The view of a path of a site. Raises ``Http404``."""
    return _resolver(site_id).resolve(path)


def _visit(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    site: Site,
    history: events.History,
    *,
    path: str,
    form: QueryDict | None,
) -> Visit:
    world = site.open_world(**world_arguments(episode.payload, salt=settings.WORLD_SALT))
    return Visit(
        world=world,
        state=site.fold(world, history.events),
        now=site_now(start=episode.virtual_start, site_events=history.last),
        look=look_read(episode.presentation),
        query=request.GET,
        form=form,
        root="../" * path.count("/") or "./",
    )


def site_now(*, start: datetime, site_events: int) -> datetime:
    """The virtual time, but on its first day still: worlds and golds are those of one day."""
    last = datetime.combine(start.date() + timedelta(days=1), time.min, tzinfo=start.tzinfo)
    return min(clock.virtual_now(start=start, site_events=site_events), last - clock.TICK)


def _fresh(made: Page | Change, history: events.History) -> tuple[Event, ...]:
    """The events to store: a look at the same thing again is not noted twice."""
    if isinstance(made, Change) or not made.events:
        return made.events
    known = [msgspec.json.encode(event, order="deterministic") for event in history.events]
    noted = ((event, msgspec.json.encode(event, order="deterministic")) for event in made.events)
    return tuple(event for event, text in noted if text not in known)


def _append(
    episode: episodes.PageEpisode,
    history: events.History,
    fresh: tuple[Event, ...],
    *,
    step: int | None,
) -> events.Appended:
    if not fresh or len(history.events) >= events.EVENTS_MAX:
        return "stored" if not fresh else "conflict"
    return events.events_append(
        episode_id=episode.episode_id,
        arms=episodes.PAGE_ARMS,
        seen=history.last,
        events=fresh,
        step=step,
    )


def _drawn(
    request: HttpRequest,
    site: Site,
    visit: Visit,
    page: Page,
    *,
    frame: Mapping[str, object],
    status: int,
) -> HttpResponse:
    context = {**page.context, **frame, "site": site, "root": visit.root, "now": visit.now}
    return render(request, page.template, context, status=status)


def _redirect(to: str) -> HttpResponse:
    response = HttpResponseRedirect(to)
    response.status_code = 303
    return response
