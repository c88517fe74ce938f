"""The address at which the lab's pages reach the live server with the lab's cookie, and time limits."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

# Time limits for calls to the live server that wait for something.
TIMEOUT_DEFAULT_S = 20.0
TIMEOUT_MAX_S = 60.0

SOCKET_SCHEMES = {"http": "ws", "https": "wss"}


def live_url(request: HttpRequest) -> str:
    """Return the address at which the client of ``request`` can reach the live server.

    A cookie belongs to a host name, whatever the port. If the lab and the live server share a host name and
    a page is requested under another name of that machine (``localhost``, an IP address), the address
    returned has that name too, so that ``live.access`` receives the page's session cookie.
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
    """Return the origin of the WebSockets at an address, or "" if it is not an HTTP address."""
    parts = urlsplit(url)
    if parts.scheme not in SOCKET_SCHEMES or not parts.netloc:
        return ""
    return f"{SOCKET_SCHEMES[parts.scheme]}://{parts.netloc}"
