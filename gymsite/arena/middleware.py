"""Headers of every arena page. There are no sessions, cookies or CSRF tokens, on purpose.

The unguessable token in the path is the capability. Nothing that a browser sends automatically grants access,
so a forged cross-site request has nothing to exploit.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from core.web.middleware import route_note
from gymsite.arena.callers import get_session

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
# The pages of a person's takeover are shown in a frame below the bar.
PERSON_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'; frame-src 'self'")
FEATURES = ("camera", "clipboard-read", "display-capture", "geolocation", "microphone", "payment", "usb")
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in FEATURES),
}


CACHED = "private, max-age=31536000, immutable"


class ImmutableResponse(HttpResponse):
    """A response that never changes, so that the browser may cache it forever."""


class ArenaMiddleware:
    """Middleware that adds ``HEADERS``, and ``Content-Length`` so that no response is sent in chunks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        route_note(request)
        for name, value in HEADERS.items():
            response[name] = value
        if get_session(request) is not None:
            response["Content-Security-Policy"] = PERSON_POLICY
            response["X-Frame-Options"] = "SAMEORIGIN"
        if isinstance(response, ImmutableResponse):
            response["Cache-Control"] = CACHED
        if not response.streaming:
            response["Content-Length"] = str(len(response.content))
        return response
