"""Captions below pictures, for papers and slides."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw

from trajectories.record.capture.glyphs import Lettering

PAPER, INK, SOFT, EDGE = (255, 255, 255), (24, 24, 32), (96, 96, 104), (205, 200, 190)
# The picture's width over the letter size: 17 pixels at a width of 1280.
LETTER_SHARE = 75
LETTER_LEAST, LETTER_MOST = 12, 64
TITLE_LINES, THOUGHT_LINES, SOURCE_LINES = 2, 4, 2
# A longer text would not fit anyway.
CHARS = 700


@dataclass(frozen=True, kw_only=True)
class Caption:
    """``title``: step and action; ``thought``: its beginning; ``source``: its task and model."""

    title: str
    thought: str
    source: str


def captioned(picture: Image.Image, caption: Caption) -> Image.Image:
    """Return a copy of the picture with the caption below it, equally wide."""
    size = min(max(picture.width // LETTER_SHARE, LETTER_LEAST), LETTER_MOST)
    letters, small = Lettering(size), Lettering(max(LETTER_LEAST - 1, round(size * 0.82)))
    margin = size
    room = max(picture.width - 2 * margin, size * 4)
    blocks = [
        (letters, _lines(letters, caption.title, room, TITLE_LINES), INK),
        (letters, _lines(letters, caption.thought, room, THOUGHT_LINES), SOFT),
        (small, _lines(small, caption.source, room, SOURCE_LINES), SOFT),
    ]
    shown = [block for block in blocks if block[1]]
    gap = size // 2
    height = 2 * margin + sum(len(lines) * by.line for by, lines, _ in shown) + gap * max(0, len(shown) - 1)
    whole = Image.new("RGB", (picture.width, picture.height + height), PAPER)
    whole.paste(picture, (0, 0))
    draw = ImageDraw.Draw(whole)
    draw.rectangle((0, picture.height, picture.width, picture.height + size // 12), fill=EDGE)
    y = picture.height + margin
    for by, lines, colour in shown:
        for line in lines:
            by.draw(draw, line, at=(margin, y), fill=colour)
            y += by.line
        y += gap
    return whole


def _lines(letters: Lettering, text: str, room: float, lines: int) -> list[str]:
    line = letters.drawable(" ".join(text[:CHARS].split()))
    wrapped = letters.wrapped(line, width=room, lines=lines)
    return [*wrapped[:-1], letters.cut(wrapped[-1], room)] if wrapped and len(text) > CHARS else wrapped
