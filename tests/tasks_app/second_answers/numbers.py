"""Puzzles about numbers."""

from __future__ import annotations

import ast
import calendar
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from tests.tasks_app.second_answers.reading import integers, value

BASES = {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16}
WEEKDAYS = [*calendar.day_name]
LEGS = {
    **dict.fromkeys(("bird", "chicken", "duck", "human"), 2),
    **dict.fromkeys(("cat", "cow", "deer", "dog", "elephant", "giraffe", "goat", "horse"), 4),
    **dict.fromkeys(("lion", "sheep", "tiger"), 4),
    **dict.fromkeys(("ant", "bee", "beetle", "butterfly", "cockroach", "cricket", "firefly"), 6),
    **dict.fromkeys(("grasshopper", "insect", "wasp"), 6),
    **dict.fromkeys(("scorpion", "spider"), 8),
    **dict.fromkeys(("crab", "lobster", "shrimp"), 10),
}


def base_conversion(question: str, answer: str) -> bool:
    base = rf"(?:base-(\d+)|({'|'.join(BASES)}))"
    match = re.search(rf"convert the {base} number (\S+) to {base}", question)
    digits, name, number, target, target_name = match.groups()
    return int(number, int(digits or BASES[name])) == int(answer, int(target or BASES[target_name]))


def basic_arithmetic(question: str, answer: str) -> bool | None:
    match = re.search(r"(?:Calculate|evaluate|of|is|:)\s+([-\d\s+*/().]*\d\)*)\s*[?.=]?\s*$", question)
    return None if match is None else value(match[1]) == Fraction(answer)


def count_bits(question: str, answer: str) -> bool:
    return integers(question)[-1].bit_count() == int(answer)


def count_primes(question: str, answer: str) -> bool:
    first, last = map(int, re.search(r"between (\d+) and (\d+)", question).groups())
    sieve = bytearray([0, 0] + [1] * last)
    for number in range(2, math.isqrt(last) + 1):
        sieve[number * number :: number] = bytes(len(sieve[number * number :: number]))
    return sum(sieve[first : last + 1]) == int(answer)


def gcd(question: str, answer: str) -> bool:
    return math.gcd(*integers(question.split("numbers:")[1])) == int(answer)


def lcm(question: str, answer: str) -> bool:
    return math.lcm(*integers(question.split("numbers:")[1])) == int(answer)


def simple_equations(question: str, answer: str) -> bool:
    left, right = question.rsplit(": ", 1)[1].split("=")
    sides = [re.sub("[a-z]", f"({answer})", side) for side in (left, right)]
    return value(sides[0]) == value(sides[1])


def simple_geometry(question: str, answer: str) -> bool:
    sides = int(re.search(r"(\d+)(?:-gon| sides)", question)[1])
    angles = re.findall(r"(-?\d+(?:\.\d+)?)°", question)
    return (sides - 2) * 180 - sum(map(Fraction, angles[: sides - 1])) == Fraction(answer)


def dice(question: str, answer: str) -> bool:
    rolled = [(int(n), int(sides)) for n, sides in re.findall(r"(\d+)d(\d+)", question.split("What are")[0])]
    sums = {0: 1}
    for sides in itertools.chain.from_iterable([sides] * number for number, sides in rolled):
        after: Counter[int] = Counter()
        for total, ways in sums.items():
            for eyes in range(1, sides + 1):
                after[total + eyes] += ways
        sums = after
    least = int(re.search(r"rolling (\d+) or", question)[1])
    right = Fraction(sum(ways for total, ways in sums.items() if total >= least), sum(sums.values()))
    return right == Fraction(answer)


def number_filtering(question: str, answer: str) -> bool:
    limit = Decimal(re.search(r"than (\S+) in", question)[1])
    numbers = ast.literal_eval(re.search(r"\[.*\]", question)[0])
    larger = [number for number in numbers if Decimal(number) > limit]
    smaller = [number for number in numbers if Decimal(number) < limit]
    chosen = larger if "larger" in question else smaller
    others = list((Counter(numbers) - Counter(chosen)).elements())
    result = chosen if question.startswith("Keep") else others
    return Counter(result) == Counter(ast.literal_eval(answer))


def products(question: str, answer: str) -> bool:
    return math.prod(integers(re.search(r"\d[\d\s]*\*[\d\s*]+", question)[0])) == int(answer)


def chain_sum(question: str, answer: str) -> bool:
    return value(re.search(r"(-?\d[\d\s.+-]*)=", question)[1]) == Fraction(answer)


def decimal_chain_sum(question: str, answer: str) -> bool:
    return chain_sum(question, answer)


def decimal_arithmetic(question: str, answer: str) -> bool:
    digits = int(re.search(r"maximum of (\d+) significant", question)[1])
    exact = value(question.rstrip().splitlines()[-1].removesuffix("= ?"))
    long = Context(prec=100).divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(long) == Decimal(answer)


