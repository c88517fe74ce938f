"""Access control for a served door: a token is required, except for programs on this machine if none is set.

A web page open in a browser on this machine must not get in, although the browser can reach the loopback
address, either directly or through a host name that resolves to it (DNS rebinding). This is why ``Host`` and
``Origin`` are checked.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

TOKEN_SETTING = "PALAESTRA_DOOR_TOKEN"
TOKEN_MIN = 16
POLICY_VIOLATION = 1008
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Return whether a host (an IP address or a name) can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def token_check(token: str, *, host: str) -> None:
    """Raise ``ValueError`` if the token is too short, or empty although other machines can reach ``host``."""
    if not token and not is_loopback(host):
        raise ValueError(f"{host} can be reached from other machines: put a token into {TOKEN_SETTING}.")
    if token and len(token) < TOKEN_MIN:
        raise ValueError(f"The token has fewer than {TOKEN_MIN} characters.")


class Admission:
    """ASGI middleware that refuses requests from elsewhere.

    If there is a ``token``, a request needs ``Authorization: Bearer <token>``. Otherwise its ``Host``, and
    its ``Origin`` if it has one, must be loopback addresses.
    """

    def __init__(self, app: App, *, token: str = "") -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_admitted(scope["headers"]):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await self._refuse(send)

    def _is_admitted(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        given = {name: [value for key, value in headers if key == name] for name, _ in headers}
        if self._token:
            tokens = given.get(b"authorization", [])
            return len(tokens) == 1 and hmac.compare_digest(tokens[0], b"Bearer " + self._token)
        hosts, origins = given.get(b"host", []), given.get(b"origin", [])
        return len(hosts) == 1 and _is_local(b"//" + hosts[0]) and all(map(_is_local, origins))

    async def _refuse(self, send: Send) -> None:
        status = 401 if self._token else 403
        body = b"This is not the door's token." if self._token else b"This door serves its own machine."
        headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _is_local(address: bytes) -> bool:
    try:
        return is_loopback(urlsplit(address.decode("latin-1")).hostname or "")
    except ValueError:
        return False
