"""Dispatch of requests to a mock site: build world and state, call the view, and store its events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from zoneinfo import ZoneInfo

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import ResolverMatch, URLResolver
from django.urls.resolvers import RoutePattern

from core.episodes.presentation import Look
from gymsite.arena import episodes, forms
from gymsite.arena.sites import events
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.site import Change, Event, Message, Page, Site, Visit, sites
from palaestra.protocol.arms import PAGE_ARMS
from tasks_app.worlds import evidence
from tasks_app.worlds.keys import world_arguments

# Optimistic concurrency: if another tab was faster, the view is called again with that tab's events.
TRIES = 5
# Query parameters of pages besides the site's own: why a form was refused, and the number of the event that
# has just been stored.
REFUSED, NEWS = "refused", "news"
NO_MORE = "no_more_changes"
# Context of a page's frame outside of any episode.
OUTSIDE: Mapping[str, object] = {
    "step": None,
    "is_recorded": False,
    "is_recorded_in_full": False,
    "session": None,
}
NOTHING = Message(title="Page not found", text="This site has no page at this address.", status=404)
FULL = Message(
    title="No more changes are possible",
    text="This visit has reached its limit, so nothing was changed. You can still browse every page and "
    "answer the task.",
    status=409,
)


TICK = timedelta(seconds=30)


def virtual_now(*, start: datetime, site_events: int) -> datetime:
    """Return the episode's virtual time after that many site events; equal histories have equal times."""
    return start + site_events * TICK


def answer(
    request: HttpRequest,
    episode: episodes.PageEpisode,
    *,
    path: str,
    form: QueryDict | None,
    step: int | None,
    look: Look,
    frame: Mapping[str, object],
    status: int = 0,
    message: Message | None = None,
) -> HttpResponse:
    """Serve the page at a path below the site's first page, or redirect after a change.

    ``frame`` is added to the page's context, ``status`` replaces the page's status, and ``message`` is shown
    in place of a page. Raises ``Http404`` if the episode has ended.
    """
    site = sites.get(episode.payload["site"])
    is_noted = request.method in ("GET", "POST") and not episode.is_past
    history = events.History(last=episode.site_events, events=episode.site_history)
    for _ in range(TRIES):
        query = None if message else request.GET
        visit = _visit(episode, site, history, look, path=path, form=form, query=query)
        is_refused = history.is_full and request.GET.get(REFUSED) == NO_MORE
        reply = _made(site, visit, history, path=path, message=message or (FULL if is_refused else None))
        fresh = _fresh(reply, history) if is_noted else ()
        stored = _append(episode, history, fresh, step=step, is_looking=isinstance(reply, Page))
        if stored == "gone":
            raise Http404
        if stored == "stored":
            break
        history = events.history_read(episode_id=episode.episode_id)
    if isinstance(reply, Page):
        # Viewing changes nothing, so the page is valid even if its events were never stored.
        context = page_context(reply, frame, site=site, root=visit.root, now=visit.now)
        return render(request, reply.template, context, status=status or reply.status)
    if stored != "stored":
        return forms.SeeOther(visit.root + reply.conflict_to)
    news = history.last + len(fresh) if reply.is_confirmed and fresh else 0
    return forms.SeeOther(visit.root + (with_aside(reply.to, **{NEWS: str(news)}) if news else reply.to))


def with_aside(address: str, **aside: str) -> str:
    """Return the address with these parameters of ours in its query, in place of any that it has."""
    split = urlsplit(address)
    others = [(name, value) for name, value in parse_qsl(split.query, True) if name not in (REFUSED, NEWS)]
    return urlunsplit(split._replace(query=urlencode([*others, *aside.items()])))


@lru_cache(maxsize=16)
def _resolver(site_id: str) -> URLResolver:
    return URLResolver(RoutePattern(""), list(sites.get(site_id).urls))


