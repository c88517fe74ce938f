"""Antiderivatives, checked by their derivative at chosen points.

An answer that just names the integral (``Integral(...)``) would have the right derivative, so only elementary
functions are accepted. The derivative is computed along with each value (forward automatic differentiation)
to 50 digits, so in practice an expression that agrees at every point is right.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath  # type: ignore[import-untyped]

from verifiers.puzzles.expressions import parse_tree
from verifiers.puzzles.rule import Puzzle
from verifiers.types import UnparsableGold

DIGITS = 50
TOLERANCE = "1e-25"
SIZE_MAX = "1e400"
SIZE_MIN = "1e-400"
EXPONENT_MAX = 1_000
OPERATIONS_MAX = 200  # a generated antiderivative has about a dozen
# On both sides of zero, inside and outside the unit interval; not rational multiples of pi.
POINTS = ("0.37", "-0.61", "1.43", "-1.87", "2.71", "0.083", "-0.129", "3.3")
POINTS_NEEDED = 2
CONSTANT = "C"

# The module's shared context has whatever precision was set last, so we use a context of our own.
m: Any = mpmath.MPContext()
m.dps = DIGITS


@dataclass(frozen=True)
class Dual:
    """A value and its derivative, both complex."""

    value: Any
    slope: Any


def antiderivative(puzzle: Puzzle, answer: str) -> bool | None:
    """Accept an expression whose derivative equals the integrand at each point where both are defined.

    Raises ``UnparsableGold``.
    """
    integrand = parse_tree(puzzle.facts["integrand"])
    candidate = parse_tree(answer)
    if integrand is None:
        raise UnparsableGold("the integrand cannot be read")
    if candidate is None or not _is_known(candidate, variable=puzzle.facts["variable"]):
        return None
    seen = 0
    for point in POINTS:
        agrees = _agrees(candidate, integrand, variable=puzzle.facts["variable"], at=point)
        if agrees is False:
            return False
        seen += agrees is True
    return seen >= POINTS_NEEDED


def _agrees(candidate: ast.expr, integrand: ast.expr, *, variable: str, at: str) -> bool | None:
    """Return whether the slope equals the integrand at a point; None if one of them is not defined there."""
    point = {variable: Dual(m.mpc(at), m.mpc(1)), CONSTANT: Dual(m.mpc(7), m.mpc(0))}
    try:
        slope = _dual(candidate, point).slope
        value = _dual(integrand, point).value
    except (ZeroDivisionError, ValueError, OverflowError, RecursionError):
        return None
    return bool(abs(slope - value) <= m.mpf(TOLERANCE) * (1 + abs(value)))


def _is_known(tree: ast.expr, *, variable: str) -> bool:
    calls = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in calls}
    operations = sum(isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call) for node in ast.walk(tree))
    is_short = operations <= OPERATIONS_MAX
    return is_short and names <= {variable, CONSTANT, "pi", "E"} and all(map(_is_known_node, ast.walk(tree)))


def _is_known_node(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        is_function = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
        return is_function and len(node.args) == 1 and not node.keywords
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Name | ast.Load | ast.operator | ast.unaryop)


def _dual(node: ast.expr, point: dict[str, Dual]) -> Dual:
    """Evaluate a node and its derivative. Raises ``ArithmeticError`` or ``ValueError`` if it has no value."""
    if isinstance(node, ast.Constant):
        return _check_bounds(Dual(m.mpc(str(node.value)), m.mpc(0)))
    if isinstance(node, ast.Name):
        constants = {"pi": Dual(m.pi * m.mpc(1), m.mpc(0)), "E": Dual(m.exp(1), m.mpc(0))}
        return {**constants, **point}[node.id]
    if isinstance(node, ast.UnaryOp):
        inner = _dual(node.operand, point)
        return Dual(-inner.value, -inner.slope) if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        inner = _dual(node.args[0], point)
        value, slope = FUNCTIONS[node.func.id](inner.value)
        return _check_bounds(Dual(value, slope * inner.slope))
    if isinstance(node, ast.BinOp) and type(node.op) in COMBINED:
        return _check_bounds(COMBINED[type(node.op)](_dual(node.left, point), _dual(node.right, point)))
    raise ValueError("not an expression")


def _power(base: Dual, exponent: Dual) -> Dual:
    if abs(exponent.value) > EXPONENT_MAX:
        raise OverflowError("the exponent is too large")
    value = base.value**exponent.value
    slope = exponent.value * base.value ** (exponent.value - 1) * base.slope
    if exponent.slope:
        slope += value * m.log(base.value) * exponent.slope
    return Dual(value, slope)


def _check_bounds(value: Dual) -> Dual:
    """Reject values so large, or so close to zero, that evaluating the next function would take forever.

    The logarithm of ``1 + 1e-1000000j``, for instance, needs millions of digits.
    """
    parts = [abs(part) for number in (value.value, value.slope) for part in (number.real, number.imag)]
    if not all(not part or m.mpf(SIZE_MIN) <= part <= m.mpf(SIZE_MAX) for part in parts):
        raise OverflowError("the value is not finite, too large or too small")
    return value


COMBINED: dict[type[ast.operator], Callable[[Dual, Dual], Dual]] = {
    ast.Add: lambda a, b: Dual(a.value + b.value, a.slope + b.slope),
    ast.Sub: lambda a, b: Dual(a.value - b.value, a.slope - b.slope),
    ast.Mult: lambda a, b: Dual(a.value * b.value, a.slope * b.value + a.value * b.slope),
    ast.Div: lambda a, b: Dual(a.value / b.value, (a.slope * b.value - a.value * b.slope) / b.value**2),
    ast.Pow: _power,
}

FUNCTIONS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "sin": lambda x: (m.sin(x), m.cos(x)),
    "cos": lambda x: (m.cos(x), -m.sin(x)),
    "tan": lambda x: (m.tan(x), 1 / m.cos(x) ** 2),
    "exp": lambda x: (m.exp(x), m.exp(x)),
    "log": lambda x: (m.log(x), 1 / x),
    "ln": lambda x: (m.log(x), 1 / x),
    "sqrt": lambda x: (m.sqrt(x), 1 / (2 * m.sqrt(x))),
    "asin": lambda x: (m.asin(x), 1 / m.sqrt(1 - x**2)),
    "acos": lambda x: (m.acos(x), -1 / m.sqrt(1 - x**2)),
    "atan": lambda x: (m.atan(x), 1 / (1 + x**2)),
    "sinh": lambda x: (m.sinh(x), m.cosh(x)),
    "cosh": lambda x: (m.cosh(x), m.sinh(x)),
    "tanh": lambda x: (m.tanh(x), 1 / m.cosh(x) ** 2),
}
"""Functions that return each elementary function's value and derivative at a point."""
