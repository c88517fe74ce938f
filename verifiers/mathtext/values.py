"""Equality of expressions by value: exact if everything is rational, else to 60 digits.

Expressions with variables are compared at fixed points, and at one point that is a hash of both expressions,
so nobody can target it without knowing the gold. Two different expressions of this size agree at all points
with negligible probability (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]

from verifiers.mathtext.expressions import Apply, Node, Number, Symbol, collect_symbols

DIGITS = 60
TOLERANCE_DIGITS = 40
MAX_BITS = 40_000
"""Most bits of an exact value's numerator and denominator together; larger values keep ``DIGITS`` digits."""
MAX_EXPONENT_BITS = 10**6
MAX_FACTORIAL = 2_000
MAX_FALLING = 50
MIN_POINTS = 2
POSITIVE_POINTS = (
    (Fraction(17, 7), Fraction(29, 11), Fraction(43, 13), Fraction(61, 17), Fraction(83, 19)),
    (Fraction(5, 13), Fraction(97, 23), Fraction(3, 7), Fraction(71, 29), Fraction(11, 31)),
    (Fraction(131, 37), Fraction(7, 19), Fraction(59, 41), Fraction(2, 11), Fraction(149, 43)),
)
POSITIVE_COUNT = len(POSITIVE_POINTS) + 1
DRAWN_OVER = 1009

Value = Any
"""A ``Fraction`` if the value is exact, else an mpmath number."""

context: Any = mpmath.MPContext()
context.dps = DIGITS


class Undefined(ArithmeticError):
    """The expression has no value at this point, or its value is too large to represent."""


def evaluate(node: Node, point: Mapping[str, Fraction] | None = None) -> Value:
    """Evaluate an expression at a point. Raises ``Undefined``."""
    try:
        return _value(node, point or {})
    except (ZeroDivisionError, OverflowError, ValueError, RecursionError, TypeError) as error:
        raise Undefined(str(error)) from error


def constant(node: Node) -> Value | None:
    """Evaluate an expression without variables; None if it has variables or no value."""
    if collect_symbols(node):
        return None
    try:
        return evaluate(node)
    except Undefined:
        return None


def same_value(left: Value, right: Value) -> bool:
    """Return whether two values are equal, exactly if both are exact, else to ``TOLERANCE_DIGITS`` digits."""
    a, b = _alike(left, right)
    if isinstance(a, Fraction):
        return bool(a == b)
    scale = max(abs(a), abs(b))
    return bool(abs(a - b) <= context.mpf(10) ** -TOLERANCE_DIGITS * max(scale, context.mpf(10) ** -15))


def distance(left: Value, right: Value) -> Value:
    """Return the absolute difference, which is exact if both values are."""
    return abs(difference(left, right))


def difference(left: Value, right: Value) -> Value:
    """Return ``left - right``, which is exact if both values are."""
    return operator.sub(*_alike(left, right))


def at_most(left: Value, right: Value) -> bool:
    """Return whether ``left <= right``, for real values of either kind."""
    return bool(inexact(left) <= inexact(right))


def infinite_sign(node: Node) -> int:
    """Return 1 or -1 for plus or minus infinity, else 0."""
    if isinstance(node, Apply) and node.name == "neg":
        return -infinite_sign(node.args[0])
    return int(isinstance(node, Apply) and node.name == "oo")