def number_sorting(question: str, answer: str) -> bool:
    order, numbers = re.search(r"in (ascending|descending) order: (.*)", question).groups()
    right = sorted(map(Decimal, numbers.split(", ")), reverse=order == "descending")
    return [*map(Decimal, ast.literal_eval(answer))] == right


def prime_factorization(question: str, answer: str) -> bool:
    factors = integers(answer)
    are_prime = all(number % k for number in factors for k in range(2, math.isqrt(number) + 1))
    return are_prime and math.prod(factors) == int(re.search(r"factorization of (\d+)", question)[1])


def fraction_simplification(question: str, answer: str) -> bool:
    fraction = re.compile(r"(\d+)\}?(?:/|\{)\{?(\d+)")
    given, simple = (tuple(map(int, fraction.search(text).groups())) for text in (question, answer))
    return Fraction(*given) == Fraction(*simple) and math.gcd(*simple) == 1


def bitwise_arithmetic(question: str, answer: str) -> bool:
    expression = question.rstrip().splitlines()[-1]
    assert re.fullmatch(r"[\da-fx\s+\-*()<>&|^~]+", expression)
    return eval(expression, {}) == int(answer, 16)


def power_function(question: str, answer: str) -> bool:
    base, exponent = re.search(r"Compute (-?[\d.]+)\^(-?\d+)", question).groups()
    return abs(Fraction(answer) / Fraction(base) ** int(exponent) - 1) < Fraction(1, 10**10)


def complex_arithmetic(question: str, answer: str) -> bool | None:
    match = re.search(r"(\([^()]*i\)) ([-+*×/÷]) (\([^()]*i\))", question)
    if match is None:
        return None
    texts = (match[1], match[3], answer)
    one, other, given = (complex(re.sub(r"[() ]", "", text).replace("i", "j")) for text in texts)
    results = {"+": one + other, "-": one - other, "*": one * other, "/": one / other if other else 0}
    return abs(results[match[2].replace("×", "*").replace("÷", "/")] - given) < 0.06


def polynomial_multiplication(question: str, answer: str) -> bool | None:
    import sympy

    match = re.search(r": (\(.*\))", question.splitlines()[0])
    return None if match is None else sympy.expand(sympy.sympify(f"{match[1]} - ({answer})")) == 0


def polynomial_equations(question: str, answer: str) -> bool | None:
    import sympy

    match = re.search(r": (.*)=(.*)\n", question)
    letters = set(re.findall("[a-z]", match[1] + match[2])) if match else set()
    if len(letters) != 1:
        return None
    polynomial = sympy.Poly(sympy.sympify(f"{match[1]} - ({match[2]})"), sympy.Symbol(letters.pop()))
    if polynomial.degree() < 1:
        return None
    roots = [root for root in polynomial.nroots(n=30, maxsteps=200) if abs(sympy.im(root)) < 1e-10]
    right = sorted({round(float(sympy.re(root)), 3) for root in roots})
    given = sorted({round(float(number), 3) for number in answer.split(",")}) if answer.strip('" ') else []
    return len(right) == len(given) and all(abs(a - b) < 0.002 for a, b in zip(right, given, strict=True))


def calendar_arithmetic(question: str, answer: str) -> bool | None:
    """Check an answer about leap years, business days, or the weekday some days away from a date."""
    if "leap year" in question and len(years := integers(question)) == 1:
        return answer == ("Yes" if calendar.isleap(years[0]) else "No")
    dates = re.findall(r"[A-Z][a-z]+day, ([A-Z][a-z]+ \d+)(?:, (\d{4}))?", question)
    if not dates or not dates[-1][1]:
        return None
    written = [f"{day} {year or dates[-1][1]}" for day, year in dates]
    days = [datetime.strptime(text, "%B %d %Y").date() for text in written]  # noqa: DTZ007
    if len(days) == 2 and answer.isdecimal() and re.search("business|weekdays", question):
        span = (days[0] + timedelta(n) for n in range((days[1] - days[0]).days + 1))
        return sum(day.weekday() < 5 for day in span) == int(answer)
    number = re.search(r"(\d+)[ -]days?\b", question)
    if len(days) != 1 or number is None or answer not in WEEKDAYS:
        return None
    sign = -1 if re.search(r"ago|backward|before", question) else 1
    return WEEKDAYS[(days[0] + timedelta(sign * int(number[1]))).weekday()] == answer


def time_intervals(question: str, answer: str) -> bool | None:
    """Check an interval between two times of one day."""
    times = re.findall(r"(?<![\d-] )\b(\d\d:\d\d(?::\d\d(?:\.\d{3})?)?)", question)
    if len(times) != 2 or re.search(r"\d{4}|[+-]\d{4}", question) or not re.fullmatch(r"[\d:.]+", answer):
        return None
    first, last, given = (_seconds(text) for text in (*times, answer))
    return (last - first) % 86_400 == given


