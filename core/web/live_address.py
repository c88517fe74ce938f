"""Address of the live server for the lab's pages, reached with the lab's cookie, and its time limit."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

# How long a call to live may wait.
TIMEOUT_DEFAULT_S = 20.0
TIMEOUT_MAX_S = 60.0

SOCKET_SCHEMES = {"http": "ws", "https": "wss"}


def live_url(request: HttpRequest) -> str:
    """Return live's address as the client of ``request`` can reach it.

    A cookie belongs to a host name, whatever the port. Where lab and live share one, a page requested under
    another name of the same machine (``localhost``, an address in the network) gets live's address under
    that name, so that ``live.access`` receives its session.
    """
    lab, live = urlsplit(settings.LAB_URL), urlsplit(settings.LIVE_URL)
    if live.hostname is None or live.hostname != lab.hostname:
        return str(settings.LIVE_URL)
    try:
        host = request.get_host()
    except DisallowedHost:
        return str(settings.LIVE_URL)
    if (lab.scheme, lab.netloc) == (live.scheme, live.netloc):
        return f"{live.scheme}://{host}"
    name = urlsplit(f"//{host}").hostname or ""
    port = f":{live.port}" if live.port else ""
    return f"{live.scheme}://[{name}]{port}" if ":" in name else f"{live.scheme}://{name}{port}"


def socket_origin(url: str) -> str:
    """Return the origin of live's sockets, or an empty text if the address has none."""
    parts = urlsplit(url)
    if parts.scheme not in SOCKET_SCHEMES or not parts.netloc:
        return ""
    return f"{SOCKET_SCHEMES[parts.scheme]}://{parts.netloc}"
