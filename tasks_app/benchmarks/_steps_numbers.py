"""Step-by-step derivations of the answers to generated puzzles about numbers.

Each function takes the question and the answer and returns the steps; the last step contains the answer that
the steps lead to. It returns no steps for a question that it cannot parse.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction

EXPRESSION = re.compile(r"[-\d.+*/() ]*\d[-\d.+*/() ]*")
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
EXACT = Context(prec=60)
BASE = re.compile(
    r"convert the (?:base-(\d+)|(binary|octal|decimal|hexadecimal)) number (\w+) to (?:base-)?(\w+)"
)
BASES = {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LINEAR = re.compile(r": (?:(\d+)\*(\w) ([+-]) (\d+)|(\d+) ([+-]) (\d+)\*(\w)) = (-?\d+)\Z")
SIBLINGS = re.compile(
    r"(\w+) has (\d+) (brothers|sisters) and she also has (\d+) (?:brothers|sisters)\. "
    r"How many sisters does \w+'s brother have\?\Z"
)
PRIMES_EACH = 5


def expression(question: str, answer: str) -> list[str]:
    """Evaluate one operation after another, inner brackets first."""
    formula = re.search(r"(?:problem|multiplication|Calculate|Evaluate|Find|Determine)[:\s]*(.+)", question)
    match = EXPRESSION.search(formula[1].rstrip("=?. ")) if formula else None
    if match is None:
        return []
    written = match[0].strip(" .")
    try:
        tree = ast.parse(written, mode="eval").body
    except SyntaxError:
        return []
    steps: list[str] = []
    value = _evaluated(tree, written, steps)
    return steps if value is not None and Fraction(value) == _number(answer) else []


def _evaluated(tree: ast.expr, written: str, steps: list[str]) -> Decimal | None:
    """Evaluate exactly and append each operation to ``steps``; None if a division leaves a remainder."""
    if isinstance(tree, ast.Constant):
        return Decimal(ast.get_source_segment(written, tree) or "")
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
        inner = _evaluated(tree.operand, written, steps)
        if inner is None or isinstance(tree.op, ast.UAdd):
            return inner
        if not isinstance(tree.operand, ast.Constant):
            steps.append(f"-({inner:f}) = {-inner:f}")
        return -inner
    if not isinstance(tree, ast.BinOp) or type(tree.op) not in OPERATORS:
        return None
    left, right = _evaluated(tree.left, written, steps), _evaluated(tree.right, written, steps)
    sign = OPERATORS[type(tree.op)]
    if left is None or right is None or (sign == "/" and (not right or left % right)):
        return None
    way = {"+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply, "/": EXACT.divide}[sign]
    result = way(left, right)
    steps.append(f"{left:f} {sign} {f'({right:f})' if right < 0 else f'{right:f}'} = {result:f}")
    return result


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip())
    except ValueError:
        return None


def bits(question: str, answer: str) -> list[str]:
    """Write the number in binary and count the ones in each half."""
    number = int(re.findall(r"\d+", question)[-1])
    digits = f"{number:b}"
    first, last = digits[: len(digits) // 2], digits[len(digits) // 2 :]
    return [
        f"In binary {number} is {digits}.",
        *(f"Of these digits {part} has {part.count('1')} ones." for part in (first, last) if part),
        f"Together {first.count('1')} + {last.count('1')} = {digits.count('1')}.",
    ]


def factors(question: str, answer: str) -> list[str]:
    """Divide by one prime after another."""
    number = left = int(re.findall(r"\d+", question)[0])
    steps, primes = [], []
    for prime in map(int, re.findall(r"\d+", answer)):
        if left % prime or prime < 2:
            return []
        primes.append(prime)
        if left != prime:
            steps.append(f"{prime} divides {left}: {left} = {prime} × {left // prime}.")
        left //= prime
    return [*steps, f"So {number} = {' × '.join(map(str, primes))}."] if left == 1 else []


def common_divisor(question: str, answer: str) -> list[str]:
    numbers = [int(number) for number in re.findall(r"\d+", question)]
    steps, divisor = _euclid(numbers)
    return [*steps, f"So the greatest common divisor is {divisor}."]


def common_multiple(question: str, answer: str) -> list[str]:
    numbers = [int(number) for number in re.findall(r"\d+", question)]
    steps, multiple = [], numbers[0]
    for number in numbers[1:]:
        more, divisor = _euclid([multiple, number])
        following = multiple // divisor * number
        steps += [*more, f"{multiple} * {number} / {divisor} = {following}."]
        multiple = following
    return [*steps, f"So the least common multiple is {multiple}."]


def _euclid(numbers: list[int]) -> tuple[list[str], int]:
    """Apply the Euclidean algorithm until the greatest common divisor is left."""
    steps, divisor = [], numbers[0]
    for number in numbers[1:]:
        larger, smaller = max(divisor, number), min(divisor, number)
        while smaller:
            steps.append(f"{larger} = {larger // smaller} * {smaller} + {larger % smaller}.")
            larger, smaller = smaller, larger % smaller
        divisor = larger
    return steps, divisor


def fraction(question: str, answer: str) -> list[str]:
    above, below = (int(number) for number in re.findall(r"\d+", question)[:2])
    steps, divisor = _euclid([above, below])
    if [str(above // divisor), str(below // divisor)] != re.findall(r"\d+", answer):
        return []
    return [
        *steps,
        f"Both are divided by {divisor}: {above} / {divisor} = {above // divisor}.",
        f"{below} / {divisor} = {below // divisor}, so the fraction is {answer}.",
    ]


def base(question: str, answer: str) -> list[str]:
    """Convert through base ten; the remainders give the digits from last to first."""
    match = BASE.search(question)
    if match is None:
        return []
    source, target = int(match[1] or BASES[match[2]]), int(BASES.get(match[4], match[4]))
    number = int(match[3], source)
    steps = [f"In base ten {match[3]} is {number}."] if source != 10 else []
    digits, left = "", number
    while target != 10 and left:
        quotient, rest = divmod(left, target)
        digit = DIGITS[rest]
        meaning = f", which is written {digit}" if rest > 9 else ""
        steps.append(f"{left} = {quotient} * {target} + {rest}{meaning}.")
        digits, left = digit + digits, quotient
    return [*steps, f"So it is {digits or number}."]


def equation(question: str, answer: str) -> list[str]:
    match = LINEAR.search(question.strip())
    if match is None:
        return []
    total = int(match[9])
    if match[1]:
        factor, name, other = int(match[1]), match[2], int(match[4])
        product = total - other if match[3] == "+" else total + other
        first = f"{factor}*{name} = {total} {'-' if match[3] == '+' else '+'} {other} = {product}."
    else:
        other, factor, name = int(match[5]), int(match[7]), match[8]
        product = total - other if match[6] == "+" else other - total
        ends = (total, other) if match[6] == "+" else (other, total)
        first = f"{factor}*{name} = {ends[0]} - {ends[1]} = {product}."
    return [] if product % factor else [first, f"{name} = {product} / {factor} = {product // factor}."]


def primes(question: str, answer: str) -> list[str]:
    low, high = (int(number) for number in re.findall(r"\d+", question)[:2])
    listed = [n for n in range(max(2, low), high + 1) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    groups = [listed[first : first + PRIMES_EACH] for first in range(0, len(listed), PRIMES_EACH)]
    return [
        *(f"{', '.join(map(str, group))} {'is' if len(group) == 1 else 'are'} prime." for group in groups),
        f"That makes {len(listed)} primes.",
    ]


def siblings(question: str, answer: str) -> list[str]:
    match = SIBLINGS.match(question)
    if match is None:
        return []
    sisters = int(match[2] if match[3] == "sisters" else match[4])
    who = "sister, who is one" if sisters == 1 else "sisters, who are sisters"
    return [
        f"{match[1]} has {sisters} {who} of her brothers too.",
        f"{match[1]} herself is one more sister of her brothers.",
        f"{sisters} + 1 = {sisters + 1}.",
    ]


def filtered(question: str, answer: str) -> list[str]:
    """Decide for each number whether it stays."""
    match = re.search(
        r"(Remove|Keep) all numbers (larger|smaller) than (\S+) in this list: \[(.*)\]", question
    )
    if match is None:
        return []
    stay = re.findall(r"'([^']+)'", answer)
    steps = list(_filter_steps(re.findall(r"'([^']+)'", match[4]), match[1], match[2], match[3], stay))
    return [*steps, f"So the list is {answer}."]


def _filter_steps(numbers: list[str], act: str, side: str, bound: str, stay: list[str]) -> Iterator[str]:
    for number in numbers:
        is_beyond = (
            Fraction(number) > Fraction(bound) if side == "larger" else Fraction(number) < Fraction(bound)
        )
        fate = "stays" if is_beyond == (act == "Keep") else "goes"
        yield f"{number} is {'' if is_beyond else 'not '}{side} than {bound}: it {fate}."
