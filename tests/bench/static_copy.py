"""A static copy of an episode's pages, served from memory without token, database or recording."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("STATIC_COPY", "."))
PAGES = {
    name: (FOLDER / f"{name}.html").read_bytes()
    for name in ("", "done")
    if (FOLDER / f"{name}.html").exists()
}
HTML = ("Content-Type", "text/html; charset=utf-8")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve the first page, whose form leads to the last page."""
    name = environ["PATH_INFO"].rpartition("/")[2]
    if environ["REQUEST_METHOD"] == "POST":
        status = "303 See Other" if name == "submit" else "204 No Content"
        start_response(status, [("Location", "done"), ("Content-Length", "0")])
        return []
    page = PAGES.get(name, b"")
    start_response("200 OK" if page else "404 Not Found", [HTML, ("Content-Length", str(len(page)))])
    return [page]
