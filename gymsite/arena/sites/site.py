"""Mock sites, and the input and output of their views.

A view is a pure function ``(visit, **kwargs) -> Page | Change``. It reads no clock, database or request, and
may be called again for the same request if another tab was faster. It raises ``Http404`` if there is no such
page or thing.

A pop-up covers a page until it is closed. A page names the pop-ups that it shows (``Page.pop_ups``), and
``site_dispatch`` stores ``pop_up_shown {name}`` for each that is not open yet. Closing a pop-up is the change
``banner_closed {name}``. Judges see only the events: a pop-up is open if it was shown and not closed since
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

    ``world`` and ``state`` have the site's own types. ``now`` is the episode's virtual time, the only clock.
    ``form`` is None for GET. ``root`` leads from this page to the site's first page, and ends with a slash.
    ``news`` is the kind of the change that this page view alone confirms (see ``Change``).
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
    """A page to render. ``events`` record that it was viewed, without changing state; ``pop_ups`` are on it.

    ``template`` extends ``arena/site.html`` and can use ``root``, ``now`` (in UTC), ``look`` and ``site``. If
    an answer is refused, the visitor returns to ``here``, the page's path below the first page (by default,
    to the first page).
    """

    template: str
    context: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    events: tuple[Event, ...] = ()
    pop_ups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """Events to append, and the page to show afterwards.

    ``to`` and ``conflict_to`` are paths below the site's first page, such as ``trips/?new=1``; "" is the
    first page. If other events were stored in the meantime, the view is called again; ``conflict_to`` is
    shown if that happens every time. With ``is_confirmed``, the page at ``to`` confirms the change: its visit
    has the last event's kind as ``news``.

    A change without events refuses a form, and ``to`` is a page that gives the reason. It is not the response
    to the form itself, because nobody could return to that.
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
    """Show a message on a plain page; sites may show it in their own frame instead."""
    context = {"message": message, "home": "Back to the home page"}
    return Page(template="arena/site_message.html", context=context, status=message.status)


def order_sections(look: Look, sections: Sequence[str], *, seed: str | int) -> list[str]:
    """Order a page's sections as the look requires; a mixed order depends on look and seed."""
    if look.sections == "mixed":
        return Draws(look.digest(), "sections", seed).shuffled(sections)
    return list(sections)[:: -1 if look.sections == "reversed" else 1]


View = Callable[..., Page | Change]


def route(pattern: str, view: View) -> URLPattern:
    """Map a URL pattern to a site's view, as ``django.urls.path`` does for ordinary views."""
    return cast("URLPattern", path(pattern, cast("Any", view)))


@dataclass(frozen=True, kw_only=True)
class Site:
    """A mock site. ``urls`` are made by ``route``; the first page is ``route("", ...)``.

    ``open_world`` takes ``(key, *, edition, first_day, changes)`` and is cached by the site. ``drawing``
    returns the function that draws a picture, or None for an unknown name; there are few names, and they
    reveal nothing about a world. ``message_page`` shows a message in the site's frame, in place of a page.
    """

    id: str
    title: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    urls: Sequence[URLPattern]
    drawing: Callable[[str], Drawing | None] = lambda _name: None
    message_page: Callable[[Visit, Message], Page] = message_page


sites: Registry[Site] = Registry("site")
