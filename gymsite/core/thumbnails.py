"""Small WebP pictures of screenshots, beside the blobs they are made from."""

from __future__ import annotations

import io
import logging
import warnings

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from PIL import Image, UnidentifiedImageError

from gymsite.core import blobs

logger = logging.getLogger(__name__)

SIZE = (320, 240)
QUALITY = 70
PIXELS_MAX = 40_000_000  # a picture that claims more is a bomb, not a screenshot
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


def thumbnail_make(sha256: str) -> bool:
    """Make the thumbnail of a picture once; False when the blob is no picture that can be read safely."""
    storage = storages["blobs"]
    if storage.exists(_name(sha256)):
        return True
    try:
        with blobs.blob_open(sha256) as source, warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(source, formats=FORMATS)
            if picture.width * picture.height > PIXELS_MAX:
                return False
            picture.thumbnail(SIZE)
            small = io.BytesIO()
            picture.convert("RGB").save(small, "WEBP", quality=QUALITY)
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombWarning,
    ) as error:
        logger.info("blob %s gets no thumbnail: %s", sha256, error)
        return False
    storage.save(_name(sha256), ContentFile(small.getvalue()))
    return True


def thumbnail_response(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """The thumbnail, or the picture itself while there is none."""
    storage = storages["blobs"]
    if not storage.exists(_name(sha256)):
        return blobs.blob_response(request, sha256)
    response = FileResponse(storage.open(_name(sha256)), content_type="image/webp")
    response["Cache-Control"] = f"private, max-age={blobs.YEAR_S}, immutable"
    response["Content-Security-Policy"] = "sandbox"
    return response


def _name(sha256: str) -> str:
    return f"thumbnails/{sha256[:2]}/{sha256}.webp"
