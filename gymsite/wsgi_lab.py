"""The lab's door: REST API and researchers' pages.

The API has keys and no cookies, so its requests go through a handler of their own, without sessions, CSRF
and accounts: measured, that middleware costs more than storing a step.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

os.environ.setdefault("GYM_PROCESS", "lab")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

API_PREFIX = "/api/"


class ApiHandler(WSGIHandler):
    def load_middleware(self, is_async: bool = False) -> None:
        """Django reads the list from the settings and from nowhere else."""
        pages = settings.MIDDLEWARE
        settings.MIDDLEWARE = settings.API_MIDDLEWARE
        try:
            super().load_middleware(is_async=is_async)
        finally:
            settings.MIDDLEWARE = pages


django.setup(set_prefix=False)
_api = ApiHandler()
_pages = WSGIHandler()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    handler = _api if environ["PATH_INFO"].startswith(API_PREFIX) else _pages
    return handler(environ, start_response)
