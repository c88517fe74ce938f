"""Expressions in answers, parsed with a short list of permitted nodes and never evaluated by Python."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from verifiers.puzzles.rule import Puzzle

EXPRESSION_CHARS = 1_000
CHARACTERS = re.compile(r"[A-Za-z0-9+\-*/()., \n\t]+")
DIGIT_BEFORE_LETTER = re.compile(r"\d[A-Za-z_]|[A-Za-z]\d")
POWER_MAX = 1_000

Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]


def parse_tree(text: str) -> ast.expr | None:
    """Parse an expression of numbers, names, ``+ - * / **`` and calls; None for anything else."""
    if len(text) > EXPRESSION_CHARS or not CHARACTERS.fullmatch(text) or DIGIT_BEFORE_LETTER.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def arithmetic(puzzle: Puzzle, answer: str) -> bool | None:
    """Require an expression that equals the target and uses each given number once, with ``+ - * /`` only."""
    tree = parse_tree(answer)
    if tree is None:
        return None
    used: list[int] = []
    try:
        value = _value(tree, used)
    except ZeroDivisionError:
        return False
    except (ValueError, RecursionError):
        return None
    return Counter(used) == Counter(puzzle.facts["numbers"]) and value == puzzle.facts["target"]


def _value(node: ast.expr, used: list[int]) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        used.append(node.value)
        return Fraction(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _value(node.operand, used)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in FOUR:
        return FOUR[type(node.op)](_value(node.left, used), _value(node.right, used))
    raise ValueError("not arithmetic")


FOUR: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}


def polynomial(text: str) -> frozenset[tuple[Monomial, Fraction]] | None:
    """Parse an expanded polynomial: a sum of products of numbers and powers of variables.

    Anything else, such as the unexpanded product in the question, gives None.
    """
    tree = parse_tree(text)
    if tree is None:
        return None
    terms: Polynomial = {}
    try:
        for sign, term in _terms(tree, 1):
            powers: Counter[str] = Counter()
            factor = _product(term, powers)
            monomial = tuple(sorted((name, power) for name, power in powers.items() if power))
            terms[monomial] = terms.get(monomial, Fraction(0)) + sign * factor
    except (ValueError, RecursionError):
        return None
    return frozenset((monomial, factor) for monomial, factor in terms.items() if factor)


def _terms(node: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        yield from _terms(node.operand, -sign if isinstance(node.op, ast.USub) else sign)
    else:
        yield sign, node


def _product(node: ast.expr, powers: Counter[str]) -> Fraction:
    """Return a product's coefficient, and add its variables to ``powers``."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.Name):
        powers[node.id] += 1
        return Fraction(1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_product(node.operand, powers)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _product(node.left, powers) * _product(node.right, powers)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Name):
        exponent = node.right
        if isinstance(exponent, ast.Constant) and type(exponent.value) is int and exponent.value <= POWER_MAX:
            powers[node.left.id] += exponent.value
            return Fraction(1)
    raise ValueError("not a product of numbers and powers")
