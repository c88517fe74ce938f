"""Parser of a single number, in any notation of mathematics or daily life, to an exact fraction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from verifiers.numbers.typography import join_groups, respell, use_decimal_points

TIMES = r"(?:\*|\\times|\\cdot)"
EXPONENT = r"\^\s?(?:\{{\s?\(?(?P<{0}>[-+]?\s?\d{{1,3}})\)?\s?\}}|\(?(?P<{0}_bare>[-+]?\d{{1,3}})\)?)(?!\w)"
NUMBER = re.compile(
    rf"""
    (?P<sign>(?<![\w)}}\]])[-+]\s*)?
    (?:(?<![\w.,])10\s?{EXPONENT.format("power")}
      |(?P<whole>\d{{1,3}}(?:,\d{{3}})+(?![\d,]*,?\d)|\d+)?
       (?P<decimals>\.\d*(?=\\overline)|\.\d+)?(?:(?<=[.\d])\\overline\{{(?P<repeating>\d+)\}})?
       (?:e(?P<e>[-+]?\d{{1,3}})(?!\w)|\s*{TIMES}\s*10\s?{EXPONENT.format("scale")})?
       (?:(?P<gap>\s*)(?:\\frac\s?\{{\s?(?P<top>\d+)\s?\}}\s?\{{\s?(?P<bottom>\d+)\s?\}}
                        |(?P<top2>(?<!\d)\d+)\s?/\s?(?P<bottom2>\d+))
         |\s?/\s?(?P<divisor>\d{{1,3}}(?:,\d{{3}})+|\d+))?)
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
PLAIN = re.compile(r"-?\d{1,15}(?:\.(?P<decimals>\d{1,15}))?", re.ASCII)
"""The plainest notation, tried first because most golds and answers are written in it."""
MARKS = re.compile(r"\\[$!,;: ()\[\]]|[*_`]{2}|`|\\(?:text|mathrm|mbox)\b")
FRACTION_COMMAND = re.compile(r"\\[dtc]frac(?![A-Za-z])")
SHORT_FRACTION = re.compile(r"\\frac\s*(\d)\s*(\d)(?!\d)", re.ASCII)
PERCENT = re.compile(r"\s*\\?%$")
CURRENCY = re.compile(
    "(?:\\b(?:R|US|C|CA|A|AU|HK|NT|S|MX))?[$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u00a2\u5143\u5706\u5186\uc6d0]"
)


@dataclass(frozen=True)
class Written:
    """A number as written.

    ``places`` counts its digits after the point (0 for fractions and powers); ``magnitude`` is the factor
    that a word such as "million" stands for.
    """

    value: Fraction
    places: int = 0
    is_percent: bool = False
    magnitude: int = 1


def written_number(text: str) -> Written | None:
    """Parse a text that is a number, with at most a currency or percent sign; None for anything else."""
    if number := plain_number(text):
        return number
    plain = CURRENCY.sub(" ", prepare(text)).strip()
    bare = PERCENT.sub("", plain)
    match = NUMBER.fullmatch(bare.strip().removesuffix("."))
    number = evaluate_match(match) if match and match[0].strip(" +-") else None
    return number and Written(number.value, number.places, is_percent=bare != plain)


def plain_number(text: str) -> Written | None:
    """Parse a text that is a number of digits, with a sign and a point at most; None for other notations."""
    match = PLAIN.fullmatch(text)
    return Written(Fraction(text), len(match["decimals"] or "")) if match else None


def prepare(text: str) -> str:
    """Return the text in the spelling that ``NUMBER`` matches."""
    text = respell(text.replace("{,}", ",").replace(",\\!", ","))
    text = SHORT_FRACTION.sub(r"\\frac{\1}{\2}", FRACTION_COMMAND.sub(r"\\frac", text))
    return join_groups(use_decimal_points(MARKS.sub(" ", text)))


def evaluate_match(match: re.Match[str]) -> Written | None:
    """Return the value of a match of ``NUMBER``; None for an unfinished division or a division by zero."""
    power = match["power"] or match["power_bare"]
    sign = -1 if (match["sign"] or "").strip() == "-" else 1
    if power:
        return Written(sign * Fraction(10) ** _whole(power))
    scale = _whole(match["e"] or match["scale"] or match["scale_bare"] or "0")
    top, bottom = match["top"] or match["top2"], match["bottom"] or match["bottom2"] or match["divisor"]
    if not bottom:
        value, places = _decimal(match)
        return Written(sign * value * Fraction(10) ** scale, max(places - scale, 0) if places else 0)
    part = _fraction(top or match["whole"] or "", bottom)
    if part is None or match["decimals"] or match["repeating"] or scale:
        return None
    if match["divisor"] or not match["whole"]:
        return Written(sign * part)
    if part >= 1 or (match["top2"] and not match["gap"]):
        return None
    return Written(sign * (_whole(match["whole"]) + part))


def _decimal(match: re.Match[str]) -> tuple[Fraction, int]:
    """Return a decimal's value and its number of places, 0 for a repeating decimal."""
    digits, block = (match["decimals"] or ".")[1:], match["repeating"]
    value = Fraction((match["whole"] or "0").replace(",", "") + "." + (digits or "0"))
    if not block:
        return value, len(digits)
    return value + Fraction(int(block), (10 ** len(block) - 1) * 10 ** len(digits)), 0


def _fraction(top: str, bottom: str) -> Fraction | None:
    """Divide top by bottom; None for an unfinished division (``84/2``) or a division by zero."""
    if not top or not _whole(bottom):
        return None
    value = Fraction(_whole(top), _whole(bottom))
    return None if value.denominator == 1 else value


def _whole(digits: str) -> int:
    return int(digits.replace(",", "").replace(" ", ""))
