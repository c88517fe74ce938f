"""Server for the arena's question pages of items without an episode. It does not use the database."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings
from django.contrib.staticfiles.views import serve
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from core.episodes.presentation import Look
from core.storage.blobs import blob_exists, blob_response
from gymsite.arena import views
from gymsite.arena.episodes import PageEpisode
from gymsite.arena.middleware import ArenaMiddleware
from tasks_app.figures import list_figures

TOKEN_PREFIX = "parity-"  # noqa: S105 (part of a page's address, not a secret)
VIRTUAL_START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PICTURE = re.compile(r"/pictures/([-\w]+)$")
STATIC_AGE_S = 3600

StartResponse = Callable[[str, list[tuple[str, str]]], object]


@dataclass(frozen=True)
class Item:
    """The part of a task that its page needs."""

    kind: str
    payload: Mapping[str, object]
    answer_channel: str = "page"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the overridden method has this name)
        return


class PageServer:
    """Server of pages at ``/e/parity-<item>-<look>/``, with the arena's headers."""

    def __init__(self, items: list[Item], looks: Iterable[Look]) -> None:
        self._items = items
        self._looks = list(dict.fromkeys(looks))
        self._numbers = {look: number for number, look in enumerate(self._looks)}
        self._page = ArenaMiddleware(self._question)
        self._server = make_server("127.0.0.1", 0, self._answer, server_class=_Server, handler_class=_Silent)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def address(self, *, item: int, look: Look) -> str:
        return f"{self.origin}/e/{TOKEN_PREFIX}{item}-{self._numbers[look]}/"

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def _answer(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        request = WSGIRequest(environ)
        response = self._response(request)
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
        return response

    def _response(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(settings.STATIC_URL):
            return self._static(request)
        if picture := PICTURE.search(request.path):
            return self._picture(request, picture[1])
        return self._page(request)

    def _static(self, request: HttpRequest) -> HttpResponseBase:
        response = serve(request, request.path.removeprefix(settings.STATIC_URL), insecure=True)
        response["Cache-Control"] = f"max-age={STATIC_AGE_S}"
        return response

    def _picture(self, request: HttpRequest, name: str) -> HttpResponseBase:
        item, _ = self._find_item(request)
        for figure in list_figures(item.payload):
            if figure.name == name and blob_exists(figure.sha256):
                return blob_response(request, figure.sha256)
        return HttpResponse(status=404)

    def _question(self, request: HttpRequest) -> HttpResponse:
        item, look = self._find_item(request)
        episode = PageEpisode(
            episode_id=0,
            status="open",
            recording="off",
            answer_channel=item.answer_channel,
            presentation=look.as_dict(),
            virtual_start=VIRTUAL_START,
            site_events=0,
            kind=item.kind,
            payload=item.payload,
        )
        return views.question_page(request, episode)

    def _find_item(self, request: HttpRequest) -> tuple[Item, Look]:
        token = request.path.split("/")[2]
        item, look = token.removeprefix(TOKEN_PREFIX).split("-")
        return self._items[int(item)], self._looks[int(look)]
