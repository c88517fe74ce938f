r"""One spelling for the many ways of typing a number: ``10⁻³`` becomes ``10^{-3}``, ``1 234`` becomes
``1234``.

A notation that could mean something else stays as it is: ``1,2`` may be a list and ``2.5(3)`` a product.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

NO_SUPERSCRIPTS = frozenset("\u00aa\u00ba")  # ordinal indicators
LAST_CODE = 0x2DFF
"""The last code point searched; beyond it there are only characters of other scripts."""


def _decompositions(tag: str) -> Iterator[tuple[str, str]]:
    """Yield characters whose Unicode decomposition has a tag (``<super>``), with the text they stand for."""
    for code in range(0x80, LAST_CODE):
        parts = unicodedata.decomposition(chr(code)).split()
        if parts[:1] == [tag]:
            yield chr(code), "".join(chr(int(part, 16)) for part in parts[1:]).replace("\u2212", "-")


def _single(tag: str) -> dict[str, str]:
    pairs = _decompositions(tag)
    return {sign: plain for sign, plain in pairs if len(plain) == 1 and sign not in NO_SUPERSCRIPTS}


SUPERSCRIPTS = _single("<super>")
SUBSCRIPTS = _single("<sub>")
FRACTIONS = {
    sign: rf"\frac{{{top}}}{{{bottom}}}" if bottom else f"{top}/"  # U+215F is "1/"
    for sign, plain in _decompositions("<fraction>")
    for top, _, bottom in [plain.partition("\u2044")]
}
SIGNS = str.maketrans(
    {
        **FRACTIONS,
        **dict.fromkeys("\u2044\u2215", "/"),
        **dict.fromkeys("\u22c5\u2219\u2022\u2217\u00b7", "\\cdot "),
        "\u00d7": "\\times ",
        "\u00ba": "\u00b0",  # typed for a degree sign
        "\u2026": "...",
        "\uff0e": ".",
    }
)
RAISED = re.compile(f"[{''.join(map(re.escape, SUPERSCRIPTS))}]+")
LOWERED = re.compile(f"[{''.join(map(re.escape, SUBSCRIPTS))}]+")
RAISED_FRACTION = re.compile(r"\^\{(\d+)\}\s*/\s*_\{(\d+)\}", re.ASCII)

POINT = r"(?<![\w.,])(\d*)[.,](\d*)"
BARRED = re.compile(POINT + r"\\(?:bar|overline)" + r"\s*(?:\{\s*(\d+)\s*\}|(\d))(?!\d)", re.ASCII)
DOT = r"\\dot\s*(?:\{\s*(\d)\s*\}|(\d))"
DOTTED = re.compile(POINT + DOT + rf"(?:(\d*){DOT})?(?!\d)", re.ASCII)
BRACKETED = re.compile(r"(?<![\w.,])(\d*)[.,]\((\d+)\)(?![\w^(])", re.ASCII)
ENDLESS = re.compile(
    r"(?<![\w.,])(\d*)[.,](\d{0,12}?)(\d{1,6}?)\3{2,}\s*(?:\.\.\.|\\[lc]?dots\b)(?!\s*\d)", re.ASCII
)
REPEATING = re.compile("[.,]\\d*(?:\\\\|\\()|\\.\\.\\.|\\\\[lc]?dots|[\u0304\u0305\u0307]")
OVERLINED_DIGITS = re.compile("((?:\\d[\u0304\u0305])+)", re.ASCII)
DOTTED_DIGIT = re.compile("(\\d)\u0307", re.ASCII)

LETTER_TIMES = re.compile(r"(?<![\w.^{])(?!0[xX])(\d[\d.,]*)\s*[xX]\s*(?=\d)", re.ASCII)
"""An "x" between two numbers, which is a times sign and not a variable; ``0x10`` is hexadecimal."""
GROUPED = (
    re.compile(r"(?<![\w.,/^])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?!\d| ?/| \d)", re.ASCII),
    re.compile(r"(?<![\w.,])\d+\.\d{3}(?: \d{3})+(?!\d| ?/| \d)", re.ASCII),
    re.compile(r"(?<![\w.,'/^])[1-9]\d{0,2}(?:'\d{3})+(?![\d'])", re.ASCII),
)
POINTS_FOR_THOUSANDS = re.compile(r"(?<![\w.,])([1-9]\d{0,2}(?:\.\d{3}){2,})(?![\w,]|\.\d)", re.ASCII)
DECIMAL_COMMA = re.compile(
    r"(?<![\w.,])(?:(0),(\d+)|([1-9]\d{0,2}(?:[. ']\d{3})+),(\d+)|(\d+),(\d{1,2}|\d{4,}))(?![\w,]|\.\d)",
    re.ASCII,
)
"""Numbers with a decimal comma: ``0,745``, ``1.234,5``, ``2,74``. In ``1,234`` the comma marks thousands."""


def respell(text: str) -> str:
    r"""Write a text's powers, fractions, times signs and repeating digits (``\overline``) in LaTeX."""
    if text.isascii():
        return LETTER_TIMES.sub(r"\1 \\times ", _with_overlines(text))
    for sign, pattern, signs in (("^", RAISED, SUPERSCRIPTS), ("_", LOWERED, SUBSCRIPTS)):
        text = pattern.sub(partial(_move, sign, signs), text)
    text = RAISED_FRACTION.sub(r"\\frac{\1}{\2}", text.translate(SIGNS))
    return LETTER_TIMES.sub(r"\1 \\times ", _with_overlines(text))


def join_groups(text: str) -> str:
    """Join the digits of numbers that are grouped by spaces, apostrophes or points."""
    for pattern in GROUPED:
        text = pattern.sub(lambda match: match[0].replace(" ", "").replace("'", ""), text)
    return POINTS_FOR_THOUSANDS.sub(lambda match: match[0].replace(".", ""), text)


def use_decimal_points(text: str) -> str:
    """Replace decimal commas with points, for texts in which ``1,2`` cannot be a list."""
    return DECIMAL_COMMA.sub(_with_point, text)


def _with_point(match: re.Match[str]) -> str:
    whole, decimals = (part for part in match.groups() if part is not None)
    return re.sub(r"[. ']", "", whole) + "." + decimals


def _move(sign: str, signs: dict[str, str], run: re.Match[str]) -> str:
    return f"{sign}{{{''.join(signs[char] for char in run[0])}}}"


def _with_overlines(text: str) -> str:
    """Write every notation of a repeating decimal as ``0.1\\overline{6}``."""
    if not REPEATING.search(text):
        return text
    text = OVERLINED_DIGITS.sub(lambda match: rf"\overline{{{match[0][::2]}}}", text)
    text = DOTTED_DIGIT.sub(r"\\dot{\1}", text)
    text = BARRED.sub(lambda match: _repeating(match[1], match[2], match[3] or match[4]), text)
    text = DOTTED.sub(_between_dots, text)
    text = BRACKETED.sub(lambda match: _repeating(match[1], "", match[2]), text)
    return ENDLESS.sub(lambda match: _repeating(*match.groups()), text)


def _between_dots(match: re.Match[str]) -> str:
    whole, decimals, *block = match.groups(default="")
    return _repeating(whole, decimals, "".join(block))


def _repeating(whole: str, decimals: str, block: str) -> str:
    return rf"{whole or 0}.{decimals}\overline{{{block}}}"
