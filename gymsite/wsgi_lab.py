"""WSGI application of the lab: the REST API and the researchers' pages.

The API uses keys and no cookies, so its requests have a separate handler without sessions, CSRF checks and
accounts. That middleware was measured to cost more than storing a step.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any

os.environ.setdefault("GYM_PROCESS", "lab")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

import django
from asgiref.typing import HTTPScope
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.urls import get_resolver

from core.structs.schema import structs_prepare
from core.telemetry.garbage import code_freeze
from core.web.networks import reduce_to_network

API_PREFIX = "/api/"
PULSE = ("/api/v1/heartbeat", "/api/v1/health")
# Number of threads of each lane, per process. Heartbeats wait for nothing, and recording steps waits neither
# for files being stored nor for pages and lists being read.
LANES = {"pulse": 1, "record": 4, "store": 2, "read": 4}


class ApiHandler(WSGIHandler):
    def load_middleware(self, is_async: bool = False) -> None:
        """Load the API's middleware. Django reads only the list in the settings, so swap that for now."""
        pages = settings.MIDDLEWARE
        settings.MIDDLEWARE = settings.API_MIDDLEWARE
        try:
            super().load_middleware(is_async=is_async)
        finally:
            settings.MIDDLEWARE = pages


django.setup(set_prefix=False)
_api = ApiHandler()
_pages = WSGIHandler()

# URLs and views are loaded now, once for all processes, rather than in the first request of each.
_ = get_resolver().url_patterns
structs_prepare()
code_freeze()

from trajectories.record.api import auth  # noqa: E402 - has models


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    handler = _api if environ["PATH_INFO"].startswith(API_PREFIX) else _pages
    return handler(environ, start_response)


def caller_of(scope: HTTPScope) -> Hashable:
    """Return the request's key if this process has checked it recently, or else the client's network.

    Strangers therefore share turns with everyone in their network, however many keys they invent.
    """
    for name, value in scope["headers"]:
        if name == b"authorization" and (key := auth.find_known_key(value.decode("latin-1"))):
            return key
    return reduce_to_network(scope["client"][0]) if scope["client"] else None


def lane_of(method: str, path: str) -> str:
    if path in PULSE:
        return "pulse"
    if method in ("GET", "HEAD") or not path.startswith(API_PREFIX):
        return "read"
    return "store" if method == "PUT" else "record"
