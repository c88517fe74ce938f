"""Numbers in answers to puzzles, parsed exactly."""

from __future__ import annotations

import re
from collections.abc import Hashable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from verifiers.puzzles.rule import Puzzle

UNSIGNED = r"(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
NUMBER = re.compile(rf"[+-]?{UNSIGNED}", re.ASCII)
PLAIN = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?"
COMPLEX = re.compile(rf"(?P<real>[+-]{PLAIN})?(?:(?P<imaginary>[+-](?:{PLAIN})?)i)?", re.ASCII)
FRACTION = re.compile(r"(-?\d+)\s*/\s*(\d+)", re.ASCII)
TEX_FRACTION = re.compile(r"\\d?frac\s*\{\s*(-?\d+)\s*\}\s*\{\s*(\d+)\s*\}", re.ASCII)
HEXADECIMAL = re.compile(r"([+-]?)(?:0x([0-9a-f]+)|(\d+))", re.ASCII | re.IGNORECASE)
POINT = re.compile(rf"\(?\s*([+-]?{PLAIN})\s*,\s*([+-]?{PLAIN})\s*\)?", re.ASCII | re.IGNORECASE)
SIGNIFICANT_FIGURES = 3


def number(text: str) -> Fraction | None:
    """Parse ``-1,234.50`` or ``1.2e-7``; None for anything else, including names such as ``nan``."""
    value = _decimal(text)
    return None if value is None else Fraction(value)


def _decimal(text: str) -> Decimal | None:
    plain = text.strip().replace("\u2212", "-")
    return Decimal(plain.replace(",", "")) if NUMBER.fullmatch(plain) else None


def numbers(text: str) -> Hashable | None:
    """Parse comma-separated numbers, whose order does not matter."""
    values = [number(part) for part in text.split(",")]
    return None if None in values else tuple(sorted(value for value in values if value is not None))


def calendar(text: str) -> Hashable:
    """Parse a number, or "yes" or "no" in any case, or return a weekday as written."""
    value = number(text)
    if value is not None:
        return value
    return text.lower() if text.lower() in ("yes", "no") else text


def complex_number(text: str) -> Hashable | None:
    """Parse ``3 - 2i``, ``5.00`` or ``-i``, with at most one pair of brackets around it."""
    plain = text.replace(" ", "").lower()
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    match = COMPLEX.fullmatch(plain if plain[:1] in "+-" else f"+{plain}")
    if match is None or not (match["real"] or match["imaginary"]):
        return None
    imaginary = f"{match['imaginary']}1" if match["imaginary"] in ("+", "-") else match["imaginary"] or "0"
    return Fraction(Decimal(match["real"] or 0)), Fraction(Decimal(imaginary))


def factors(text: str) -> Hashable | None:
    """Parse whole numbers separated by multiplication signs; their order does not matter."""
    parts = [part.strip() for part in re.split(r"[×*x]", text)]
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return tuple(sorted(int(part) for part in parts))


def fraction(text: str) -> Hashable | None:
    """Parse numerator and denominator without reducing them; dollar signs around the fraction are dropped."""
    plain = text.removeprefix("$").removesuffix("$").strip()
    match = FRACTION.fullmatch(plain) or TEX_FRACTION.fullmatch(plain)
    return None if match is None else (int(match[1]), int(match[2]))


def hexadecimal(text: str) -> int | None:
    """Parse a hexadecimal number such as ``-0x1f``, or a decimal integer."""
    match = HEXADECIMAL.fullmatch(text)
    if match is None:
        return None
    value = int(match[2], 16) if match[2] else int(match[3])
    return -value if match[1] == "-" else value


def geometry(text: str) -> Hashable | None:
    """Parse a point or a radius to three decimal places, or an angle to two."""
    point = POINT.fullmatch(text)
    if point:
        return tuple(round(Fraction(Decimal(part)), 3) for part in point.groups())
    value = number(text.removesuffix("°"))
    if value is None:
        return None
    return round(value, 2 if text.endswith("°") else 3)


def significant(text: str) -> Hashable | None:
    """Parse a number to three significant figures."""
    value = _decimal(text)
    if value is None:
        return None
    if value.is_zero():
        return Decimal(0)
    unit = Decimal(1).scaleb(value.adjusted() - SIGNIFICANT_FIGURES + 1)
    return value.quantize(unit, rounding=ROUND_HALF_EVEN).normalize()


def probability(puzzle: Puzzle, answer: str) -> bool | None:
    """Accept the exact probability, or a decimal that rounds it to at least three significant figures."""
    rational = puzzle.facts["rational"]
    target = Fraction(rational["numerator"], rational["denominator"])
    ratio = FRACTION.fullmatch(answer)
    if ratio:
        return int(ratio[2]) > 0 and Fraction(int(ratio[1]), int(ratio[2])) == target
    decimal = _decimal(answer)
    if decimal is None:
        return None
    value, digits = Fraction(decimal), decimal.as_tuple()
    if value == target:
        return True
    if not isinstance(digits.exponent, int) or len(digits.digits) < SIGNIFICANT_FIGURES:
        return False
    return abs(value - target) <= Fraction(10) ** digits.exponent / 2


def candidate(puzzle: Puzzle, answer: str) -> bool | None:
    """Accept the right one of the numbers shown, in any of the formats shown."""
    value = number(answer)
    if value is None:
        return None
    forms_shown = zip(puzzle.facts["candidates"], puzzle.facts["formatted_candidates"], strict=True)
    right = [
        number(form)
        for plain, formatted in forms_shown
        if plain == puzzle.facts["solution"]
        for form in (repr(plain), formatted)
    ]
    return value in right