def resolve(site_id: str, path: str) -> ResolverMatch:
    """Find the view for a path of a site. Raises ``Http404``."""
    return _resolver(site_id).resolve(path)


def _made(
    site: Site, visit: Visit, history: events.History, *, path: str, message: Message | None
) -> Page | Change:
    if message is None:
        try:
            match = resolve(site.id, path)
            return _within_limits(match.func(visit, *match.args, **match.kwargs), history)
        except Http404:
            message = NOTHING
    return site.message_page(visit, message)


def _visit(
    episode: episodes.PageEpisode,
    site: Site,
    history: events.History,
    look: Look,
    *,
    path: str,
    form: QueryDict | None,
    query: QueryDict | None,
) -> Visit:
    world = site.open_world(**world_arguments(episode.payload, salt=settings.WORLD_SALT))
    start = episode.virtual_start.astimezone(ZoneInfo(look.time_zone))
    return Visit(
        world=world,
        state=site.fold(world, history.events),
        now=site_now(start=start, site_events=history.last),
        look=look,
        labels=load_labels(site.id, look.labels),
        query=_without_aside(query) if query else QueryDict(),
        form=form,
        root="../" * path.count("/") or "./",
        news=_news(episode, query) if query else "",
    )


def _without_aside(query: QueryDict) -> QueryDict:
    if not {REFUSED, NEWS} & query.keys():
        return query
    others = query.copy()
    for name in (REFUSED, NEWS):
        others.pop(name, None)
    return others


def _news(episode: episodes.PageEpisode, query: QueryDict) -> str:
    """Return the kind of the last event before this page view, if the address names that event, else ""."""
    is_last = query.get(NEWS) == str(episode.site_events - 1)
    return episode.site_history[-1][0] if is_last and episode.site_history else ""


def page_context(
    page: Page, frame: Mapping[str, object], *, site: Site, root: str, now: datetime
) -> dict[str, object]:
    """Build the template's context for a page of a site, including its frame."""
    own = {"site": site, "root": root, "now": now.astimezone(UTC)}
    return {"here": "", **page.context, **own, **frame}


def site_now(*, start: datetime, site_events: int) -> datetime:
    """Return the virtual time, which never leaves its first day, because worlds and golds are for one day."""
    last = datetime.combine(start.date() + timedelta(days=1), time.min, tzinfo=start.tzinfo)
    return min(virtual_now(start=start, site_events=site_events), last - TICK)


def _within_limits(reply: Page | Change, history: events.History) -> Page | Change:
    """Return the view's reply, or a redirect to a notice if the episode may change nothing more."""
    if isinstance(reply, Page) or not reply.events or not history.is_full:
        return reply
    return Change(events=(), to=f"?{REFUSED}={NO_MORE}")


def _fresh(reply: Page | Change, history: events.History) -> tuple[Event, ...]:
    """List the events to store: each page view once, and a pop-up only if it was not already open."""
    if isinstance(reply, Change):
        return reply.events
    if history.is_full_of_looks or not (reply.events or reply.pop_ups):
        return ()
    known = {msgspec.json.encode(event, order="deterministic") for event in history.events}
    noted = ((event, msgspec.json.encode(event, order="deterministic")) for event in reply.events)
    is_open = evidence.pop_ups_open(history.events)
    return (
        *(event for event, text in noted if text not in known),
        *((evidence.POP_UP_SHOWN, {"name": name}) for name in reply.pop_ups if name not in is_open),
    )


def _append(
    episode: episodes.PageEpisode,
    history: events.History,
    fresh: tuple[Event, ...],
    *,
    step: int | None,
    is_looking: bool,
) -> events.Appended:
    if not fresh:
        return "stored"
    return events.events_append(
        episode_id=episode.episode_id,
        arms=list(PAGE_ARMS),
        seen=history.last,
        events=fresh,
        step=step,
        is_looking=is_looking,
        takeover=episode.takeover,
    )
