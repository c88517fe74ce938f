"""A search holds one of few threads: how long it may, and how its page says that it was stopped."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest

# Longer than this nobody waits.
SEARCH_MS = 5_000
# Tells the page's script that an error's answer is a fragment to be shown.
SAYS = "X-Lab-Says"


def said_too_slow(request: LabRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """503 with the sentence that tells it, which names ``seconds``."""
    told = {**context, "seconds": SEARCH_MS // 1000}
    response = render(request, template, told, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response[SAYS] = "fragment"
    return response
