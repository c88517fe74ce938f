"""Analysis of screenshots: size and perceptual hash, and a thumbnail when somebody first opens one."""

from __future__ import annotations

import math
from operator import mul
from statistics import median

from PIL import Image

from core.database.sql import Statement
from core.storage import blobs, thumbnails
from core.work.sweep import PAGE, Place, Seen
from trajectories.models import Blob, Picture

SIDE = 32
FREQUENCIES = 8
BITS = FREQUENCIES * FREQUENCIES
# In a picture of one colour all frequencies but one are zero, and rounding errors must not become bits.
DECIMALS = 6

_WAVES = tuple(
    tuple(math.cos(math.pi * (2 * x + 1) * u / (2 * SIDE)) for x in range(SIDE)) for u in range(FREQUENCIES)
)
# Side length in pixels. The worker that reads a larger picture makes its thumbnail, so that the lab need not.
SIDE_MAX = 4_096


def perceptual_hash(picture: Image.Image) -> str:
    """Return the perceptual hash of a picture: 64 bits as 16 hexadecimal digits."""
    grey = picture.convert("L").resize((SIDE, SIDE), Image.Resampling.LANCZOS).tobytes()
    rows = [grey[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE)]
    across = [[_sum(wave, row) for wave in _WAVES] for row in rows]
    columns = list(zip(*across, strict=True))
    low = [round(_sum(wave, column), DECIMALS) for wave in _WAVES for column in columns]
    middle = median(low)
    bits = sum((value > middle) << (BITS - 1 - place) for place, value in enumerate(low))
    return f"{bits:016x}"


def distance(one: str, other: str) -> int:
    """Return the number of bits, out of 64, in which two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def _sum(wave: tuple[float, ...], values: bytes | tuple[float, ...]) -> float:
    return float(sum(map(mul, wave, values)))


AFTER = Statement(__file__, "after")


def picture_note(sha256: str) -> bool:
    """Store a picture's size and hash. Return False if it cannot be read.

    A second call changes nothing unless the picture could not be read the first time. Raises ``OSError``,
    without storing anything, when the storage is unreachable.
    """
    if Picture.objects.filter(pk=sha256, state=Picture.State.OK).exists():
        return True
    try:
        blobs.blob_open(sha256).close()
    except FileNotFoundError:
        return _mark_unreadable(sha256)
    # Mark it before reading, so that a picture that kills its process is not tried again and again.
    _mark_unreadable(sha256)
    picture = thumbnails.picture_read(sha256)
    if picture is None:
        return False
    columns = {"width": picture.width, "height": picture.height, "phash": perceptual_hash(picture)}
    Picture.objects.filter(pk=sha256).update(state=Picture.State.OK, **columns)
    if max(picture.size) > SIDE_MAX:
        thumbnails.thumbnail_save(sha256, picture)
    return True


def thumbnail_ensure(sha256: str) -> None:
    """Make the thumbnail if it does not exist yet.

    Thumbnails wait until somebody looks, because few people do and shrinking costs more than all other work
    on a picture. Huge pictures get none, nor do pictures from a client that no worker could read.
    """
    if thumbnails.thumbnail_exists(sha256) or not _is_harmless(sha256):
        return
    picture = thumbnails.picture_read(sha256)
    if picture is not None:
        thumbnails.thumbnail_save(sha256, picture)


def pictures_after(place: Place[str], age_s: float) -> list[Seen[str]]:
    """Return the next page of pictures that arrived at least ``age_s`` seconds ago.

    Pictures without a row of their own are due.
    """
    return [Seen(*row) for row in AFTER.rows(since=place.since, key=place.key, age=age_s, limit=PAGE)]


def _is_harmless(sha256: str) -> bool:
    if Blob.objects.filter(pk=sha256).exists():
        is_small = {"width__lte": SIDE_MAX, "height__lte": SIDE_MAX}
        return Picture.objects.filter(pk=sha256, state=Picture.State.OK, **is_small).exists()
    # This is a picture of a task; it was read and converted to a plain PNG when its benchmark was loaded.
    size = thumbnails.picture_size(sha256)
    return size is not None and max(size) <= SIDE_MAX


def _mark_unreadable(sha256: str) -> bool:
    row = Picture(sha256=sha256, state=Picture.State.UNREADABLE)
    Picture.objects.bulk_create([row], ignore_conflicts=True)
    return False
