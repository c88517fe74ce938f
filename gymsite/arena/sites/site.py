"""Mock sites, and the input and output of their views.

A view is pure: ``(visit, **kwargs) -> Page | Change``. It reads no clock, database or request, and may be
called again for the same request when another tab was faster. It raises ``Http404`` for what does not exist.

A pop-up lies over a page until it is closed. A page names those that it draws (``Page.pop_ups``), and
``site_dispatch`` notes ``pop_up_shown {name}`` for each that is not open yet. Closing one is the change
``banner_closed {name}``. A judge has only the events: a pop-up is open when it was shown and not closed since
(``tasks_app/worlds/evidence.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from django.http import QueryDict
from django.urls import URLPattern, path

from core.draws import Draws
from core.episodes.presentation import Look
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
    ``news`` is the kind of the change that this page, and no later one, confirms: see ``Change``.
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
    """A page to draw. ``events`` note that it was looked at, and change no state; ``pop_ups`` are on it.

    ``template`` extends ``arena/site.html`` and finds ``root``, ``now`` (in UTC), ``look`` and ``site``. A
    refused answer leads back to ``here``, the page's path below the first page, or else to that page.
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
    other events came between, the view is called again; ``conflict_to`` is for when that never ends. With
    ``is_confirmed`` the page at ``to`` confirms the change: its visit has the last event as ``news``.

    A change without events refuses a form: ``to`` is a page that says why. Nobody could return to that page
    if it were the response to the form itself.
    """

    events: tuple[Event, ...]
    to: str
    conflict_to: str = ""
    is_confirmed: bool = False


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message in place of a page."""

    title: str
    text: str
    status: int


def message_page(_visit: Visit, message: Message, /) -> Page:
    """Show the message on a plain page; sites put it in their own frame."""
    context = {"message": message, "home": "Back to the home page"}
    return Page(template="arena/site_message.html", context=context, status=message.status)


def order_sections(look: Look, sections: Sequence[str], *, seed: str | int) -> list[str]:
    """Order a page's sections by the look; a mixed order differs by look and seed."""
    if look.sections == "mixed":
        return Draws(look.digest(), "sections", seed).shuffled(sections)
    return list(sections)[:: -1 if look.sections == "reversed" else 1]


View = Callable[..., Page | Change]


def route(pattern: str, view: View) -> URLPattern:
    """Register a site's view, as ``django.urls.path`` does."""
    return cast("URLPattern", path(pattern, cast("Any", view)))


@dataclass(frozen=True, kw_only=True)
class Site:
    """A mock site. ``urls`` are made by ``route``; that of the first page is ``route("", ...)``.

    ``open_world`` takes ``(key, *, edition, first_day, changes)`` and is cached by the site. ``drawing``
    draws a picture by its name, and is None for an unknown one: names are few, and reveal nothing of a world.
    ``message_page`` shows a message in the site's frame where there is no page.
    """

    id: str
    title: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    urls: Sequence[URLPattern]
    drawing: Callable[[str], Drawing | None] = lambda _name: None
    message_page: Callable[[Visit, Message], Page] = message_page


sites: Registry[Site] = Registry("site")
