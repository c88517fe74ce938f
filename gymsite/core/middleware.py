"""Security headers of every page and answer that is not the arena's."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

SOCKET_SCHEMES = {"http": "ws", "https": "wss"}


def content_security_policy(live_url: str) -> str:
    """The lab's policy: its own files alone, no inline script or style; live may be asked for news."""
    return "; ".join(
        [
            "default-src 'self'",
            f"connect-src 'self' {_live_origins(live_url)}".rstrip(),
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


class SecurityHeadersMiddleware:
    """Sets what a view has not set itself: a blob's own sandbox policy stays."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.headers = {
            "Content-Security-Policy": content_security_policy(settings.LIVE_URL),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in self.headers.items():
            response.headers.setdefault(name, value)
        if not response.streaming and not response.has_header("Content-Length"):
            response["Content-Length"] = str(len(response.content))  # else the server sends chunks
        return response


def _live_origins(live_url: str) -> str:
    parts = urlsplit(live_url)
    if parts.scheme not in SOCKET_SCHEMES or not parts.netloc:
        return ""
    return f"{parts.scheme}://{parts.netloc} {SOCKET_SCHEMES[parts.scheme]}://{parts.netloc}"
