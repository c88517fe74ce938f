"""Conversion of untrusted picture files into plain PNGs, with a reason if that is impossible."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
PIXELS_MAX = 40_000_000  # same as for screenshots; below the limit at which Pillow warns
BYTES_MAX = 25_000_000
SIDE_MAX = 16_000  # beyond this, browsers and video decoders begin to fail
CONTENT_TYPE = "image/png"
GRAY_MODES = frozenset({"1", "L", "LA", "I", "I;16", "I;16B", "I;16L"})
MODES = GRAY_MODES | {"P", "PA", "RGB", "RGBA", "RGBX"}
DEEP_MODES = frozenset({"I", "I;16", "I;16B", "I;16L"})
DEEP_STEP = 257  # 65535 / 255
# Questions about one chart follow each other, so a small cache is enough; pictures may be large.
CACHED = 4
# Pillow's exceptions for malformed files, collected by trial. Warnings are included because they may be
# turned into errors.
BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    LookupError,
    TypeError,
    EOFError,
    OverflowError,
    struct.error,
    zlib.error,
    UserWarning,
)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A re-encoded picture, with its width and height in pixels."""

    data: bytes
    content_type: str
    width: int
    height: int


@lru_cache(maxsize=CACHED)
def picture_read(data: bytes) -> Picture:
    """Decode a PNG, JPEG, GIF, WebP or BMP picture completely and encode it again.

    The result is an opaque 8-bit gray or RGB picture of the same size, turned upright, on white, without
    metadata. The same bytes always give the same result. Colour profiles are dropped, not applied. Raises
    ``ValueError`` with a readable message. Thread-safe, because it changes no state of Pillow's.
    """
    if not data:
        raise ValueError("the picture is empty")
    if len(data) > BYTES_MAX:
        raise ValueError(f"the picture has {len(data):,} bytes; at most {BYTES_MAX:,} are allowed")
    with _readable_errors(data):
        opened = Image.open(io.BytesIO(data), formats=FORMATS)
    with opened:
        _size_check(opened)
        with _readable_errors(data):
            is_animated = opened.format != "MPO" and getattr(opened, "is_animated", False)
        if is_animated:
            raise ValueError("the picture is animated; use a still picture")
        _mode_check(opened)
        with _readable_errors(data):
            opened.load()
            picture = _plain(_upright(opened))
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    return Picture(
        data=encoded.getvalue(), content_type=CONTENT_TYPE, width=picture.width, height=picture.height
    )


@contextmanager
def _readable_errors(data: bytes) -> Iterator[None]:
    """Re-raise Pillow's errors as ``ValueError`` with readable messages."""
    try:
        yield
    except UnidentifiedImageError:
        raise ValueError(_unknown(data)) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ValueError(f"the picture claims to have more than {PIXELS_MAX:,} pixels") from None
    except BROKEN as error:
        raise ValueError(f"the picture is broken: {error}") from None


def _unknown(data: bytes) -> str:
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return "the picture is text (SVG, HTML or XML), which is not accepted; use PNG or JPEG"
    return "the picture is broken at its beginning or is not a PNG, JPEG, GIF, WebP or BMP file"


def _size_check(opened: Image.Image) -> None:
    """Check the size before decoding, since a few bytes can claim any number of pixels."""
    width, height = opened.size
    if not 0 < width <= SIDE_MAX or not 0 < height <= SIDE_MAX:
        raise ValueError(
            f"the picture is {width:,} by {height:,} pixels; 1 to {SIDE_MAX:,} per side are allowed"
        )
    if width * height > PIXELS_MAX:
        raise ValueError(f"the picture has {width * height:,} pixels; at most {PIXELS_MAX:,} are allowed")


def _mode_check(opened: Image.Image) -> None:
    if opened.mode == "CMYK":
        raise ValueError("the picture uses CMYK, a colour mode for printing; use RGB")
    if opened.mode not in MODES:
        raise ValueError(f"the picture's colour mode {opened.mode} is not accepted; use gray or RGB")


def _upright(picture: Image.Image) -> Image.Image:
    """Rotate the picture as EXIF says; like browsers, ignore EXIF that cannot be read."""
    with suppress(*BROKEN):
        ImageOps.exif_transpose(picture, in_place=True)
    return picture


def _plain(picture: Image.Image) -> Image.Image:
    """Convert to 8-bit gray or RGB on white, without the metadata that saving would keep."""
    mode = "L" if picture.mode in GRAY_MODES else "RGB"
    if picture.mode in DEEP_MODES:
        # Pillow's own conversion to L turns everything above 255 white.
        plain = picture.convert("I").point(lambda value: value / DEEP_STEP + 0.5).convert("L")
    elif picture.has_transparency_data:
        clear = picture.convert("RGBA")
        plain = Image.new("RGB", picture.size, "white")
        plain.paste(clear, mask=clear.getchannel("A"))
        plain = plain.convert(mode)
    else:
        plain = picture.convert(mode)
    plain.info.clear()
    return plain
