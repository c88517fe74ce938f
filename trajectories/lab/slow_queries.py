"""Searches that take too long are stopped, so that they do not occupy the server's few threads."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest

SEARCH_MS = 5_000
# Tells the page's script to show the fragment that comes with an error.
FRAGMENT_HEADER = "X-Lab-Says"


def page_render(
    request: LabRequest, template: str, context: dict[str, Any], *, is_too_slow: bool
) -> HttpResponse:
    """The page; with status 503 if its search was stopped after ``seconds``."""
    context |= {"is_too_slow": is_too_slow, "seconds": SEARCH_MS // 1000}
    if not is_too_slow:
        return render(request, template, context)
    response = render(request, template, context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response[FRAGMENT_HEADER] = "fragment"
    return response