def points_for(left: Node, right: Node) -> list[dict[str, Fraction]]:
    """Return ``POSITIVE_COUNT`` points with all variables positive, then some with one variable negative."""
    ordered = sorted(collect_symbols(left) | collect_symbols(right))
    points = [
        {name: row[index % len(row)] + index // len(row) for index, name in enumerate(ordered)}
        for row in POSITIVE_POINTS
    ]
    points.append({name: _draw(f"{name} {left} {right}") for name in ordered})
    points += [points[0] | {name: -points[1][name]} for name in ordered]
    return points


def _draw(text: str) -> Fraction:
    """Hash a text to a number between 0 and 5."""
    digest = hashlib.sha256(text.encode()).digest()
    return Fraction(1 + int.from_bytes(digest[:4], "big") % (5 * DRAWN_OVER - 1), DRAWN_OVER)


def same_expression(left: Node, right: Node) -> bool:
    """Return whether two expressions have the same value at every point where both are real."""
    if infinite_sign(left) or infinite_sign(right):
        return infinite_sign(left) == infinite_sign(right)
    names = collect_symbols(left) | collect_symbols(right)
    if not names:
        a, b = constant(left), constant(right)
        return a is not None and b is not None and same_value(a, b)
    seen = 0
    for number, a, b in _values_at_points(left, right):
        seen += 1
        if not same_value(a, b) and (number < POSITIVE_COUNT or (is_real(a) and is_real(b))):
            return False
    return seen >= MIN_POINTS


def constant_ratio(left: Node, right: Node) -> Value | None:
    """Return ``left / right`` if it is the same nonzero number at every point, else None."""
    ratios = []
    for _, a, b in _values_at_points(left, right):
        if same_value(a, Fraction(0)) or same_value(b, Fraction(0)):
            return None
        ratios.append(operator.truediv(*_alike(a, b)))
    if len(ratios) < MIN_POINTS or not all(same_value(ratios[0], ratio) for ratio in ratios):
        return None
    return ratios[0]


def _values_at_points(left: Node, right: Node) -> Iterator[tuple[int, Value, Value]]:
    """Yield the number of each point where both expressions have a value, with the two values."""
    for number, point in enumerate(points_for(left, right)):
        with suppress(Undefined):
            yield number, evaluate(left, point), evaluate(right, point)


def is_real(value: Value) -> bool:
    """Return whether a value is real."""
    return isinstance(value, Fraction) or bool(abs(context.im(value)) <= context.mpf(10) ** -TOLERANCE_DIGITS)


def inexact(value: Value) -> Value:
    """Convert a value to an mpmath number."""
    if isinstance(value, Fraction):
        return context.mpf(value.numerator) / context.mpf(value.denominator)
    return value


def _alike(*values: Value) -> Sequence[Value]:
    """Return the values unchanged if all are exact, else convert all of them to mpmath numbers."""
    return values if all(isinstance(value, Fraction) for value in values) else [*map(inexact, values)]


def _value(node: Node, point: Mapping[str, Fraction]) -> Value:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Symbol):
        if node.name not in point:
            raise Undefined(node.name)
        return point[node.name]
    operation = OPERATIONS.get(node.name)
    if operation is None:
        raise Undefined(node.name)
    value = operation(*(_value(arg, point) for arg in node.args))
    if isinstance(value, Fraction):
        return value if _bits(value) <= MAX_BITS else inexact(value)
    if context.isfinite(value):
        return value
    raise Undefined("not finite")


