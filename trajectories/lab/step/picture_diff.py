"""Where two screenshots differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageChops

from core import thumbnails

# Both are shrunk to this width first: enough to find a changed word, little enough for a page.
WIDTH = 800
PIXELS_MOST = 1_200_000
# Of 255: compression and the smoothing of letters stay below.
TOLERANCE = 24

State = Literal["same", "changed", "other_size", "missing"]


@dataclass(frozen=True, kw_only=True)
class PicturesCompared:
    """``box`` (x, y, width, height) and ``share`` are parts of the picture, 0 to 1."""

    state: State
    box: tuple[float, float, float, float] | None = None
    share: float = 0.0


def pictures_compared(before: str, after: str) -> PicturesCompared:
    """Two blobs' pictures by their hashes, an empty one for none; large ones are compared shrunk."""
    if before and before == after:
        return PicturesCompared(state="same")
    one, other = _read(before), _read(after)
    if one is None or other is None:
        return PicturesCompared(state="missing")
    if one.size != other.size:
        return PicturesCompared(state="other_size")
    return _difference(one, other)


def _read(sha256: str) -> Image.Image | None:
    picture = thumbnails.picture_read(sha256) if sha256 else None
    if picture is None:
        return None
    picture.thumbnail((WIDTH, PIXELS_MOST // WIDTH))
    return picture


def _difference(one: Image.Image, other: Image.Image) -> PicturesCompared:
    apart = ImageChops.difference(one, other).convert("L").point(lambda value: 255 * (value > TOLERANCE))
    box = apart.getbbox()
    if box is None:
        return PicturesCompared(state="same")
    width, height = apart.size
    left, top, right, bottom = box
    return PicturesCompared(
        state="changed",
        box=(left / width, top / height, (right - left) / width, (bottom - top) / height),
        share=apart.histogram()[255] / (width * height),
    )
