"""WSGI application of the arena."""

from __future__ import annotations

import os
from collections.abc import Hashable

os.environ.setdefault("GYM_PROCESS", "arena")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

from asgiref.typing import HTTPScope
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from core.structs.schema import structs_prepare
from core.telemetry.garbage import collect_seldom
from gymsite.arena.template_engine import templates_prepare

PULSE = "/healthz"
# Number of threads of each lane, per process.
LANES = {"pulse": 1, "pages": 4}

application = get_wsgi_application()

# URLs, question kinds and templates are loaded now rather than in the first episode.
_ = get_resolver().url_patterns
structs_prepare()
templates_prepare()
collect_seldom()


def caller_of(_scope: HTTPScope) -> Hashable:
    """Return None, the same caller for all requests: agents take no turns, since each has a rate limit."""
    return None


def lane_of(_method: str, path: str) -> str:
    return "pulse" if path == PULSE else "pages"
