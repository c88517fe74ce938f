"""Thumbnails of screenshots: WebP files stored next to their blobs."""

from __future__ import annotations

import io
import logging
import struct
import warnings
import zlib
from functools import cache
from typing import IO

from django.core.files.storage import storages
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from PIL import Image, UnidentifiedImageError

from core.storage import blobs, durable_files

logger = logging.getLogger(__name__)

SIZE = (320, 240)
QUALITY = 70
BLANK = (127, 127, 127)
PIXELS_MAX = 40_000_000  # anything larger is a decompression bomb, not a screenshot
# Exceptions that Pillow raises for malformed files.
UNREADABLE = (
    UnidentifiedImageError,
    Image.DecompressionBombWarning,
    Image.DecompressionBombError,
    EOFError,
    IndexError,
    OSError,
    OverflowError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


def picture_read(sha256: str) -> Image.Image | None:
    """Decode the first frame of a blob's picture, in RGB; return None if that cannot be done safely."""
    try:
        with blobs.blob_open(sha256) as source:
            picture = picture_open(source)
    except OSError as error:
        logger.info("blob %s cannot be read: %s", sha256, error)
        return None
    if picture is None:
        logger.info("blob %s is not a readable picture", sha256)
    return picture


def picture_open(source: IO[bytes]) -> Image.Image | None:
    """Decode the first frame of an uploaded picture, in RGB; return None if that cannot be done safely."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(source, formats=FORMATS)
            if picture.width * picture.height > PIXELS_MAX:
                return None
            return picture.convert("RGB")
    except UNREADABLE as error:
        logger.info("a picture cannot be read: %s", error)
        return None


def picture_size(sha256: str) -> tuple[int, int] | None:
    """Read width and height in pixels from the file's header; return None if the blob is not a picture."""
    try:
        with blobs.blob_open(sha256) as source, warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return Image.open(source, formats=FORMATS).size
    except UNREADABLE:
        return None


def thumbnail_exists(sha256: str) -> bool:
    """Return whether the blob has a thumbnail."""
    is_name = bool(blobs.SHA256.match(sha256))
    return is_name and bool(durable_files.file_size(storages["blobs"], _name(sha256)))


def thumbnail_save(sha256: str, picture: Image.Image) -> None:
    """Shrink the picture in place and store it as the blob's thumbnail, unless there is one."""
    storage = storages["blobs"]
    if durable_files.file_size(storage, _name(sha256)):
        return
    picture.thumbnail(SIZE)
    with durable_files.part_open(storage) as part:
        picture.save(part, "WEBP", quality=QUALITY)
        durable_files.part_keep(storage, part, name=_name(sha256))


def thumbnail_delete(sha256: str) -> None:
    """Delete the blob's thumbnail, if there is one."""
    storages["blobs"].delete(_name(sha256))


def thumbnail_read(sha256: str) -> Image.Image | None:
    """Open the thumbnail as a picture; return None if it has not been made."""
    storage = storages["blobs"]
    if not blobs.SHA256.match(sha256) or not durable_files.file_size(storage, _name(sha256)):
        return None
    with storage.open(_name(sha256)) as source:
        return Image.open(source, formats=("WEBP",)).convert("RGB")


def thumbnail_response(sha256: str) -> HttpResponseBase:
    """Serve the thumbnail, or a blank one until it has been made. Raises ``Http404`` if there is no blob.

    Lists never load the full pictures, which are a hundred times as large.
    """
    storage = storages["blobs"]
    if thumbnail_exists(sha256):
        response: HttpResponseBase = FileResponse(storage.open(_name(sha256)), content_type="image/webp")
        response["Cache-Control"] = f"private, max-age={blobs.YEAR_S}, immutable"
    else:
        blobs.check_sha256(sha256)
        if not blobs.blob_exists(sha256):
            raise Http404(blobs.NOT_STORED)
        response = HttpResponse(_blank(), content_type="image/webp")
        response["Cache-Control"] = "no-store"
    response["Content-Security-Policy"] = "sandbox"
    return response


@cache
def _blank() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", SIZE, BLANK).save(data, "WEBP", quality=QUALITY)
    return data.getvalue()


def _name(sha256: str) -> str:
    return f"thumbnails/{sha256[:2]}/{sha256}.webp"
