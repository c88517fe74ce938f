"""Pages and pictures for tests of replay fidelity."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PIL import Image, ImageDraw, ImageFont

from core.web import browsers
from core.work.sweep import BEGINNING, Place
from trajectories.behaviour.fidelity import sample
from trajectories.behaviour.fidelity.rendering import Page

ENTRY = "/page/replay.html"
GREEN, RED = (0, 160, 0), (200, 0, 0)

needs_drawing = pytest.mark.skipif(
    shutil.which("bwrap") is None or browsers.browser_find() is None,
    reason="bubblewrap or Chromium is not installed here",
)


def window(*words: str, size: tuple[int, int] = (1280, 720)) -> Image.Image:
    """Draw a picture of a page with a bar, a heading and one word per line."""
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, size[0], 60), fill=(24, 60, 90))
    font = ImageFont.load_default(22)
    for line, word in enumerate(("Find a room", "in Lisbon", *words)):
        draw.text((40, 100 + 40 * line), word, fill="black", font=font)
    return picture


def page(script: str, *, html: str = "", width: int = 320, height: int = 200, **more: bytes) -> Page:
    """Make a page that is ready once its script, the body of an async function, has returned.

    The page turns red if the script returns false, otherwise green.
    """
    body = f"""<!doctype html><html><meta charset="utf-8"><body style="margin:0;background:#fff">{html}
<script>(async () => {{
  const fine = await (async () => {{ {script} }})();
  document.body.style.background = fine === false ? "rgb{RED}" : "rgb{GREEN}";
  document.documentElement.dataset.replay = "ready";
}})()</script>"""
    files = {f"/page/{name}": content for name, content in more.items()}
    return Page(files={ENTRY: body.encode(), **files}, entry=ENTRY, width=width, height=height)


def colour(picture: Image.Image) -> tuple[int, int, int]:
    """Return the colour of the last pixel."""
    pixel = picture.convert("RGB").getpixel((picture.width - 1, picture.height - 1))
    assert isinstance(pixel, tuple)
    return int(pixel[0]), int(pixel[1]), int(pixel[2])


@contextmanager
def canary() -> Iterator[tuple[int, list[str]]]:
    """Yield a local port and the list of connections to it, which is filled when the block exits."""
    came: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server.getsockname()[1], came
        try:
            while True:
                came.append(str(server.accept()[1]))
        except BlockingIOError:
            pass


def episodes_due() -> list[int]:
    """Return the ended episodes whose steps are yet to be chosen."""
    rows = sample.episodes_after(Place(BEGINNING, 0), sample.SETTLE_S)
    return [row.key for row in rows if row.is_due]
