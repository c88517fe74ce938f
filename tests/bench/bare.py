"""The floor for step recording: a Django WSGI view that only does one INSERT of the body.

There is no key, no JSON and no rule. It is served by granian without a door, with the lab's pool and
database.
"""

from __future__ import annotations

import os
from typing import Any

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

from core.database.addresses import django_database

TABLE = (
    "CREATE TABLE IF NOT EXISTS bench_bare"
    " (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)"
)


def insert(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_bare (body) VALUES (%s)", [request.body.decode()])
    return HttpResponse(b"{}", content_type="application/json", headers={"Content-Length": "2"})


urlpatterns = [path("insert", insert)]


def make_application() -> Any:
    settings.configure(
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=__name__,
        MIDDLEWARE=[],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                **django_database(os.environ["DATABASE_URL"]),
                "CONN_MAX_AGE": 0,
                "CONN_HEALTH_CHECKS": False,  # the floor is never asked for the same thing twice
                "OPTIONS": {"pool": {"min_size": 1, "max_size": 4}, "prepare_threshold": 2},
            }
        },
    )
    django.setup(set_prefix=False)
    return WSGIHandler()


if os.environ.get("DATABASE_URL") and not settings.configured:
    application = make_application()
