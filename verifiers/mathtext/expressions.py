"""A recursive-descent parser of one scalar expression, in LaTeX or plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from verifiers.mathtext.vocabulary import CONSTANTS, FUNCTIONS, GREEK, NOT_PRODUCTS

MAX_DEPTH = 60
MAX_DIGITS = 400


class NotAnExpression(ValueError):
    """The text is not an expression in this grammar."""


@dataclass(frozen=True)
class Number:
    """An exact rational; ``places`` counts the digits written after a decimal point."""

    value: Fraction
    places: int = 0


@dataclass(frozen=True)
class Symbol:
    name: str


@dataclass(frozen=True)
class Apply:
    """A known operation; ``pi``, ``e``, ``i`` and ``oo`` are operations without arguments."""

    name: str
    args: tuple[Node, ...] = ()


Node = Number | Symbol | Apply

FACTOR_COMMANDS = (
    FUNCTIONS | CONSTANTS.keys() | GREEK | {"frac", "sqrt", "binom", "operatorname", "text", "overline"}
)
INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
FENCES = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
OPERATORS = {"*": "mul", "\\times": "mul", "\\cdot": "mul", "\\ast": "mul", "/": "div", "\\div": "div"}
LONGEST_PRODUCT = 3
PIECE = re.compile(r"\s*(\\[A-Za-z]+|\\[{}|%]|\d+\.?\d*|\.\d+|[A-Za-z]+'*|\S)", re.ASCII)


def parse_expression(text: str) -> Node:
    """Parse one expression that takes up the whole text. Raises ``NotAnExpression``."""
    reader = _Reader(text)
    node = reader.sum()
    if reader.peek():
        raise NotAnExpression(text)
    return node


def collect_symbols(node: Node) -> frozenset[str]:
    """Return the names of an expression's variables."""
    if isinstance(node, Symbol):
        return frozenset([node.name])
    if isinstance(node, Apply):
        return frozenset().union(*(collect_symbols(arg) for arg in node.args))
    return frozenset()


def replace_symbol(node: Node, name: str, by: Node) -> Node:
    """Replace a symbol everywhere in an expression."""
    if isinstance(node, Symbol):
        return by if node.name == name else node
    if isinstance(node, Apply):
        return Apply(node.name, tuple(replace_symbol(arg, name, by) for arg in node.args))
    return node


def negate(node: Node) -> Node:
    """Negate an expression."""
    return Number(-node.value, node.places) if isinstance(node, Number) else Apply("neg", (node,))


