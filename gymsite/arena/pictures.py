"""Pictures of the mock sites: drawn on the first request, and cached in memory for every episode.

A name determines the picture and is one of a few thousand, so nobody can make the server draw without end.
Addresses lie below an episode all the same: a browser then caches a picture for that episode alone, and its
cache reveals nothing of what another episode has seen.
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
# From 0 to 6; the next level takes twice as long and saves a twentieth of the bytes.
METHOD = 2


@views.only("GET", "HEAD")
def site_picture(request: HttpRequest, token: str, name: str, width: int) -> HttpResponse:
    """Serve a picture, the same in every episode, at one of two widths. Raises ``Http404``."""
    views.find_episode_id(request, token)
    if width not in WIDTHS or find_drawing(name) is None:
        raise Http404
    return ImmutableResponse(picture_bytes(name, width), content_type="image/webp")


def find_drawing(name: str) -> Drawing | None:
    """Find the drawing with this name, of any site; None when there is none."""
    drawings = (sites.get(site_id).drawing(name) for site_id in sites)
    return next(filter(None, drawings), None)


@cache
def picture_bytes(name: str, width: int) -> bytes:
    """Draw a picture as a WebP file without metadata. Raises ``KeyError`` for an unknown name.

    All pictures together take some 35 MB. The bytes are the same on every run, but may change with Pillow.
    """
    drawing = find_drawing(name)
    if drawing is None:
        raise KeyError(name)
    file = io.BytesIO()
    drawing(width).save(file, "WEBP", quality=QUALITY, method=METHOD)
    return file.getvalue()
