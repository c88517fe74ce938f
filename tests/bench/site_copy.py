"""A copy of an arena's pages, which are fetched once per token and URL and then served from memory.

``COPY_OF`` is the arena's URL. The first time that a form is sent, it goes to the arena, so that the pages
after it exist there. Recorders' reports are discarded.
"""

from __future__ import annotations

import http.client
import os
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

Answer = tuple[str, list[tuple[str, str]], bytes]
COPIED_HEADERS = {"content-type", "location"}
COPIED: dict[tuple[str, str], Answer] = {}
RECORDERS = ("/events", "/recording")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    if path.endswith(RECORDERS):
        start_response("204 No Content", [("Content-Length", "0")])
        return []
    address = f"{path}?{environ['QUERY_STRING']}" if environ.get("QUERY_STRING") else path
    if (method, address) not in COPIED:
        COPIED[method, address] = _had(method, address, body)
    status, headers, content = COPIED[method, address]
    start_response(status, [*headers, ("Content-Length", str(len(content)))])
    return [content]


def _had(method: str, address: str, body: bytes) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(os.environ["COPY_OF"]).netloc)
    connection.request(method, address, body, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    headers = [(name, value) for name, value in answer.getheaders() if name.lower() in COPIED_HEADERS]
    return f"{answer.status} {answer.reason}", headers, content
