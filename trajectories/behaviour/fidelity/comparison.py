"""The comparison of a rendered replay with the screenshot of the same moment.

A pixel counts as changed if one of its colours differs by more than ``TOLERANCE`` from every pixel at or next
to the same place in the other picture. Letters that are smoothed differently or one pixel off do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageChops, ImageFilter

from trajectories.record.capture import pictures

# The largest difference in one colour, on a scale of 0 to 255, that does not count as a change.
TOLERANCE = 32
# Beyond these limits a replay is not faithful. One lost word exceeds them; docs/recordings.md has the
# figures.
CHANGED_MOST = 0.0001
DISTANCE_MOST = 4
# Browsers may round the size of a scaled window differently.
ROUNDING = 1


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The result of comparing two pictures.

    ``changed_share`` is a share of all pixels, 0 to 1; ``phash_distance`` is the distance of the perceptual
    hashes in bits, 0 to 64; ``difference`` is white where pixels changed, else black.
    """

    changed_share: float
    phash_distance: int
    difference: Image.Image

    @property
    def is_faithful(self) -> bool:
        return self.changed_share <= CHANGED_MOST and self.phash_distance <= DISTANCE_MOST


def pictures_compare(screenshot: Image.Image, replay: Image.Image) -> Compared:
    """Compare two pictures. Raises ``ValueError`` if their sizes differ by more than ``ROUNDING``."""
    one, other = _alike(screenshot.convert("RGB"), replay.convert("RGB"))
    difference = _difference(one, other)
    return Compared(
        changed_share=difference.histogram()[255] / (difference.width * difference.height),
        phash_distance=pictures.distance(pictures.perceptual_hash(one), pictures.perceptual_hash(other)),
        difference=difference,
    )


def is_same_size(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return all(abs(a - b) <= ROUNDING for a, b in zip(one, other, strict=True))


def _alike(one: Image.Image, other: Image.Image) -> tuple[Image.Image, Image.Image]:
    if not is_same_size(one.size, other.size):
        raise ValueError(f"pictures of {one.size} and {other.size} cannot be compared")
    common = (0, 0, min(one.width, other.width), min(one.height, other.height))
    return one.crop(common), other.crop(common)


def _difference(one: Image.Image, other: Image.Image) -> Image.Image:
    difference = Image.new("L", one.size)
    box = _beyond_tolerance(ImageChops.difference(one, other)).getbbox()
    if box is None:
        return difference
    # Filters are slow and most replays differ little, so only the part that differs is filtered.
    left, top, right, bottom = box
    near = (max(left - 1, 0), max(top - 1, 0), min(right + 1, one.width), min(bottom + 1, one.height))
    one, other = one.crop(near), other.crop(near)
    difference.paste(ImageChops.lighter(_beyond(one, other), _beyond(other, one)), near)
    return difference


def _beyond(one: Image.Image, other: Image.Image) -> Image.Image:
    """Mark where a colour of ``one`` is darker or brighter than in every pixel of ``other`` around it."""
    darker = ImageChops.subtract(other.filter(ImageFilter.MinFilter(3)), one)
    brighter = ImageChops.subtract(one, other.filter(ImageFilter.MaxFilter(3)))
    return _beyond_tolerance(ImageChops.lighter(darker, brighter))


def _beyond_tolerance(apart: Image.Image) -> Image.Image:
    red, green, blue = apart.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return most.point(lambda value: 255 * (value > TOLERANCE))
