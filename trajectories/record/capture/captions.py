"""Captions below pictures, for papers and slides."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from PIL import Image, ImageDraw, ImageFont, features

# Fonts in order of preference; only those installed on the machine are used.
FONTS = (
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "NotoSansCJK-Regular.ttc",
    "DroidSansFallbackFull.ttf",
    "wqy-microhei.ttc",
    "NotoSansDevanagari-Regular.ttf",
    "NotoSansThai-Regular.ttf",
    "Symbola_hint.ttf",
    "unifont.otf",
)
# No font has this character, so its glyph shows how a font draws missing characters.
NOWHERE = "\U0010ffff"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
MARKS_MOST = 3
NAMED_MOST = 2
# Picture width divided by letter size: letters are 17 pixels high at a width of 1280.
LETTER_SHARE = 75
# Longer text would not fit anyway.
CHARS = 700


@dataclass(frozen=True, kw_only=True)
class Run:
    """A piece of text drawn in one font, ``width`` pixels wide."""

    text: str
    font: ImageFont.FreeTypeFont
    width: float


class Lettering:
    """The fonts of this machine at one size, in pixels."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.fonts = load_fonts(size)
        self.line = round(size * 1.45)

    def drawable(self, text: str) -> str:
        """Return the text with at most ``MARKS_MOST`` combining marks per letter.

        Characters that no font has are replaced by their code points or, if there are many in a row, by a
        note of how many there are."""
        groups = groupby(_few_marks(text), key=self._is_known)
        return "".join("".join(signs) if is_known else _named(list(signs)) for is_known, signs in groups)

    def runs(self, text: str) -> list[Run]:
        """Split a ``drawable`` text into runs of one font each."""
        parts: list[tuple[ImageFont.FreeTypeFont, str]] = []
        for sign in text:
            font = self._font_of(sign) or self.fonts[0]
            # Spaces and combining marks join the run before them.
            if parts and (parts[-1][0] is font or sign.isspace() or unicodedata.combining(sign)):
                parts[-1] = (parts[-1][0], parts[-1][1] + sign)
            else:
                parts.append((font, sign))
        return [Run(text=part, font=font, width=font.getlength(part)) for font, part in parts]

    def width(self, text: str) -> float:
        return sum(run.width for run in self.runs(text))

    def wrapped(self, text: str, *, width: float, lines: int) -> list[str]:
        """Wrap text to at most ``lines`` lines, and end it with "…" if some is left out.

        Words too long for a line are broken.
        """
        wrapped = [""]
        for word in _words(text):
            for piece in self._pieces(word, width):
                if self.width(wrapped[-1] + piece.rstrip()) > width and wrapped[-1].strip():
                    wrapped.append("")
                wrapped[-1] += piece
                if len(wrapped) > lines:
                    return [*wrapped[: lines - 1], self.cut(wrapped[lines - 1] + piece, width)]
        return [line.rstrip() for line in wrapped if line.strip()]

    def cut(self, text: str, width: float) -> str:
        """Cut the text to the longest beginning that fits together with "…"."""
        shortened = text.rstrip()
        while shortened and self.width(shortened + "…") > width:
            shortened = shortened[:-1]
        return shortened.rstrip() + "…"

    def draw(
        self, draw: ImageDraw.ImageDraw, text: str, *, at: tuple[float, float], fill: tuple[int, int, int]
    ) -> None:
        """Draw one line of text with its upper left corner at the point ``at``."""
        x, y = at
        for run in self.runs(text):
            draw.text((x, y + self.size), run.text, font=run.font, fill=fill, anchor="ls")
            x += run.width

    def _pieces(self, word: str, width: float) -> Iterator[str]:
        piece = ""
        for sign in word:
            if piece and not sign.isspace() and self.width(piece + sign) > width:
                yield piece
                piece = ""
            piece += sign
        yield piece

    def _is_known(self, sign: str) -> bool:
        return sign.isspace() or self._font_of(sign) is not None

    def _font_of(self, sign: str) -> ImageFont.FreeTypeFont | None:
        if not features.check("raqm") and unicodedata.bidirectional(sign) in RIGHT_TO_LEFT:
            return None  # Without raqm, Pillow would draw right-to-left text in the wrong order.
        return next((font for font in self.fonts if _has(font, sign)), None)


@lru_cache(maxsize=8)
def load_fonts(size: int) -> tuple[ImageFont.FreeTypeFont, ...]:
    """Return the fonts of ``FONTS`` that are installed, or Pillow's own font if none are."""
    fonts = []
    for name in FONTS:
        try:
            fonts.append(ImageFont.truetype(name, size))
        except OSError:
            continue
    own = ImageFont.load_default(size)
    return tuple(fonts) or ((own,) if isinstance(own, ImageFont.FreeTypeFont) else ())


@lru_cache(maxsize=4096)
def _has(font: ImageFont.FreeTypeFont, sign: str) -> bool:
    return bytes(font.getmask(sign)) != bytes(font.getmask(NOWHERE))


def _few_marks(text: str) -> Iterator[str]:
    marks = 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= MARKS_MOST:
            yield sign


def _named(signs: list[str]) -> str:
    if len(signs) <= NAMED_MOST:
        return "".join(f"[U+{ord(sign):04X}]" for sign in signs)
    return f"[{len(signs)} characters that no installed font has]"


def _words(text: str) -> Iterable[str]:
    """Yield words, each with the space that follows it."""
    word = ""
    for sign in text:
        word += sign
        if sign.isspace():
            yield word
            word = ""
    if word:
        yield word


PAPER, INK, SOFT, EDGE = (255, 255, 255), (24, 24, 32), (96, 96, 104), (205, 200, 190)
LETTER_LEAST, LETTER_MOST = 12, 64
TITLE_LINES, THOUGHT_LINES, SOURCE_LINES = 2, 4, 2


@dataclass(frozen=True, kw_only=True)
class Caption:
    """The text below a picture.

    ``title`` gives step and action, ``thought`` the beginning of the thought, and ``source`` the task and
    model.
    """

    title: str
    thought: str
    source: str


def captioned(picture: Image.Image, caption: Caption) -> Image.Image:
    """Return a copy of the picture with the caption below it, at the same width."""
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
