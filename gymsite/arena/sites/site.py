"""What a mock site is, and what its views take and return.

A view is pure: ``(visit, **kwargs) -> Page | Change``. It reads no clock, database or request, and may be
called again for the same request when another tab was faster. It raises ``Http404`` for what does not exist.

Whatever lies over a page until it is closed is a pop-up. A page names those that it draws (``Page.pop_ups``);
``site_dispatch`` then notes ``pop_up_shown {name}`` for each that is not noted as open. Closing one is the
change ``banner_closed {name}``. A judge has the events alone and none of a site's schedule: open is what was
shown and not closed since (``tasks_app/worlds/evidence``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from django.http import QueryDict
from django.urls import URLPattern, path

from core.presentation import Look
from core.registry import Registry
from gymsite.arena.drawings.canvas import Drawing
from gymsite.arena.sites.labels import Labels

Event = tuple[str, Mapping[str, Any]]
"""Kind and data of a site event."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One request to a page of a site.

    ``world`` and ``state`` are the site's own types; ``now`` is the episode's virtual time, the only clock;
    ``form`` is None for GET; ``root`` leads from this page to the site's first page, and ends in a slash.
    ``news`` is the kind of what has just been done, on the one page that follows it: see ``Change``.
    """

    world: Any
    state: Any
    now: datetime
    look: Look
    labels: Labels
    query: QueryDict
    form: QueryDict | None
    root: str
    news: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page to draw. ``events`` are noted by looking at it, and change no state; ``pop_ups``
    are the names of those that it draws.

    ``template`` extends ``arena/site.html`` and finds ``root``, ``now``, ``look`` and ``site``.
    """

    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    events: tuple[Event, ...] = ()
    pop_ups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """Events to append, and the page to show then.

    ``to`` and ``conflict_to`` are below the site's first page, like ``trips/?new=1``; "" is that page. Where
    other events came between, the view is called again; ``conflict_to`` is for when that does not end. The
    page that ``to`` leads to says what was done where ``is_told``: its visit has the last event as ``news``.

    Without events it is how a form is refused: ``to`` is a page that says why. Had the form's own request
    been answered with that page, nobody could come back to it.
    """

    events: tuple[Event, ...]
    to: str
    conflict_to: str = ""
    is_confirmed: bool = False


@dataclass(frozen=True, kw_only=True)
class Instead:
    """A message in place of a page."""

    title: str
    text: str
    status: int


def instead(_visit: Visit, said: Instead, /) -> Page:
    """A plain page with the message; sites put it in their own frame."""
    return Page(template="arena/site_instead.html", context={"said": said}, status=said.status)


View = Callable[..., Page | Change]


def route(pattern: str, view: View) -> URLPattern:
    """``django.urls.path`` for a site's view."""
    made: URLPattern = path(pattern, cast("Any", view))
    return made


@dataclass(frozen=True, kw_only=True)
class Site:
    """A mock site. ``urls`` are made by ``route``; that of the first page is ``route("", ...)``.

    ``open_world`` takes ``(key, *, edition, first_day, changes)`` and is cached by the site. ``drawing``
    gives how a picture of its name is drawn, None for what is no name of the site's: names are few, and say
    nothing of a world. ``instead`` draws the site's frame around what is said where there is no page.
    """

    id: str
    title: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    urls: Sequence[URLPattern]
    drawing: Callable[[str], Drawing | None] = lambda _name: None
    instead: Callable[[Visit, Instead], Page] = instead


sites: Registry[Site] = Registry("site")
