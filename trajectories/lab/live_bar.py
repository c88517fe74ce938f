"""The bar of a page that follows what is under way."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from core.live_address import live_url, socket_origin


def live_bar(request: HttpRequest, *, path: str, part: str, latest: str = "") -> dict[str, Any]:
    """The context of ``lab/shared/_live_bar.html``.

    ``path`` is that of live's socket, ``part`` the id of what is fetched again when there is news, and
    ``latest`` where the newest of it is, empty where there is no such place.
    """
    origin = socket_origin(live_url(request))
    return {
        "socket": f"{origin}{path}" if origin else "",
        "part": part,
        "latest": latest,
        "here": request.get_full_path(),
    }
