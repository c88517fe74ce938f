"""Pages of the lab, requested over HTTP as a browser does, by a process of the installation.

`python -m tests.bench.loads LAB_URL LOADS PAUSE_S PATH ...` prints a JSON object with the milliseconds to the
first byte for each path, which take turns with a pause after each, and with the cookie of a login.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import django

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MS_PER_SECOND = 1000


class Browser:
    """A keep-alive connection with the session of a logged-in user."""

    def __init__(self, lab: str, session: str) -> None:
        from django.conf import settings

        self._connection = http.client.HTTPConnection(urlsplit(lab).netloc, timeout=120)
        self._headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"}

    def first_byte(self, path: str) -> float:
        """Return the milliseconds until the first byte of the response's body."""
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
        """Return the number of lines in a download, and the seconds that it took."""
        begun, lines = time.perf_counter(), 0
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        while part := response.read(65_536):
            lines += part.count(b"\n")
        return lines, time.perf_counter() - begun


def session_make(user: User | None = None) -> str:
    """Log in ``user``, by default a researcher, and return the cookie."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore

    if user is None:
        user, _ = User.objects.get_or_create(username="bench", defaults={"is_staff": True})
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.save()
    return str(store.session_key)


def main(lab: str, loads: int, pause_s: float, paths: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    session = session_make()
    browser = Browser(lab, session)
    times: dict[str, list[float]] = {path: [] for path in paths}
    for _ in range(loads):
        for path in paths:
            times[path].append(browser.first_byte(path))
            time.sleep(pause_s)
    print(json.dumps({"times": times, "cookie": session}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
