"""Finished work, as opposed to an equal value that still has the form of the question.

"3 + 4" does not answer "Compute 3 + 4", nor does "(x+1)(x+2)" answer "Expand (x+1)(x+2)". The official check
(``math_equivalence.py`` of hendrycks/math) refuses both because it compares strings; a comparison of values
needs this additional rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import is_dataclass
from fractions import Fraction

from verifiers.mathtext.expressions import Apply, Node, Number, Symbol
from verifiers.mathtext.forms import Form
from verifiers.mathtext.values import constant

PLAIN = frozenset(["add", "neg", "mul", "div", "pow", "root", "abs", "pi", "e", "i", "oo"])
TEN = Number(Fraction(10))
HUNDRED = Number(Fraction(100))


def is_finished(gold: Form, answer: Form) -> bool:
    """Return whether the answer leaves no more work than the gold, and is factored exactly if the gold is."""
    allowed, left = _work_in(gold), _work_in(answer)
    is_no_more = left["calls"] <= allowed["calls"] and left["undone"] <= allowed["undone"]
    return is_no_more and (left["products"] > 0) == (allowed["products"] > 0)


def _work_in(value: object) -> Counter[str]:
    """Count the work that a form leaves undone: function calls, arithmetic on numbers, products of sums."""
    if isinstance(value, tuple):
        return sum(map(_work_in, value), Counter())
    work: Counter[str] = Counter()
    if isinstance(value, Apply):
        work["calls"] = value.name not in PLAIN
        work["undone"] = _is_undone(value)
        work["products"] = _is_product_of_sums(value)
    inner = vars(value).values() if is_dataclass(value) else ()
    return sum(map(_work_in, inner), work)


def _is_undone(node: Apply) -> bool:
    """Return whether a node is arithmetic on plain numbers, or a sum of function values.

    Mixed numbers, scientific notation, fractions, percentages and powers do not count as arithmetic, since
    they are ways of writing a number.
    """
    if node.name == "add" and sum(_has_call(arg) for arg in node.args) > 1:
        return True
    if node.name not in ("add", "mul", "div") or not all(_is_written_number(arg) for arg in node.args):
        return False
    first, second = node.args[0], node.args[1]
    if node.name == "div":
        value = constant(node)
        return second != HUNDRED and isinstance(value, Fraction) and value.denominator == 1
    if node.name == "mul":
        return not (isinstance(second, Apply) and second.name == "pow" and second.args[0] == TEN)
    return not (isinstance(first, Number) and _is_fraction(second) and len(node.args) == 2)


def _has_call(node: Node) -> bool:
    return isinstance(node, Apply) and (node.name not in PLAIN or any(map(_has_call, node.args)))


def _is_written_number(node: Node) -> bool:
    if isinstance(node, Apply):
        return node.name in ("neg", "div", "pow", "add", "mul") and all(map(_is_written_number, node.args))
    return isinstance(node, Number)


def _is_fraction(node: Node) -> bool:
    value = constant(node)
    return isinstance(node, Apply) and node.name == "div" and isinstance(value, Fraction) and 0 < value < 1


def _is_product_of_sums(node: Apply) -> bool:
    if node.name == "pow":
        return _has_sum(node.args[0]) and isinstance(node.args[1], Number)
    return (
        node.name == "mul"
        and all(_has_sum(arg) or _is_power_of_letter(arg) for arg in node.args)
        and any(map(_has_sum, node.args))
    )


def _has_sum(node: Node) -> bool:
    return isinstance(node, Apply) and (
        node.name == "add" or (node.name in ("mul", "pow", "neg") and any(map(_has_sum, node.args)))
    )


def _is_power_of_letter(node: Node) -> bool:
    """Return whether a node is ``x`` or ``x^2``, since ``x(x + 1)`` is a product of factors too."""
    base = node.args[0] if isinstance(node, Apply) and node.name == "pow" else node
    return isinstance(base, Symbol)
