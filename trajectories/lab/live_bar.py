"""The live bar of a page that receives updates."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from core.live_address import live_url, socket_origin


def live_bar(request: HttpRequest, *, path: str, part: str, latest: str = "") -> dict[str, Any]:
    """The context of ``lab/shared/_live_bar.html``.

    ``path`` is the path of the live socket, ``part`` the id of the element to fetch again on updates, and
    ``latest`` the address of the newest item, empty if there is none.
    """
    origin = socket_origin(live_url(request))
    return {
        "socket": f"{origin}{path}" if origin else "",
        "part": part,
        "latest": latest,
        "here": request.get_full_path(),
    }