class _Reader:
    """Cursor over a text's tokens; each method parses one grammar level and may raise ``NotAnExpression``."""

    def __init__(self, text: str) -> None:
        self.pieces: list[str] = []
        self.spaced: list[bool] = []
        for match in PIECE.finditer(text):
            for piece in _split_letters(match[1]):
                self.pieces.append(piece)
                self.spaced.append(match.start() < match.start(1))
        self.position = 0
        self.depth = 0
        self.bars = 0

    def peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.pieces[index] if index < len(self.pieces) else ""

    def take(self, expected: str = "") -> str:
        piece = self.peek()
        if not piece or (expected and piece != expected):
            raise NotAnExpression(f"{expected or 'more'} expected")
        self.position += 1
        return piece

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotAnExpression("nested too deep")
        terms = [self.signed_term()]
        while self.peek() in ("+", "-"):
            terms.append(self.signed_term())
        self.depth -= 1
        return terms[0] if len(terms) == 1 else Apply("add", tuple(terms))

    def signed_term(self) -> Node:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take() == "-"
        return negate(self.term()) if negative else self.term()

    def term(self) -> Node:
        node = self.factor()
        while True:
            piece = self.peek()
            if piece in OPERATORS:
                node = Apply(OPERATORS[self.take()], (node, self.signed_factor()))
            elif piece and self.starts_factor(piece):
                node = self.joined(node)
            else:
                return node

    def joined(self, left: Node) -> Node:
        """Parse a factor right after ``left``: a product, or a mixed number such as ``2\\frac{1}{3}``."""
        is_whole = _is_digits(self.peek(-1)) and isinstance(left, Number)
        start = self.position
        right = self.factor()
        if is_whole and isinstance(left, Number):
            if _is_digits(self.pieces[start]) and self.peek() == "/" and _is_digits(self.peek(1)):
                self.take()
                right = Apply("div", (right, self.factor()))
                if not self.spaced[start]:
                    raise NotAnExpression("digits without an operator")
            elif isinstance(right, Number):
                raise NotAnExpression("two numbers side by side")
            if _is_proper_fraction(right):
                return Apply("add", (left, right))
            if _is_digits(self.pieces[start]):
                raise NotAnExpression("two numbers side by side")
        elif isinstance(right, Number) and self.pieces[start][0] in ".0123456789":
            raise NotAnExpression("a number after a factor")
        return Apply("mul", (left, right))

    def signed_factor(self) -> Node:
        if self.peek() not in ("+", "-"):
            return self.factor()
        return negate(self.signed_factor()) if self.take() == "-" else self.signed_factor()

    def starts_factor(self, piece: str) -> bool:
        if piece == "|":
            return not self.bars
        if piece.startswith("\\"):
            return piece in FENCES or piece[1:] in FACTOR_COMMANDS
        return piece[0].isalnum() or piece[0] == "." or piece in ("(", "{", "[")

    def factor(self) -> Node:
        node = self.base()
        while True:
            piece = self.peek()
            if piece == "^":
                node = self.power(node)
            elif piece == "!":
                self.take()
                node = Apply("factorial", (node,))
            elif piece == "\\%":
                self.take()
                node = Apply("div", (node, Number(Fraction(100))))
            else:
                return node

    def power(self, node: Node) -> Node:
        self.take("^")
        node = Apply("pow", (node, self.exponent()))
        if self.peek() == "^":
            raise NotAnExpression("a power of a power without braces")
        return node

    def exponent(self) -> Node:
        return self.signed_factor() if self.peek() in ("+", "-") else self.base()

    def base(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotAnExpression("nested too deep")
        piece = self.take()
        node = self.command(piece[1:]) if piece.startswith("\\") and piece not in FENCES else self.atom(piece)
        self.depth -= 1
        return node

    def atom(self, piece: str) -> Node:
        if piece in FENCES:
            node = self.sum()
            self.take(FENCES[piece])
            return Apply(piece[2:], (node,)) if piece in ("\\lfloor", "\\lceil") else node
        if piece == "|":
            self.bars += 1
            node = self.sum()
            self.take("|")
            self.bars -= 1
            return Apply("abs", (node,))
        if _is_digits(piece[0]) or piece[0] == ".":
            return self.number(piece)
        if piece[0].isalpha():
            return self.symbol(piece)
        raise NotAnExpression(f"{piece} is not a factor")

    def number(self, piece: str) -> Node:
        if len(piece) > MAX_DIGITS or piece == "." or (piece.endswith(".") and self.peek() != "\\overline"):
            raise NotAnExpression("not a number")
        whole, _, decimals = piece.partition(".")
        value = Fraction((whole or "0") + ("." + decimals if decimals else ""))
        if self.peek() == "\\overline" and "." in piece:
            self.take()
            block = "".join(self.braced())
            if not _is_digits(block):
                raise NotAnExpression("a repeating block is digits")
            value += Fraction(int(block), (10 ** len(block) - 1) * 10 ** len(decimals))
            return Number(value)
        return Number(value, len(decimals))

    def symbol(self, piece: str) -> Node:
        if piece in ("e", "i"):
            return Apply(piece)
        return Symbol(piece + self.subscript())

    def subscript(self) -> str:
        if self.peek() != "_":
            return ""
        self.take()
        return "_" + "".join(self.braced() if self.peek() == "{" else [self.take()])

    def braced(self) -> Sequence[str]:
        """Return the raw tokens between braces."""
        self.take("{")
        start = self.position
        depth = 1
        while depth:
            piece = self.take()
            depth += (piece == "{") - (piece == "}")
        return self.pieces[start : self.position - 1]

    def command(self, name: str) -> Node:
        if name in CONSTANTS:
            return Apply(CONSTANTS[name])
        if name in GREEK:
            return Symbol("\\" + name + self.subscript())
        if name in ("frac", "binom"):
            return Apply("div" if name == "frac" else "binom", (self.argument(), self.argument()))
        if name == "sqrt":
            return self.root()
        if name in ("operatorname", "text"):
            name = "".join(self.braced()).lstrip("\\")
            if len(name) == 1 and name.isalpha():
                return self.symbol(name)
        if name in FUNCTIONS:
            return self.function(name)
        raise NotAnExpression(f"{name} is not known")

    def argument(self) -> Node:
        """Parse one LaTeX argument; without braces it is a single digit, as in ``\\frac12``."""
        piece = self.peek()
        if _is_digits(piece) and len(piece) > 1:
            self.pieces[self.position] = piece[1:]
            return Number(Fraction(int(piece[0])))
        return self.base()

    def root(self) -> Node:
        degree: Node = Number(Fraction(2))
        if self.peek() == "[":
            self.take()
            degree = self.sum()
            self.take("]")
        return Apply("root", (self.base(), degree))

    def function(self, name: str) -> Node:
        power: Node | None = None
        base = ""
        while self.peek() in ("^", "_"):
            if self.peek() == "^":
                self.take()
                power = self.exponent()
            else:
                base = self.subscript()[1:]
        if power == Number(Fraction(-1)) and name in INVERSES:
            name, power = INVERSES[name], None
        node = Apply(name, (*self.arguments(), *([parse_expression(base)] if base else [])))
        return Apply("pow", (node, power)) if power is not None else node

    def arguments(self) -> tuple[Node, ...]:
        """Parse a function's operand: arguments in brackets, separated by commas, or the factors after it."""
        if self.peek() in ("(", "[", "{"):
            closing = FENCES[self.take()]
            parts = [self.sum()]
            while self.peek() == ",":
                self.take()
                parts.append(self.sum())
            self.take(closing)
            return tuple(parts)
        node = self.factor()
        while (piece := self.peek()) and self.starts_factor(piece) and not self.ends_argument(piece):
            node = self.joined(node)
        return (node,)

    def ends_argument(self, piece: str) -> bool:
        return piece in FENCES or piece[1:] in FUNCTIONS


def _split_letters(piece: str) -> list[str]:
    """Split a run of letters into known names and single symbols. Raises ``NotAnExpression`` for a word."""
    if not piece[0].isalpha() or len(piece.rstrip("'")) == 1:
        return [piece]
    if piece in FUNCTIONS or piece in CONSTANTS or piece == "sqrt":
        return ["\\" + piece]
    if len(piece) > LONGEST_PRODUCT or piece.lower() in NOT_PRODUCTS or "'" in piece:
        raise NotAnExpression(f"{piece} is a word")
    return list(piece)


def _is_digits(text: str) -> bool:
    """Return whether the text is all ASCII digits; ``str.isdigit`` also accepts signs that are no numbers."""
    return text.isascii() and text.isdigit()


def _is_proper_fraction(node: Node) -> bool:
    if not (isinstance(node, Apply) and node.name == "div"):
        return False
    top, bottom = node.args
    if not isinstance(top, Number) or not isinstance(bottom, Number):
        return False
    return not top.places and not bottom.places and 0 < top.value < bottom.value
