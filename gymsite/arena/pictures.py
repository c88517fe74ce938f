"""Pictures of the mock sites: drawn when they are first asked for, and kept in memory.

A name says all that is drawn and is one of a few thousand, so that nobody can make the server draw without
end, and what is kept serves every episode. An address lies below an episode all the same: a browser keeps a
picture for its episode alone, and none can tell from it what another has seen.
"""

from __future__ import annotations

import io
from functools import cache

from django.http import Http404, HttpRequest, HttpResponse

from gymsite.arena import views
from gymsite.arena.drawings.canvas import Canvas, Drawing
from gymsite.arena.middleware import Kept
from gymsite.arena.sites.site import sites

WIDTHS = (320, 800)
QUALITY = 82
# Of 0 to 6: twice as long for the next would save a twentieth of the bytes.
METHOD = 2


@views.only("GET", "HEAD")
def site_picture(request: HttpRequest, token: str, name: str, width: int) -> HttpResponse:
    """A picture by its name, at one of two widths. No database is asked: a picture tells of no episode."""
    views.episode_id_of(token)
    if width not in WIDTHS or drawing_of(name) is None:
        raise Http404
    return Kept(picture_bytes(name, width), content_type="image/webp")


def drawing_of(name: str) -> Drawing | None:
    """How the picture of a name is drawn, of whichever site it is; None when there is none."""
    found = (sites.get(site_id).drawing(name) for site_id in sites)
    return next((drawing for drawing in found if drawing), None)


@cache
def picture_bytes(name: str, width: int) -> bytes:
    """The WebP file of a picture: nothing in it but its dots. ``KeyError`` for what is no name.

    All that there are take some 35 MB. The same bytes on every run; another Pillow may make others of the
    same drawing.
    """
    drawing = drawing_of(name)
    if drawing is None:
        raise KeyError(name)
    canvas = Canvas(width=width)
    drawing(canvas)
    file = io.BytesIO()
    canvas.picture().save(file, "WEBP", quality=QUALITY, method=METHOD)
    return file.getvalue()
