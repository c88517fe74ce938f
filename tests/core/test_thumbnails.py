from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.http import Http404
from PIL import Image

from core.storage import blobs, thumbnails

# A response that is closed looks at the connection of the tests before.
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_storage(tmp_path: Path, settings: Any) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


def _picture(kind: str = "PNG", mode: str = "RGB") -> str:
    data = io.BytesIO()
    Image.new(mode, (1280, 720), 1).save(data, kind)
    return blobs.blob_store(data.getvalue()).sha256


def _png_bomb() -> bytes:
    """A small file that claims 50,000 by 50,000 pixels."""
    header = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


def thumbnail_made(sha256: str) -> bool:
    picture = thumbnails.picture_read(sha256)
    if picture is not None:
        thumbnails.thumbnail_save(sha256, picture)
    return picture is not None


@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("JPEG", "CMYK"), ("WEBP", "RGB"), ("GIF", "P")]
)
def test_a_picture_gets_a_small_webp_thumbnail(kind: str, mode: str) -> None:
    sha256 = _picture(kind, mode)
    assert thumbnail_made(sha256)
    response = thumbnails.thumbnail_response(sha256)
    assert response["Content-Type"] == "image/webp"
    small = Image.open(io.BytesIO(b"".join(response)))
    response.close()
    assert small.size == (320, 180)


def test_until_there_is_a_thumbnail_a_blank_one_is_shown_and_never_the_whole_picture() -> None:
    sha256 = _picture()
    response = thumbnails.thumbnail_response(sha256)
    assert (response["Content-Type"], response["Cache-Control"]) == ("image/webp", "no-store")
    assert Image.open(io.BytesIO(b"".join(response))).size == thumbnails.SIZE
    assert not thumbnails.thumbnail_exists(sha256)


def test_without_its_blob_there_is_no_thumbnail() -> None:
    with pytest.raises(Http404):
        thumbnails.thumbnail_response("0" * 64)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n broken", b"<svg onload=alert(1)>", b"", _png_bomb()])
def test_a_blob_that_is_not_a_picture_gets_no_thumbnail(data: bytes) -> None:
    sha256 = blobs.blob_store(data).sha256
    assert not thumbnail_made(sha256)


def test_a_missing_blob_gets_no_thumbnail() -> None:
    assert not thumbnail_made("0" * 64)


def test_making_a_thumbnail_twice_stores_one(tmp_path: Path) -> None:
    sha256 = _picture()
    thumbnail_made(sha256)
    thumbnail_made(sha256)
    assert storages["blobs"].exists(f"thumbnails/{sha256[:2]}/{sha256}.webp")
    assert len(list((tmp_path / "thumbnails").rglob("*.webp"))) == 1
