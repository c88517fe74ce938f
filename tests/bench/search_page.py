"""The search page, requested over HTTP as a browser does, next to its bare statements in this process.

`python -m tests.bench.search_page LAB_URL RUN` prints a JSON object of lists of milliseconds.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

import django

from tests.bench.search import REPEATS, lists, searches

MS_PER_SECOND = 1000
# Of each table that columns are read from, and both ways.
SORTS = ("-steps", "steps", "outcome", "-duration", "run", "benchmark", "-opened", "-restates")


class Browser:
    """A kept-alive connection with the session of a user who is logged in."""

    def __init__(self, lab: str, session: str) -> None:
        from django.conf import settings

        self._connection = http.client.HTTPConnection(urlsplit(lab).netloc, timeout=120)
        self._headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"}

    def first_byte(self, path: str) -> float:
        """Milliseconds until the first byte of the answer's body."""
        begun = time.perf_counter()
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        response.read(1)
        took = (time.perf_counter() - begun) * MS_PER_SECOND
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status}")
        response.read()
        return took

    def download(self, path: str) -> tuple[int, float]:
        """The number of lines of a download, and the seconds it took."""
        begun, lines = time.perf_counter(), 0
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        while part := response.read(65_536):
            lines += part.count(b"\n")
        return lines, time.perf_counter() - begun


def _address(query: str, filters: dict[str, Any], *, sort: str = "") -> str:
    parameters = {"q": query} if query else {}
    if sort:
        parameters["sort"] = sort
    for name, value in filters.items():
        if name == "duration_min_ms":
            parameters["seconds_min"] = str(value / MS_PER_SECOND)
        else:
            parameters[name] = str(value)
    return f"/search?{urlencode(parameters)}"


def session_make() -> str:
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore

    user, _ = User.objects.get_or_create(username="bench", defaults={"is_staff": True})
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.save()
    return str(store.session_key)


def main(lab: str, run: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from trajectories.lab.search.selectors import Search, search_page

    browser = Browser(lab, session_make())
    browser.first_byte("/search")
    measured: dict[str, list[float]] = {"page": [], "bare": []}
    requests = [*searches(run), *(("", filters) for filters in lists(run))]
    for query, filters in requests:
        search, path = Search(query=query, filters=filters), _address(query, filters)
        for _ in range(REPEATS):
            begun = time.perf_counter()
            search_page(search)
            measured["bare"].append((time.perf_counter() - begun) * MS_PER_SECOND)
            measured["page"].append(browser.first_byte(path))
    measured["grid"] = [
        browser.first_byte(_address("", filters, sort=sort))
        for sort in SORTS
        for filters in lists(run)
        for _ in range(REPEATS)
    ]
    for name, path in (("ids", "/search/ids.txt?q=check"), ("facts", "/search/facts.csv?arm=gym")):
        lines, seconds = browser.download(path)
        measured[name] = [float(lines), seconds]
    print(json.dumps(measured))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
