"""Possible readings of a gold and an answer.

Both are read in the same ways first, then in ways that only one of them permits: a gold may carry words after
its value, and an answer may show its working or write a mixed number with "and". These additional readings
never replace the common ones.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.mathtext import decimals, values
from verifiers.mathtext.expressions import Apply, Node, Number, collect_symbols
from verifiers.mathtext.forms import Form, Labelled, Scalar, Words
from verifiers.mathtext.labels import parse_label
from verifiers.mathtext.normalization import clean, extract_words
from verifiers.mathtext.parser import MAX_NESTING, parse_forms, parse_node, read, scalar
from verifiers.mathtext.sentences import without_trailing_words
from verifiers.mathtext.top_level import split_top
from verifiers.mathtext.units import split_unit
from verifiers.mathtext.vocabulary import HEDGES, NOT_UNITS, UNITS
from verifiers.numbers import typography
from verifiers.numbers.notation import CURRENCY, written_number
from verifiers.numbers.statement import stated_number

APPROXIMATIONS = ("\\approx",)
ABROAD = re.compile(rf"\d,\d|{CURRENCY.pattern}|\beuros?\b", re.IGNORECASE)
MONEY = frozenset(["euro", "dollar"])
AND_FRACTION = re.compile(r"^(-?\d+) and (\d+/\d+|\\frac\s*\{?\d+\}?\s*\{?\d+\}?)(?=$| )")


def gold_forms(text: str) -> list[Form]:
    """List the readings of a gold, the likeliest first."""
    cleaned = clean(text) or ""
    readings = [*parse_forms(text), *_decimal_stated(cleaned), *_quotient_stated(cleaned)]
    if any(not isinstance(reading, Words) for reading in readings):
        return readings
    value = without_trailing_words(clean(text) or "")
    return parse_forms(value) or readings if value else readings


def answer_forms(text: str) -> list[Form]:
    """List the readings of an answer, the likeliest first."""
    cleaned = clean(text) or ""
    mixed = AND_FRACTION.sub(r"\1 \2", cleaned)
    further = [
        read(mixed, MAX_NESTING) if mixed != cleaned else None,
        _value_of_chain(cleaned),
        _with_decimal_comma(cleaned),
        _stated(text),
    ]
    return [*parse_forms(text), *(form for form in further if form is not None)]


def _decimal_stated(text: str) -> list[Form]:
    r"""Read the decimal of a gold such as ``\sqrt{2} \approx 1.41``, which gives both numbers."""
    exact, *rough = (part.strip() for part in split_top(text, APPROXIMATIONS))
    number = scalar(rough[-1]) if rough and exact else None
    return [] if number is None or not isinstance(number.node, Number) else [number]


def _quotient_stated(text: str) -> list[Form]:
    r"""Read the value of ``\frac{AB}{CD} = \frac{3}{4}``, where the gold repeats the quotient asked for."""
    value, named = _value_of_chain(text), parse_node(split_top(text, ("=",))[0].strip())
    return [value] if value and isinstance(named, Apply) and named.name == "div" else []


def _stated(text: str) -> Form | None:
    """Read the number that a sentence states, in any language, if it has a decimal comma or a currency."""
    plain = text if text.count("$") % 2 else text.replace("$", " ")  # paired dollar signs delimit LaTeX
    number, words = stated_number(plain), extract_words(plain).split()
    is_sentence = any(len(word) > 2 or not word.isascii() for word in words) or "$" in plain
    if number is None or not is_sentence or not ABROAD.search(plain):
        return None
    units = {UNITS[word] for word in words if word in UNITS}
    if (HEDGES | NOT_UNITS).intersection(words) or units - MONEY:
        return None
    return Scalar(Number(number.value, number.places), number.is_percent, unit="".join(units))


def _with_decimal_comma(text: str) -> Form | None:
    """Read ``2,5 cm`` as a number with a decimal comma."""
    pointed = typography.use_decimal_points(text)
    number, unit = split_unit(pointed)
    written = written_number(number) if pointed != text else None
    if written is None:
        return None
    return Scalar(Number(written.value, written.places), written.is_percent, unit=unit)


def _value_of_chain(text: str) -> Form | None:
    r"""Take the last side of ``V = \pi r^2 h = 45\pi`` or ``m + n = 58``, if the first side names its value.

    An equation in numbers and one letter does not name a value: ``2x = 0`` may just repeat the question.
    """
    text, *rough = (part.strip() for part in split_top(text, APPROXIMATIONS))
    sides = [side.strip() for side in split_top(text, ("=",))]
    nodes = [parse_node(side) for side in sides[1:]]
    if len(sides) < 2 or any(node is None for node in nodes):
        return None
    worked = [node for node in nodes if node is not None and not collect_symbols(node)]
    constants = [values.constant(node) for node in worked]
    if not constants or constants[0] is None or worked[-1] is not nodes[-1]:
        return None
    if not all(value is not None and values.same_value(value, constants[0]) for value in constants):
        return None
    near = [parse_node(part) for part in rough]
    if not all(node is not None and decimals.is_near(worked[-1], node) for node in near):
        return None
    subject = parse_node(sides[0])
    is_name = parse_label(sides[0]) or (
        subject is not None and _is_quantity(subject, is_worked=len(worked) > 1)
    )
    return Labelled(Scalar(worked[-1]), sides[0].replace(" ", "")) if is_name else None


def _is_quantity(node: Node, *, is_worked: bool) -> bool:
    """Return whether a node names a quantity.

    It must be several letters with numbers only in exponents, or any expression if its value is worked out.
    """
    names = collect_symbols(node)
    return bool(names) and (is_worked or (len(names) > 1 and not _has_number(node)))


def _has_number(node: Node) -> bool:
    if isinstance(node, Apply):
        args = node.args[:1] if node.name in ("pow", "root") else node.args
        return any(map(_has_number, args))
    return isinstance(node, Number) and node.value != Fraction(0)
