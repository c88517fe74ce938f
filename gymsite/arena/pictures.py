"""Pictures of the mock sites: drawn on the first request, and cached in memory for every episode.

A name says all that is drawn and is one of a few thousand, so nobody can make the server draw without end. An
address lies below an episode all the same: a browser caches a picture for its episode alone, and cannot tell
from it what another episode has seen.
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
    """A picture by its name, at one of two widths. No query: pictures do not depend on the episode."""
    views.episode_id_of(request, token)
    if width not in WIDTHS or drawing_of(name) is None:
        raise Http404
    return ImmutableResponse(picture_bytes(name, width), content_type="image/webp")


def drawing_of(name: str) -> Drawing | None:
    """The drawing with this name, of any site; None when there is none."""
    drawings = (sites.get(site_id).drawing(name) for site_id in sites)
    return next(filter(None, drawings), None)


@cache
def picture_bytes(name: str, width: int) -> bytes:
    """The WebP file of a picture, without metadata; ``KeyError`` for an unknown name.

    All pictures together take some 35 MB. The bytes are the same on every run, but may change with Pillow.
    """
    drawing = drawing_of(name)
    if drawing is None:
        raise KeyError(name)
    file = io.BytesIO()
    drawing(width).save(file, "WEBP", quality=QUALITY, method=METHOD)
    return file.getvalue()
