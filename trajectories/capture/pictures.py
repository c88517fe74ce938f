"""What the media worker finds in a screenshot: thumbnail, size, perceptual hash."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from core import blobs, thumbnails
from core.sweep import Due
from trajectories.capture import perceptual_hash
from trajectories.models import Picture

# Those under way are not late yet; and a row may appear so much later than its time says.
LATE_S = 5

_DUE = """
SELECT b.created_at, b.sha256 FROM trajectories_blob b
WHERE b.content_type LIKE 'image/%%' AND b.created_at >= %(since)s
    AND b.created_at < now() - make_interval(secs => %(late)s)
    AND NOT EXISTS (SELECT FROM trajectories_picture p WHERE p.sha256 = b.sha256)
ORDER BY b.created_at, b.sha256 LIMIT %(limit)s"""


def picture_note(sha256: str) -> bool:
    """Make the thumbnail and note size and hash; False when the picture cannot be read.

    A second time changes nothing, unless it could not be read the first time. Raises ``OSError`` when storage
    does not answer; the picture is then as unseen as before.
    """
    if Picture.objects.filter(pk=sha256, state=Picture.State.OK).exists():
        return True
    try:
        blobs.blob_open(sha256).close()
    except FileNotFoundError:
        return _noted(sha256)
    # Noted beforehand: a picture that ends the process that looks at it is not looked at again and again.
    _noted(sha256)
    picture = thumbnails.picture_read(sha256)
    if picture is None:
        return False
    # Shrinking changes the picture, so it comes last.
    found = {
        "width": picture.width,
        "height": picture.height,
        "phash": perceptual_hash.perceptual_hash(picture),
    }
    thumbnails.thumbnail_save(sha256, picture)
    Picture.objects.filter(pk=sha256).update(state=Picture.State.OK, **found)
    return True


def pictures_due(*, since: datetime, limit: int) -> list[Due[str]]:
    """Pictures that came since a time and that nobody has looked at, the first first."""
    with connection.cursor() as cursor:
        cursor.execute(_DUE, {"since": since, "late": LATE_S, "limit": limit})
        return [Due(*row) for row in cursor.fetchall()]


def _noted(sha256: str) -> bool:
    row = Picture(sha256=sha256, state=Picture.State.UNREADABLE)
    Picture.objects.bulk_create([row], ignore_conflicts=True)
    return False
