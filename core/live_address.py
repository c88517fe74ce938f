"""Where a page of the lab finds live: the address that its reader can reach with the lab's cookie."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

SOCKET_SCHEMES = {"http": "ws", "https": "wss"}


def live_url(request: HttpRequest) -> str:
    """Live's address for whoever asked ``request``.

    A cookie belongs to a host name, whatever the port. Where lab and live share one, a page that was asked
    for by another name of the same machine (``localhost``, an address in the network) finds live by that
    name; ``live.access`` takes its session then.
    """
    lab, live = urlsplit(settings.LAB_URL), urlsplit(settings.LIVE_URL)
    if live.hostname is None or live.hostname != lab.hostname:
        return str(settings.LIVE_URL)
    try:
        asked = request.get_host()
    except DisallowedHost:
        return str(settings.LIVE_URL)
    if (lab.scheme, lab.netloc) == (live.scheme, live.netloc):
        return f"{live.scheme}://{asked}"
    name = urlsplit(f"//{asked}").hostname or ""
    host = f"[{name}]" if ":" in name else name
    return f"{live.scheme}://{host}{_port(live)}"


def socket_origin(url: str) -> str:
    """The origin of live's sockets, empty where the address is none."""
    parts = urlsplit(url)
    if parts.scheme not in SOCKET_SCHEMES or not parts.netloc:
        return ""
    return f"{SOCKET_SCHEMES[parts.scheme]}://{parts.netloc}"


def _port(parts: SplitResult) -> str:
    return f":{parts.port}" if parts.port else ""
