"""Visits to mock-site pages without an episode: views and templates are the same, events go to a list."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

from django.http import Http404, QueryDict
from django.template.loader import render_to_string

from core.episodes.presentation import Look
from gymsite.arena.site_dispatch import OUTSIDE, page_context, resolve, virtual_now
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.site import Change, Event, Page, Visit, sites
from validation.sites.blind_page import BlindPage, Form, page_read

MORNING = time(9)
# Any base address will do, since it only serves to resolve relative addresses.
FIRST_PAGE = "http://site/"
MOST_REDIRECTS = 5


class Walk:
    """A visitor in one task's world; ``here`` is the current page, ``path`` is its path."""

    def __init__(self, *, site: str, world: Any, look: Look) -> None:
        self._site = sites.get(site)
        self._look = look
        self._start = datetime.combine(world.first_day, MORNING, tzinfo=ZoneInfo(look.time_zone))
        self.world = world
        self.events: list[Event] = []
        self.path = ""
        self.here = BlindPage(text="", links=[], forms=[])
        self.go("")

    def go(self, address: str) -> bool:
        """Follow a link on the current page; return False and change nothing if it leads nowhere."""
        split = urlsplit(urljoin(FIRST_PAGE + self.path, address))
        return self._ask(split.path.lstrip("/"), QueryDict(split.query), None)

    def send(self, form: Form, values: list[tuple[str, str]]) -> bool:
        """Send a form on the current page."""
        split = urlsplit(urljoin(FIRST_PAGE + self.path, form.action))
        sent = QueryDict(mutable=True)
        for name, value in values:
            sent.appendlist(name, value)
        path = split.path.lstrip("/")
        return self._ask(path, QueryDict(split.query), sent) if form.is_post else self._ask(path, sent, None)

    def _ask(self, path: str, query: QueryDict, form: QueryDict | None) -> bool:
        for _ in range(MOST_REDIRECTS):
            try:
                reply = self._respond(path, query, form)
            except Http404:
                return False
            self.events += reply.events
            if isinstance(reply, Page):
                self._see(path, reply)
                return True
            split = urlsplit(urljoin(FIRST_PAGE, reply.to))
            path, query, form = split.path.lstrip("/"), QueryDict(split.query), None
        return False

    def _respond(self, path: str, query: QueryDict, form: QueryDict | None) -> Page | Change:
        match = resolve(self._site.id, path)
        visit = Visit(
            world=self.world,
            state=self._site.fold(self.world, self.events),
            now=virtual_now(start=self._start, site_events=len(self.events)),
            look=self._look,
            labels=load_labels(self._site.id, self._look.labels),
            query=query,
            form=form,
            root="../" * path.count("/") or "./",
        )
        response: Page | Change = match.func(visit, *match.args, **match.kwargs)
        return response

    def _see(self, path: str, page: Page) -> None:
        root = "../" * path.count("/") or "./"
        frame = {**OUTSIDE, "look": self._look, "has_task_bar": False}
        context = page_context(page, frame, site=self._site, root=root, now=self._start)
        self.path = path
        self.here = page_read(render_to_string(page.template, context))
