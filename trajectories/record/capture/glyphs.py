"""Draws text of any script into pictures, each character in the first font that has it.

A character that no font has would be an empty box like any other. It is named instead; several in a row are
counted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from PIL import ImageDraw, ImageFont, features

# In order of preference; only those installed on the machine are used.
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
# A character in no font: its glyph is the one for missing characters.
NOWHERE = "\U0010ffff"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
MARKS_MOST = 3
NAMED_MOST = 2


@dataclass(frozen=True, kw_only=True)
class Run:
    """Text that one font draws, ``width`` pixels wide."""

    text: str
    font: ImageFont.FreeTypeFont
    width: float


class Lettering:
    """The fonts of this machine at one size, in pixels."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.fonts = fonts_of(size)
        self.line = round(size * 1.45)

    def drawable(self, text: str) -> str:
        """The text with at most ``MARKS_MOST`` combining marks per letter, and names in place of characters
        that no font has."""
        groups = groupby(_few_marks(text), key=self._is_known)
        return "".join("".join(signs) if is_known else _named(list(signs)) for is_known, signs in groups)

    def runs(self, text: str) -> list[Run]:
        """Split a ``drawable`` text into runs of one font each."""
        parts: list[tuple[ImageFont.FreeTypeFont, str]] = []
        for sign in text:
            font = self._font_of(sign) or self.fonts[0]
            # Spaces and marks join the run before them.
            if parts and (parts[-1][0] is font or sign.isspace() or unicodedata.combining(sign)):
                parts[-1] = (parts[-1][0], parts[-1][1] + sign)
            else:
                parts.append((font, sign))
        return [Run(text=part, font=font, width=font.getlength(part)) for font, part in parts]

    def width(self, text: str) -> float:
        return sum(run.width for run in self.runs(text))

    def wrapped(self, text: str, *, width: float, lines: int) -> list[str]:
        """Wrap text to at most ``lines`` lines; "…" stands for the rest.

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
        """Return the longest beginning of the text that fits, with "…"."""
        shortened = text.rstrip()
        while shortened and self.width(shortened + "…") > width:
            shortened = shortened[:-1]
        return shortened.rstrip() + "…"

    def draw(
        self, draw: ImageDraw.ImageDraw, text: str, *, at: tuple[float, float], fill: tuple[int, int, int]
    ) -> None:
        """Draw one line with its upper left corner ``at`` a point."""
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
            return None  # without raqm it would be drawn in the wrong order
        return next((font for font in self.fonts if _has(font, sign)), None)


@lru_cache(maxsize=8)
def fonts_of(size: int) -> tuple[ImageFont.FreeTypeFont, ...]:
    """Return the installed ones of ``FONTS``, else Pillow's own font."""
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
    return f"[{len(signs)} signs that no font here has]"


def _words(text: str) -> Iterable[str]:
    """Words, each with the space after it."""
    word = ""
    for sign in text:
        word += sign
        if sign.isspace():
            yield word
            word = ""
    if word:
        yield word
