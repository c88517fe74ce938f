"""Conversion of a request to a WSGI environment (PEP 3333)."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from asgiref.typing import HTTPScope

from gymsite.door.bodies import Body

BASE = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}
WITHOUT_PREFIX = {"CONTENT_TYPE", "CONTENT_LENGTH"}
NAMES_CACHED = 256
PARTS_JOINED_BY = {"HTTP_COOKIE": "; "}


def environ_make(scope: HTTPScope, body: Body) -> dict[str, Any]:
    """Build the WSGI environment of a request."""
    server, client = scope["server"] or ("", None), scope["client"] or ("", 0)
    path = scope["raw_path"]
    environ: dict[str, Any] = {
        **BASE,
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or ""),
        "REMOTE_ADDR": client[0],
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body.file,
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = _variable(raw_name), raw_value.decode("latin-1")
        if name in environ:
            value = f"{environ[name]}{PARTS_JOINED_BY.get(name, ',')}{value}"
        if name:
            environ[name] = value
    environ["CONTENT_LENGTH"] = str(body.size) if body.size or "CONTENT_LENGTH" in environ else ""
    return environ


@lru_cache(maxsize=NAMES_CACHED)
def _variable(name: bytes) -> str:
    """Return a header's variable, or "" if its name has an underscore and so could pose as another header."""
    if b"_" in name:
        return ""
    variable = name.decode("latin-1").upper().replace("-", "_")
    return variable if variable in WITHOUT_PREFIX else f"HTTP_{variable}"
