"""The booking site's pictures by name."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from core.draws import Draws
from gymsite.arena.drawings import fronts, rooms, scenery, waters
from gymsite.arena.drawings.canvas import Drawing
from gymsite.arena.drawings.lights import LIGHTS, Scene
from tasks_app.worlds.stays.pictures import Picture, picture_read

SUBJECTS: dict[str, Callable[[Scene], None]] = {
    "hotel": fronts.hotel,
    "apartments": fronts.apartments,
    "guesthouse": fronts.guesthouse,
    "cottage": fronts.cottage,
    "warehouse": fronts.warehouse,
    "villa": fronts.villa,
    **rooms.BEDROOMS,
    "lounge": rooms.lounge,
    "table": rooms.table,
    "stairs": rooms.stairs,
    "bridge": waters.bridge,
    "castle": scenery.castle,
    "harbour": waters.harbour,
    "hills": scenery.hills,
    "lake": waters.lake,
    "lighthouse": waters.lighthouse,
    "market": scenery.market,
    "park": scenery.park,
    "roofs": scenery.roofs,
    "street": scenery.street,
    "tower": scenery.tower,
}


def drawing(name: str) -> Drawing | None:
    """Return the function that draws the named picture. Names with the same number show the same place."""
    picture = picture_read(name)
    return None if picture is None else lambda width: _image(picture, width)


def _image(picture: Picture, width: int) -> Image.Image:
    draws = Draws("places", picture.subject, picture.number)
    scene = Scene(width=width, light=LIGHTS[picture.light], draws=draws)
    SUBJECTS[picture.subject](scene)
    return scene.picture()
