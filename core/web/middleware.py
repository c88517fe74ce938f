"""Middleware that adds security headers to every response of the lab and the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse

from core.telemetry import metrics
from core.web.live_address import live_url, socket_origin

ADDRESSES_CACHED = 64


@lru_cache(maxsize=ADDRESSES_CACHED)
def content_security_policy(live: str) -> str:
    """Build the lab's policy: only its own files, no inline code or style, connections to the live server."""
    parts, sockets = urlsplit(live), socket_origin(live)
    origins = f"{parts.scheme}://{parts.netloc} {sockets}" if sockets else ""
    return "; ".join(
        [
            "default-src 'self'",
            f"connect-src 'self' {origins}".rstrip(),
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def route_note(request: HttpRequest) -> None:
    """Report the request's URL pattern to the web server, which counts requests by it."""
    if request.resolver_match:
        request.META[metrics.ROUTE] = request.resolver_match.route


class SecurityHeadersMiddleware:
    """Middleware that sets only headers that the view has not set, so a blob keeps its sandbox policy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.headers = {
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        route_note(request)
        if "Content-Security-Policy" not in response.headers:
            response["Content-Security-Policy"] = content_security_policy(live_url(request))
        for name, value in self.headers.items():
            response.headers.setdefault(name, value)
        if not response.streaming and not response.has_header("Content-Length"):
            response["Content-Length"] = str(len(response.content))  # otherwise the server would send chunks
        return response
