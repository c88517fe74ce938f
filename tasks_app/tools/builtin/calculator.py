"""A calculator with its own small grammar, which computes with exact fractions of bounded size.

sum = product {("+" | "-") product}; product = signed {("*" | "/") signed};
signed = ("-" | "+") signed | power;
power = atom ["^" signed]; atom = number | "(" sum ")".
"""

from __future__ import annotations

import re
from fractions import Fraction

from tasks_app.tools.data import ToolData
from tasks_app.tools.readers import number_text
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

TOKEN = re.compile(r"\s*(\d{1,15}(?:\.\d{1,10})?|\*\*|[-+*/^()])", re.ASCII)
SIGNS = str.maketrans({"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/"})
BITS_MAX = 512
EXPONENT_MAX = 64
DEPTH_MAX = 20
END = ""


class _Parser:
    """A parser that computes while it reads from left to right."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, END]
        self._place = 0
        self._depth = 0

    @property
    def next(self) -> str:
        return self._tokens[self._place]

    def take(self) -> str:
        self._place += 1
        return self._tokens[self._place - 1]

    def sum(self) -> Fraction:
        total = self._product()
        while self.next in ("+", "-"):
            total = _bounded(total + self._product() if self.take() == "+" else total - self._product())
        return total

    def _product(self) -> Fraction:
        total = self._signed()
        while self.next in ("*", "/"):
            is_times = self.take() == "*"
            factor = self._signed()
            if not is_times and not factor:
                raise ToolError("This divides by zero.")
            total = _bounded(total * factor if is_times else total / factor)
        return total

    def _signed(self) -> Fraction:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise ToolError("This calculation is nested too deeply.")
        if self.next in ("+", "-"):
            value = -self._signed() if self.take() == "-" else self._signed()
        else:
            value = self._power()
        self._depth -= 1
        return value

    def _power(self) -> Fraction:
        base = self._atom()
        if self.next not in ("^", "**"):
            return base
        self.take()
        return _power(base, self._signed())

    def _atom(self) -> Fraction:
        part = self.take()
        if part == "(":
            value = self.sum()
            if self.take() != ")":
                raise ToolError("A bracket is not closed.")
            return value
        if not part[:1].isdigit():
            raise ToolError(f"A number is missing {f'before {part!r}' if part else 'at the end'}.")
        return Fraction(part)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > EXPONENT_MAX:
        raise ToolError(f"Exponents are whole numbers of at most {EXPONENT_MAX}.")
    if not base and exponent < 0:
        raise ToolError("This divides by zero.")
    if _bits(base) * abs(exponent) > BITS_MAX:
        raise ToolError("This number is too long.")
    return base ** int(exponent)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Fraction) -> Fraction:
    if _bits(value) > BITS_MAX:
        raise ToolError("This number is too long.")
    return value


def evaluate(expression: str) -> Fraction:
    """Evaluate an expression exactly. Raises ``ToolError``."""
    text, tokens, position = expression.translate(SIGNS).rstrip(), [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            rest = text[position:].strip()[:20]
            raise ToolError(f"{rest!r} cannot be calculated: write numbers, + - * / ^ and brackets.")
        tokens.append(match[1])
        position = match.end()
    parser = _Parser(tokens)
    value = parser.sum()
    if parser.next != END:
        raise ToolError(f"An operation is missing before {parser.next!r}.")
    return value


def read(text: str, _data: ToolData) -> str:
    """Replace an expression by its value, so that expressions of equal value are equal arguments."""
    return number_text(evaluate(text))


def run(values: Arguments, _data: ToolData) -> str:
    return values["expression"]


tool_register(
    Tool(
        id="calculator",
        title="Calculator",
        description="Calculates with + - * / ^ and brackets. Results have at most six decimals.",
        button="Calculate",
        fields=(
            Field(
                name="expression", label="Calculation", kind="number", read=read, hint="such as (3 + 4) * 2.5"
            ),
        ),
        run=run,
    )
)
