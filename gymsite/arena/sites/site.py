"""What a mock site is, and what its views are given and answer with.

A view is pure: ``(visit, **kwargs) -> Page | Change``. It reads no clock, no database and no request, and may
be called again for the same request when another tab was faster. ``Http404`` is for what there is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from django.http import QueryDict
from django.urls import URLPattern, path

from gymsite.core.presentation import Look
from gymsite.core.registry import Registry

Event = tuple[str, Mapping[str, Any]]
"""Kind and data of a site event, as the site's fold takes them."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One request to a page of a site.

    ``world`` and ``state`` are the site's own types; ``now`` is the episode's virtual time, the only clock;
    ``form`` is None for GET; ``root`` leads from this page to the site's first page, and ends in a slash.
    """

    world: Any
    state: Any
    now: datetime
    look: Look
    query: QueryDict
    form: QueryDict | None
    root: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page to draw. ``events`` are noted by looking at it, and change no state.

    ``template`` extends ``arena/site.html`` and finds ``root``, ``now``, ``look`` and ``site``.
    """

    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """Events to append, and the page to show then.

    ``to`` and ``conflict_to`` are below the site's first page, like ``trips/?new=1``; "" is that page. Where
    other events came between, the view is called again; ``conflict_to`` is for when that does not end.
    """

    events: tuple[Event, ...]
    to: str
    conflict_to: str = ""


View = Callable[..., Page | Change]


def route(pattern: str, view: View) -> URLPattern:
    """``django.urls.path`` for a site's view."""
    made: URLPattern = path(pattern, cast("Any", view))
    return made


@dataclass(frozen=True, kw_only=True)
class Site:
    """A mock site. ``urls`` are made by ``route``; that of the first page is ``route("", ...)``.

    ``open_world`` takes ``(key, *, edition, first_day, changes)`` and is cached by the site.
    """

    id: str
    title: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    urls: Sequence[URLPattern]


sites: Registry[Site] = Registry("site")
