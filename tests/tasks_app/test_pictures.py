"""What is taken as a picture, what is refused, and that the result is the same pixels and no more."""

from __future__ import annotations

import io
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFile, PngImagePlugin

from tasks_app import pictures

RED = (200, 30, 30)
SIZE = (6, 4)


def drawn(mode: str = "RGB", size: tuple[int, int] = SIZE) -> Image.Image:
    """White, with a dark upper left corner that shows its rotation."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).rectangle((0, 0, size[0] // 2 - 1, size[1] // 2 - 1), fill=RED)
    return picture.convert(mode)


def encoded(picture: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, form, **options)
    return stream.getvalue()


def chunk(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check


def png(width: int, height: int, *, depth: int, colour: int, lines: bytes, extra: bytes = b"") -> bytes:
    """A PNG file by hand: of sizes and depths that Pillow does not write."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + head + extra + body


def cut_stream() -> bytes:
    """A PNG whose chunks are whole, and the pixels packed in them are not."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 50, 50, 8, 0, 0, 0, 0))
    lines = zlib.compress(bytes(value % 251 for value in range(50 * 51)))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", lines[: len(lines) // 2]) + chunk(b"IEND", b"")


def shown(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(pictures.picture_read(data).data))
    picture.load()
    return picture


def pixels(picture: Image.Image) -> list[Any]:
    return [picture.getpixel((x, y)) for y in range(picture.height) for x in range(picture.width)]


@pytest.mark.parametrize(
    ("form", "options"),
    [("PNG", {}), ("GIF", {}), ("WEBP", {"lossless": True}), ("BMP", {}), ("JPEG", {"quality": 100})],
)
def test_every_accepted_format_becomes_a_png_of_the_same_size(form: str, options: dict[str, Any]) -> None:
    read = pictures.picture_read(encoded(drawn(), form, **options))
    assert (read.content_type, read.width, read.height) == ("image/png", *SIZE)
    assert read.data.startswith(b"\x89PNG")
    corners = shown(read.data).getpixel((0, 0)), shown(read.data).getpixel((5, 3))
    assert all(abs(a - b) < 30 for a, b in zip(corners[0] + corners[1], (*RED, 255, 255, 255), strict=True))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_pixels_are_unchanged_and_the_mode_becomes_gray_or_rgb(mode: str) -> None:
    source = drawn(mode)
    picture = shown(encoded(source))
    assert picture.mode == ("L" if mode in ("1", "L", "LA") else "RGB")
    assert pixels(picture) == pixels(source.convert(picture.mode))


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparent_pixels_become_white(mode: str) -> None:
    source = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    source.putpixel((1, 0), (0, 0, 0, 128))
    clear, half = pixels(shown(encoded(source.convert(mode))))
    assert (clear, half) == (((255,) * 3, (127,) * 3) if mode == "RGBA" else (255, 127))


def test_a_transparent_colour_of_a_palette_becomes_white() -> None:
    source = drawn().quantize(4)
    dark = source.getpixel((0, 0))
    assert set(pixels(shown(encoded(source, transparency=dark)))) == {(255, 255, 255)}
    assert set(pixels(shown(encoded(source, "GIF", transparency=dark)))) == {(255, 255, 255)}


def test_sixteen_bits_are_scaled_to_eight_and_not_truncated() -> None:
    gray = png(4, 1, depth=16, colour=0, lines=b"\0" + struct.pack(">4H", 0, 257, 0x8080, 0xFFFF))
    assert pixels(shown(gray)) == [0, 1, 128, 255]
    colour = png(1, 1, depth=16, colour=2, lines=b"\0" + struct.pack(">3H", 0x8080, 0, 0xFFFF))
    assert pixels(shown(colour)) == [(128, 0, 255)]
    clear = png(1, 1, depth=16, colour=6, lines=b"\0" + struct.pack(">4H", 0, 0, 0, 0))
    assert pixels(shown(clear)) == [(255, 255, 255)]


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_rotated_by_its_exif_orientation(form: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    read = pictures.picture_read(encoded(drawn(size=(60, 40)), form, exif=exif))
    assert (read.width, read.height) == (40, 60)
    turned = shown(read.data).convert("L")
    assert turned.getpixel((35, 5)) < 128 < turned.getpixel((5, 5))


def test_unreadable_exif_rotates_nothing() -> None:
    data = png(1, 1, depth=8, colour=0, lines=b"\0\7", extra=chunk(b"eXIf", b"MM\0nonsense"))
    assert pixels(shown(data)) == [7]


def test_metadata_is_removed() -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "the answer is 42")
    exif = Image.Exif()
    exif[0x010E] = "the answer is 42"
    data = encoded(drawn(), pnginfo=notes, exif=exif, icc_profile=b"a profile", dpi=(72, 72))
    read = pictures.picture_read(data)
    assert b"the answer is 42" in data
    names = [read.data[place - 4 : place] for place in _chunk_contents(read.data)]
    assert set(names) == {b"IHDR", b"IDAT", b"IEND"}
    assert shown(data).info == {}


def _chunk_contents(data: bytes) -> list[int]:
    places, place = [], 8
    while place < len(data):
        places.append(place + 8)
        place += 12 + int(struct.unpack(">I", data[place : place + 4])[0])
    return places


def test_conversion_is_deterministic_and_idempotent() -> None:
    data = encoded(drawn(), "JPEG")
    first = pictures.picture_read(data)
    pictures.picture_read.cache_clear()
    assert pictures.picture_read(data) == first
    assert pictures.picture_read(first.data) == first


def test_threads_read_concurrently_and_pillow_keeps_its_settings() -> None:
    before = (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES)
    sources = [encoded(drawn(size=(20 + number, 10))) for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(pictures.picture_read, sources))
    assert [picture.width for picture in results] == [20 + number for number in range(24)]
    assert (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES) == before == (89_478_485, False)


def frames() -> dict[str, Any]:
    return {"save_all": True, "append_images": [Image.new("RGB", SIZE, "blue")]}


UNPACKED = chunk(b"zTXt", b"a\0\0" + zlib.compress(b"a" * 9**7))
HOSTILE = {
    "nothing": (b"", "is empty"),
    "a page named png": (b"<!DOCTYPE html><script>alert(1)</script>", "is text"),
    "SVG": (b"\xef\xbb\xbf<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "is text"),
    "noise": (bytes(range(256)), "not a PNG"),
    "a signature alone": (b"\x89PNG\r\n\x1a\n", "is broken"),
    "a format not taken": (encoded(drawn(), "TIFF"), "not a PNG"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a PNG"),
    "a bomb": (png(100_000, 100_000, depth=1, colour=0, lines=b"\0"), "pixels"),
    "a bomb of one line": (png(2**31 - 1, 1, depth=1, colour=0, lines=b"\0"), "pixels"),
    "a bomb that Pillow warns of": (png(10_000, 10_000, depth=1, colour=0, lines=b"\0"), "pixels"),
    "a bomb that Pillow lets pass": (png(9_000, 9_000, depth=1, colour=0, lines=b"\0"), "40,000,000"),
    "a ribbon": (png(16_001, 1, depth=1, colour=0, lines=b"\0" * 2_002), "16,001 by 1"),
    "no width": (png(0, 5, depth=8, colour=0, lines=b"\0"), "is broken"),
    "a stream that ends in its middle": (cut_stream(), "is broken"),
    "a wrong check sum": (encoded(drawn()).replace(b"IHDR\0\0\0\6", b"IHDR\0\0\0\7"), "is broken"),
    "half a PNG": (encoded(Image.effect_noise((50, 50), 90))[:1_500], "is broken"),
    "half a JPEG": (encoded(Image.effect_noise((50, 50), 90), "JPEG")[:1_200], "is broken"),
    "half a GIF": (encoded(Image.effect_noise((50, 50), 90), "GIF")[:1_500], "is broken"),
    "half a WebP": (encoded(Image.effect_noise((50, 50), 90), "WEBP")[:300], "is broken"),
    "half a BMP": (encoded(drawn(), "BMP")[:80], "is broken"),
    "words that unpack to much": (png(1, 1, depth=8, colour=0, lines=b"\0\0", extra=UNPACKED), "is broken"),
    "an animated GIF": (encoded(drawn(), "GIF", **frames()), "is animated"),
    "an animated PNG": (encoded(drawn(), "PNG", **frames()), "is animated"),
    "an animated WebP": (encoded(drawn(), "WEBP", **frames()), "is animated"),
    "colours of print": (encoded(drawn("CMYK"), "JPEG"), "CMYK"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_picture_is_refused_with_a_reason(name: str) -> None:
    data, problem = HOSTILE[name]
    with pytest.raises(ValueError, match=problem) as refusal:
        pictures.picture_read(data)
    assert "object at 0x" not in str(refusal.value)


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(drawn())
    monkeypatch.setattr(pictures, "BYTES_MAX", len(data) - 1)
    with pytest.raises(ValueError, match="bytes"):
        pictures.picture_read(data + b"")


def test_bytes_after_a_picture_are_dropped() -> None:
    data = encoded(drawn())
    assert pictures.picture_read(data + b"PK\x03\x04 an archive").data == pictures.picture_read(data).data


@pytest.mark.parametrize("frames_count", [1, 2])
def test_a_photo_with_embedded_previews_yields_its_first_picture(frames_count: int) -> None:
    others = [Image.new("RGB", (3, 3), "blue")] * (frames_count - 1)
    data = encoded(drawn(), "MPO", save_all=True, append_images=others)
    assert shown(data).size == SIZE
