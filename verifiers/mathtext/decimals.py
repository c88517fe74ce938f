"""Decimals and the exact numbers that they stand for."""

from __future__ import annotations

from fractions import Fraction

from verifiers.mathtext import values
from verifiers.mathtext.expressions import Apply, Node, Number

MIN_DECIMAL_DIGITS = 6
"""Fewest significant digits for a decimal to count as an exact number (math-verify rounds to 6 places)."""
MIN_PART_DIGITS = 4
"""Fewest significant digits for one of several entries or coordinates, which rarely all agree by chance."""
MIN_GOLD_DIGITS = 3
"""Fewest significant digits of a gold that is itself a rounded decimal, for an exact answer to match it."""

APPROXIMATELY = Fraction(1, 1000)


def stands_for(decimal: Node, exact: Node, *, min_digits: int = MIN_DECIMAL_DIGITS) -> bool:
    """Return whether a decimal with enough digits is the exact number, rounded or cut at its last digit."""
    if not isinstance(decimal, Number) or decimal.places < 1:
        return False
    if isinstance(exact, Number) and exact.value.denominator == 1:
        return False
    value = values.constant(exact)
    if _digits(decimal) < min_digits or value is None or not _is_inexact(exact, value):
        return False
    unit, gap = Fraction(1, 10**decimal.places), values.distance(value, decimal.value)
    is_cut = values.at_most(abs(decimal.value), abs(value)) and values.at_most(gap, unit)
    return is_cut or values.at_most(gap, unit / 2)


def is_rounded_gold(gold: Node, answer: Node) -> bool:
    """Return whether the gold is a decimal and the answer an exact number that rounds to it.

    The reverse does not hold: a decimal of three digits does not answer a question for the exact number.
    """
    if not isinstance(gold, Number) or gold.places < 1 or _digits(gold) < MIN_GOLD_DIGITS:
        return False
    value = values.constant(answer)
    if value is None or not values.is_real(value) or _has_decimal(answer):
        return False
    return values.at_most(values.distance(value, gold.value), Fraction(1, 2 * 10**gold.places))


def is_near(exact: Node, rough: Node) -> bool:
    """Return whether an approximation differs from the exact number by about one unit in its last digit."""
    value, near = values.constant(exact), values.constant(rough)
    if value is None or near is None:
        return False
    last = abs(near) * APPROXIMATELY
    if isinstance(rough, Number):
        last = Fraction(1, 10**rough.places) if rough.places else Fraction(999, 1000)
    return values.at_most(values.distance(value, near), last)


def _digits(number: Number) -> int:
    """Count the significant digits as written, trailing zeros included."""
    return len(str(abs(number.value.numerator * 10**number.places // number.value.denominator)).lstrip("0"))


def _has_decimal(node: Node) -> bool:
    if isinstance(node, Apply):
        return any(map(_has_decimal, node.args))
    return isinstance(node, Number) and node.places > 0


def _is_inexact(node: Node, value: object) -> bool:
    """Return whether no finite decimal equals this number, so that a decimal can only approximate it."""
    if not isinstance(value, Fraction):
        return True
    # The denominator of a finite decimal divides a power of ten, whose exponent is below its number of bits.
    is_finite = not pow(10, value.denominator.bit_length(), value.denominator)
    return not is_finite and not (isinstance(node, Number) and node.places)
