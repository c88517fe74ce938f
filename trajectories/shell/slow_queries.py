"""Time limits for searches, so that slow ones do not occupy the server's few threads."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django.http import HttpResponse

from core.database.sessions import TooSlow, limit_statements
from trajectories.shell import access

T = TypeVar("T")
SEARCH_MS = 5_000
# This header makes the page's script show the fragment that comes with an error.
FRAGMENT_HEADER = "X-Lab-Error"


def result_in_time(query: Callable[[], T]) -> T | None:
    """Run ``query`` and return its result; None if one of its statements was stopped for taking too long."""
    try:
        with limit_statements(SEARCH_MS):
            return query()
    except TooSlow:
        return None


def page_render(
    request: access.LabRequest, name: str, context: dict[str, Any], *, is_too_slow: bool
) -> HttpResponse:
    """Render the page, with status 503 if its search was stopped after ``seconds``."""
    context |= {"is_too_slow": is_too_slow, "seconds": SEARCH_MS // 1000}
    if not is_too_slow:
        return access.page_render(request, name, context)
    response = access.page_render(request, name, context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response[FRAGMENT_HEADER] = "fragment"
    return response
