"""The floor for a page: a Django WSGI view that renders the same template with the same context.

``BARE_PAGES`` is a JSON list of the paths of pages that an arena would serve. At the start, the arena's own
views render each page once, and its template and context are stored. ``/0`` is the first page, rendered again
for each request. It is served by granian without token, database, state, middleware or door.
"""

from __future__ import annotations

import json
import os
from typing import Any
from unittest.mock import patch

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.template.loader import render_to_string
from django.test import Client
from django.urls import path

Drawn = tuple[str, dict[str, Any]]


def page_draw(request: HttpRequest, number: int) -> HttpResponse:
    template, context = DRAWN[number]
    response = render(request, template, context)
    response["Content-Length"] = str(len(response.content))
    return response


urlpatterns = [path("<int:number>", page_draw)]


def pages_have(paths: list[str]) -> list[Drawn]:
    """Return each page's template and context, by calling the arena's views in this process."""
    client = Client()
    return [_page_have(client, one) for one in paths]


def _page_have(client: Client, one: str) -> Drawn:
    drawn: list[Drawn] = []

    def noted(template: str, context: dict[str, Any], request: HttpRequest, using: str | None = None) -> str:
        drawn.append((template, dict(context)))
        return render_to_string(template, context, request, using)

    with patch.object(loader, "render_to_string", noted):
        answer = client.get(one)
    if answer.status_code != 200:
        raise RuntimeError(f"{one}: {answer.status_code}")
    return drawn[0]


def make_application() -> Any:
    os.environ["DJANGO_SETTINGS_MODULE"] = "gymsite.settings"
    django.setup(set_prefix=False)
    DRAWN.extend(pages_have(json.loads(os.environ["BARE_PAGES"])))
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []
    return WSGIHandler()


DRAWN: list[Drawn] = []
if os.environ.get("BARE_PAGES"):
    application = make_application()