def _seconds(text: str) -> Fraction:
    hours, minutes, *seconds = text.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + Fraction(*seconds or ["0"])


def aiw(question: str, answer: str) -> bool | None:
    """Check how many women a man of a family or circle has: those named, and the woman in the question."""
    match = re.match(r"\w+ has (\d+) (\w+ ?\w*) and she also has (\d+) (\w+ ?\w*)\.", question)
    if match is None or "Matilda" in question or not re.search(r"brother|a male", question):
        return None
    counts = {match[2]: int(match[1]), match[4]: int(match[3])}
    women = next(count for kind, count in counts.items() if re.match("sister|female", kind))
    return women + 1 == int(answer)


def leg_counting(question: str, answer: str) -> bool | None:
    animals = re.findall(r"(\d+) ([a-z ]+?)s?(?=,|\?)", question.split("if you have")[1])
    if any(name not in LEGS for _, name in animals):
        return None
    return sum(int(number) * LEGS[name] for number, name in animals) == int(answer)


def advanced_geometry(question: str, answer: str) -> bool:
    """Check the orthocenter with the equations of two altitudes, or the incircle with area and sides."""
    a, b, c = (complex(int(x), int(y)) for x, y in re.findall(r"[ABC]=\((-?\d+), (-?\d+)\)", question))
    twice_area = abs(_cross(b - a, c - a))
    allowed = 0.0005
    if "orthocenter" in question:
        one, other = c - b, c - a
        sums = complex(_dot(a, one), _dot(b, other))
        right = [
            _cross(sums, complex(one.imag, other.imag)) / _cross(one, other),
            _cross(complex(one.real, other.real), sums) / _cross(one, other),
        ]
    elif "incircle" in question:
        right = [twice_area / (abs(a - b) + abs(b - c) + abs(c - a))]
    else:
        right, allowed = [math.degrees(math.atan2(twice_area, _dot(a - b, c - b)))], 0.005
    given = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", answer)]
    return all(abs(one - other) <= allowed + 1e-6 for one, other in zip(right, given, strict=True))


def _cross(one: complex, other: complex) -> float:
    return (one.conjugate() * other).imag


def _dot(one: complex, other: complex) -> float:
    return (one.conjugate() * other).real


def coin_flip(question: str, answer: str) -> bool:
    least, flips = integers(question)
    counts = [least] if "exactly" in question else range(least, flips + 1)
    right = Fraction(sum(math.comb(flips, heads) for heads in counts), 2**flips)
    return abs(Fraction(answer) / right - 1) < Fraction(1, 10**8)


def number_format(question: str, answer: str) -> bool:
    size, numbers = re.search(r"pick the (largest|smallest) number of .*: (.*)", question).groups()
    values = [Fraction(number.replace(",", "")) for number in numbers.split()]
    return Fraction(answer) == (max(values) if size == "largest" else min(values))


def countdown(question: str, answer: str) -> bool:
    text = question.splitlines()[0]
    target = int(re.search(r"(?:Calculate|make|equals) (-?\d+)", text)[1])
    numbers = integers(text)
    numbers.remove(target)
    return Counter(integers(answer.replace("-", " "))) == Counter(numbers) and value(answer) == target


def puzzle24(question: str, answer: str) -> bool:
    numbers = integers(question.split(" using ")[1].split(". ")[0])
    return Counter(integers(answer.replace("-", " "))) == Counter(numbers) and value(answer) == 24


def simple_integration(question: str, answer: str) -> bool:
    """Check that the derivative of the answer is the integrand."""
    import mpmath

    integrand = re.search(r"∫ (.*) d\w\n", question)[1]
    letter = "X" if "X" in integrand else "x"
    function, slope = (_function(text, letter) for text in (answer, integrand))
    with mpmath.workdps(40):
        places = [mpmath.mpf(place) for place in ("0.31", "0.74", "1.9", "3.3", "11.7")]
        pairs = [(mpmath.diff(function, place), slope(place)) for place in places]
    return all(abs(one - other) < 1e-12 * (1 + abs(other)) for one, other in pairs)


def intermediate_integration(question: str, answer: str) -> bool:
    return simple_integration(question, answer)


def _function(expression: str, letter: str) -> Callable[[object], object]:
    import mpmath

    assert re.fullmatch(r"[\w\s+\-*/().]+", expression), expression
    exact = re.sub(r"(?<![\w.])\d+", lambda number: f"mpf({number[0]})", expression)
    names = {
        name: getattr(mpmath, name)
        for name in ("mpf", "exp", "sin", "cos", "tan", "log", "sqrt", "asin", "atan")
    }
    return lambda place: eval(exact, {}, {**names, "C": 0, "E": mpmath.e, letter: place})
