"""Pictures of the mock sites, drawn on first request and cached in memory for all episodes.

A picture is determined by its name, and there are only a few thousand names, so nobody can make the server
draw endlessly. Addresses are nevertheless below an episode's, so that a browser caches a picture for that
episode only, and its cache does not reveal what another episode has seen.
"""

from __future__ import annotations

import io
from functools import cache

from django.http import Http404, HttpRequest, HttpResponse

from gymsite.arena import views
from gymsite.arena.drawings.canvas import Drawing
from gymsite.arena.middleware import ImmutableResponse
from gymsite.arena.sites.site import sites

WIDTHS = (320, 800)
QUALITY = 82
# WebP's effort, from 0 to 6. The next level would take twice as long and save a twentieth of the bytes.
METHOD = 2


@views.only("GET", "HEAD")
def site_picture(request: HttpRequest, token: str, name: str, width: int) -> HttpResponse:
    """Serve a picture, which is the same in every episode, at one of two widths. Raises ``Http404``."""
    views.find_episode_id(request, token)
    if width not in WIDTHS or find_drawing(name) is None:
        raise Http404
    return ImmutableResponse(picture_bytes(name, width), content_type="image/webp")


def find_drawing(name: str) -> Drawing | None:
    """Return the function that draws the picture with this name on any site; None if there is none."""
    drawings = (sites.get(site_id).drawing(name) for site_id in sites)
    return next(filter(None, drawings), None)


@cache
def picture_bytes(name: str, width: int) -> bytes:
    """Draw a picture as a WebP file without metadata. Raises ``KeyError`` for an unknown name.

    All pictures together take about 35 MB. Their bytes never vary, except between versions of Pillow.
    """
    drawing = find_drawing(name)
    if drawing is None:
        raise KeyError(name)
    file = io.BytesIO()
    drawing(width).save(file, "WEBP", quality=QUALITY, method=METHOD)
    return file.getvalue()