def _bits(value: Fraction) -> int:
    """Return an exact value's size in bits, which determines the cost of operations on it."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def _add(*terms: Value) -> Value:
    total = Fraction(0)
    for term in terms:
        if not isinstance(term, Fraction) or _bits(total) > MAX_BITS:
            return _inexact_sum(terms)
        total += term
    return total


def _inexact_sum(terms: Sequence[Value]) -> Value:
    """Add values; raise ``Undefined`` if rounding would lose a term, as in ``10^{20000} + 1``."""
    numbers = [inexact(term) for term in terms]
    least = max(map(abs, numbers)) * context.mpf(10) ** -TOLERANCE_DIGITS
    if any(term and isinstance(term, Fraction) and abs(inexact(term)) < least for term in terms):
        raise Undefined("terms too far apart")
    return context.fsum(numbers)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        if base == 0 and exponent <= 0:
            raise Undefined("zero to a power")
        bits = (base.numerator.bit_length() + base.denominator.bit_length()) * abs(exponent.numerator)
        if bits <= MAX_BITS:
            return base**exponent.numerator
    if isinstance(base, Fraction) and base == 0:
        return base
    b, p = inexact(base), inexact(exponent)
    if abs(p) > MAX_EXPONENT_BITS or abs(p) * abs(context.log(abs(b), 2)) > MAX_EXPONENT_BITS:
        raise Undefined("too large")
    return context.power(b, p)


def _root(base: Value, degree: Value) -> Value:
    if isinstance(base, Fraction) and degree == 2 and base >= 0:
        top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
        if top * top == base.numerator and bottom * bottom == base.denominator:
            return Fraction(top, bottom)
    if isinstance(base, Fraction) and base < 0 and isinstance(degree, Fraction) and degree.numerator % 2 == 1:
        if degree.denominator != 1:
            raise Undefined("fractional root")
        return -_power(-base, 1 / degree)
    return _power(base, operator.truediv(*_alike(Fraction(1), degree)))


def _factorial(value: Value) -> Value:
    if isinstance(value, Fraction) and value.denominator == 1 and 0 <= value <= MAX_FACTORIAL:
        return Fraction(math.factorial(value.numerator))
    if abs(inexact(value)) > MAX_FACTORIAL:
        raise Undefined("too large")
    return context.gamma(inexact(value) + 1)


def _binomial(top: Value, bottom: Value) -> Value:
    """Compute the binomial of ``top`` over a small integer ``bottom``; ``top`` need not be an integer."""
    if not isinstance(top, Fraction) or not isinstance(bottom, Fraction) or bottom.denominator != 1:
        raise Undefined("binomial of inexact numbers")
    if top.denominator == 1 and 0 <= bottom <= top <= MAX_FACTORIAL:
        return Fraction(math.comb(top.numerator, bottom.numerator))
    if not 0 <= bottom <= MAX_FALLING or abs(top) > MAX_FACTORIAL or _bits(top) * bottom > MAX_BITS:
        raise Undefined("binomial outside its range")
    return math.prod((Fraction(top - step, step + 1) for step in range(bottom.numerator)), start=Fraction(1))


def _logarithm(value: Value, base: Value = Fraction(10)) -> Value:
    return context.log(inexact(value)) / context.log(inexact(base))


def _make_rounding(
    exact: Callable[[Fraction], int], inexact: Callable[[Value], Value]
) -> Callable[[Value], Value]:
    """Make a rounding function that first snaps inexact numbers to a nearby integer.

    The function raises ``Undefined`` for numbers that are not real or have more digits than are compared.
    """

    def rounded(value: Value) -> Value:
        if isinstance(value, Fraction):
            return Fraction(exact(value))
        if not is_real(value) or abs(value) >= context.mpf(10) ** TOLERANCE_DIGITS:
            raise Undefined("not real, or too large")
        number = context.re(value)
        nearest = Fraction(int(context.nint(number)))
        return nearest if same_value(number, nearest) else Fraction(int(inexact(number)))

    return rounded


def _make_call(name: str) -> Callable[[Value], Value]:
    function = getattr(context, name)

    def called(value: Value) -> Value:
        number = inexact(value)
        if abs(number) > MAX_EXPONENT_BITS:
            raise Undefined("too large")
        return function(number)

    return called


def _make_extreme(choose: Callable[[list[Value]], Value]) -> Callable[..., Value]:
    def extreme(*values: Value) -> Value:
        if not all(is_real(value) for value in values):
            raise Undefined("not real")
        return choose([value if isinstance(value, Fraction) else context.re(value) for value in values])

    return extreme


def _make_whole(combine: Callable[..., int]) -> Callable[..., Value]:
    def whole(*values: Value) -> Value:
        if not all(isinstance(value, Fraction) and value.denominator == 1 for value in values):
            raise Undefined("not whole")
        if sum(map(_bits, values)) > MAX_BITS:
            raise Undefined("too large")
        return Fraction(combine(*(value.numerator for value in values)))

    return whole


OPERATIONS: dict[str, Callable[..., Value]] = {
    "add": _add,
    "neg": operator.neg,
    "mul": lambda left, right: operator.mul(*_alike(left, right)),
    "div": lambda left, right: operator.truediv(*_alike(left, right)),
    "pow": _power,
    "root": _root,
    "factorial": _factorial,
    "binom": _binomial,
    "abs": abs,
    "floor": _make_rounding(math.floor, context.floor),
    "ceil": _make_rounding(math.ceil, context.ceil),
    "pi": lambda: +context.pi,
    "e": lambda: +context.e,
    "i": lambda: context.mpc(0, 1),
    "ln": lambda value: context.log(inexact(value)),
    "log": _logarithm,
    "lg": _logarithm,
    "exp": lambda value: _power(+context.e, value),
    "max": _make_extreme(max),
    "min": _make_extreme(min),
    "gcd": _make_whole(math.gcd),
    "lcm": _make_whole(math.lcm),
    "Re": lambda value: context.re(inexact(value)),
    "Im": lambda value: context.im(inexact(value)),
    **{name: _make_call(name) for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")},
    **{f"arc{name}": _make_call(f"a{name}") for name in ("sin", "cos", "tan")},
}
