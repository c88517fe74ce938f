"""Whether an answer's form means the same as the gold's."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequenced
from fractions import Fraction

from verifiers.mathtext.expressions import Apply, Node, Number, Symbol, negated, symbols_of
from verifiers.mathtext.forms import (
    Form,
    InBase,
    Labelled,
    Listing,
    Matrix,
    Ratio,
    Region,
    Relation,
    Scalar,
    Sequence,
    Span,
    Words,
)
from verifiers.mathtext.parser import region_of
from verifiers.mathtext.units import units_agree
from verifiers.mathtext.values import (
    Undefined,
    at_most,
    constant,
    constant_ratio,
    distance,
    infinite_sign,
    same_expression,
    same_value,
    value_of,
)

MIN_DECIMAL_DIGITS = 6
"""Significant digits that a decimal needs to stand for an exact number (math-verify rounds to 6 places)."""
BOUND = Symbol("bound variable")
COORDINATES = ("xyz", "abcd")
AFFINE_PROBES = (Fraction(3, 11), Fraction(14, 11), Fraction(25, 11))


def same_form(gold: Form, answer: Form) -> bool:
    """Equivalence, directed by the gold: what the gold leaves out (labels, units) an answer may add."""
    if isinstance(gold, Labelled) or isinstance(answer, Labelled):
        return _same_labelled(gold, answer)
    compare = COMPARISONS.get(type(gold))
    return compare(gold, answer) if compare else False


def _same_labelled(gold: Form, answer: Form) -> bool:
    if isinstance(gold, Relation) and isinstance(answer, Labelled):
        return _same_relation(gold, _as_equation(answer))
    left = gold if isinstance(gold, Labelled) else Labelled(gold)
    right = answer if isinstance(answer, Labelled) else Labelled(answer)
    if left.label and right.label and left.label != right.label and not _both_calls(left, right):
        return False
    if left.variable and right.variable and left.variable != right.variable:
        return same_form(_renamed(left.form, left.variable), _renamed(right.form, right.variable))
    return same_form(left.form, right.form)


def _both_calls(left: Labelled, right: Labelled) -> bool:
    return left.label == right.label and bool(left.variable and right.variable)


def _renamed(form: Form, name: str) -> Form:
    """The form with one variable under a neutral name: ``f(x) = x`` and ``f(z) = z`` are one function."""
    return Scalar(_replaced(form.node, name, BOUND)) if isinstance(form, Scalar) else form


def _replaced(node: Node, name: str, by: Node) -> Node:
    if isinstance(node, Symbol):
        return by if node.name == name else node
    if isinstance(node, Apply):
        return Apply(node.name, tuple(_replaced(arg, name, by) for arg in node.args))
    return node


def _as_equation(answer: Labelled) -> Form:
    if not isinstance(answer.form, Scalar) or "(" in answer.label:
        return answer.form
    return Relation((Symbol(answer.label), answer.form.node), ("=",))


def _same_scalar(gold: Scalar, answer: Form) -> bool:
    if isinstance(answer, Listing) and len(answer.items) == 1 and not answer.is_set:
        return same_form(gold, answer.items[0])
    if isinstance(answer, Ratio) and len(answer.terms) == 2:
        return _same_node(gold.node, Apply("div", answer.terms))
    if isinstance(answer, Words) and isinstance(gold.node, Symbol):
        return gold.node.name.isupper() and gold.node.name.casefold() == answer.text
    if not isinstance(answer, Scalar) or not units_agree(_unit(gold), _unit(answer)):
        return False
    if gold.degrees != answer.degrees and (in_radians := _degrees_against_pi(gold, answer)) is not None:
        return in_radians
    if gold.percent == answer.percent:
        return _same_node(gold.node, answer.node)
    return any(_same_node(left, right) for left in _percent_values(gold) for right in _percent_values(answer))


def _unit(scalar: Scalar) -> str:
    return scalar.unit or "degree" * scalar.degrees


def _percent_values(scalar: Scalar) -> list[Node]:
    hundredth = Apply("div", (scalar.node, Number(Fraction(100))))
    return [scalar.node, hundredth] if scalar.percent else [scalar.node]


def _degrees_against_pi(gold: Scalar, answer: Scalar) -> bool | None:
    """Degrees against an angle written with pi; None when neither side is one."""
    in_degrees, other = (gold, answer) if gold.degrees else (answer, gold)
    if not _mentions(other.node, "pi") or _mentions(in_degrees.node, "pi"):
        return None
    radians = Apply("div", (Apply("mul", (in_degrees.node, Apply("pi"))), Number(Fraction(180))))
    return same_expression(radians, other.node)


def _mentions(node: Node, name: str) -> bool:
    return isinstance(node, Apply) and (node.name == name or any(_mentions(arg, name) for arg in node.args))


def _same_node(gold: Node, answer: Node) -> bool:
    if symbols_of(gold) != symbols_of(answer):
        return False
    return same_expression(gold, answer) or _rounds_to(gold, answer) or _rounds_to(answer, gold)


def _rounds_to(exact: Node, decimal: Node) -> bool:
    """Whether a decimal of enough digits is the exact number, rounded or cut at its last digit."""
    inner = decimal.args[0] if isinstance(decimal, Apply) and decimal.name == "neg" else decimal
    if not isinstance(inner, Number) or inner.places < 1:
        return False
    if isinstance(exact, Number) and exact.value.denominator == 1:
        return False
    digits = str(abs(inner.value.numerator * 10**inner.places // inner.value.denominator)).lstrip("0")
    value, rounded = constant(exact), constant(decimal)
    if len(digits) < MIN_DECIMAL_DIGITS or value is None or rounded is None or not _is_inexact(exact, value):
        return False
    unit = Fraction(1, 10**inner.places)
    is_cut = at_most(abs(rounded), abs(value)) and at_most(distance(value, rounded), unit)
    return is_cut or at_most(distance(value, rounded), unit / 2)


def _is_inexact(node: Node, value: object) -> bool:
    """Whether no finite decimal writes this number, so that a decimal can only come near it."""
    if not isinstance(value, Fraction):
        return True
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator != 1 and not (isinstance(node, Number) and node.places)


def _same_in_base(gold: InBase, answer: Form) -> bool:
    if isinstance(answer, InBase):
        return (gold.digits.lstrip("0"), gold.base) == (answer.digits.lstrip("0"), answer.base)
    if isinstance(answer, Scalar) and isinstance(answer.node, Number) and not answer.node.places:
        return answer.node.value == int(gold.digits) and not answer.percent
    return False


def _same_listing(gold: Listing, answer: Form) -> bool:
    if isinstance(answer, Region) and gold.is_set:
        return _same_region(region_of(gold) or Region(()), answer)
    if not isinstance(answer, Listing):
        return len(gold.items) == 1 and same_form(gold.items[0].form, answer)
    if len(gold.items) != len(answer.items):
        return False
    if _is_ordered(gold) or _is_ordered(answer):
        return _same_labelled_items(gold.items, answer.items)
    return _match(gold.items, answer.items, same_form)


def _is_ordered(listing: Listing) -> bool:
    """Different labels make a list an assignment: each value has its place."""
    labels = [item.label for item in listing.items]
    return all(labels) and len(set(labels)) == len(labels) > 1


def _same_labelled_items(gold: Sequenced[Labelled], answer: Sequenced[Labelled]) -> bool:
    labels = [item.label for item in gold]
    if all(labels) and sorted(labels) == sorted(item.label for item in answer):
        by_label = {item.label: item for item in answer}
        return all(same_form(item, by_label[item.label]) for item in gold)
    return all(same_form(left, right) for left, right in zip(gold, answer, strict=True))


def _match(left: Sequenced[Labelled], right: Sequenced[Labelled], same: Callable[[Form, Form], bool]) -> bool:
    """Whether the items pair up. Equality is transitive here, so the first partner will do."""
    rest = list(right)
    for item in left:
        partner = next((index for index, other in enumerate(rest) if same(item, other)), None)
        if partner is None:
            return False
        rest.pop(partner)
    return not rest


def _same_sequence(gold: Sequence, answer: Form) -> bool:
    if isinstance(answer, Region):
        region = region_of(gold)
        return gold.opening == "(" and region is not None and _same_region(region, answer)
    if isinstance(answer, Matrix):
        found: Sequenced[Form] | None = _vector(answer)
    elif isinstance(answer, Listing) and not answer.is_set:
        found = [item.form for item in _in_order_of_names(answer.items)]
    else:
        found = answer.items if isinstance(answer, Sequence) else None
    if found is None or len(found) != len(gold.items):
        return False
    return all(same_form(left, right) for left, right in zip(gold.items, found, strict=True))


def _in_order_of_names(items: Sequenced[Labelled]) -> list[Labelled]:
    """``y = 2, x = 1`` as the point (1, 2): coordinates go by name, not in the order written."""
    names = [item.label for item in items]
    if len(set(names)) == len(names) and any(set(names) <= set(order) for order in COORDINATES):
        return sorted(items, key=lambda item: item.label)
    return list(items)


def _vector(matrix: Matrix) -> list[Form] | None:
    if len(matrix.rows) == 1:
        return list(matrix.rows[0])
    return [row[0] for row in matrix.rows] if len(matrix.rows[0]) == 1 else None


def _same_matrix(gold: Matrix, answer: Form) -> bool:
    if isinstance(answer, Sequence):
        vector = _vector(gold)
        if vector is not None:
            return _same_sequence(Sequence(tuple(vector)), answer)
        rows = [_row(item) for item in answer.items]
        answer = Matrix(tuple(row for row in rows if row is not None)) if all(rows) else answer
    if not isinstance(answer, Matrix) or [len(row) for row in gold.rows] != [len(row) for row in answer.rows]:
        return False
    pairs = zip(gold.rows, answer.rows, strict=True)
    return all(same_form(g, a) for left, right in pairs for g, a in zip(left, right, strict=True))


def _row(form: Form) -> tuple[Form, ...] | None:
    """The items of a bracketed row; ``[1, 2]`` alone was read as a closed interval."""
    if isinstance(form, Sequence):
        return form.items
    if (
        isinstance(form, Region)
        and len(form.spans) == 1
        and form.spans[0].low_closed
        and form.spans[0].high_closed
    ):
        return Scalar(form.spans[0].low), Scalar(form.spans[0].high)
    return None


def _same_region(gold: Region, answer: Form) -> bool:
    region = region_of(answer)
    if region is None or len(region.spans) != len(gold.spans):
        return False
    rest = list(region.spans)
    for span in gold.spans:
        partner = next((index for index, other in enumerate(rest) if _same_span(span, other)), None)
        if partner is None:
            return False
        rest.pop(partner)
    return True


def _same_span(gold: Span, answer: Span) -> bool:
    return (
        (gold.low_closed and not infinite_sign(gold.low))
        == (answer.low_closed and not infinite_sign(answer.low))
        and (gold.high_closed and not infinite_sign(gold.high))
        == (answer.high_closed and not infinite_sign(answer.high))
        and _same_node(gold.low, answer.low)
        and _same_node(gold.high, answer.high)
    )


def _same_relation(gold: Relation, answer: Form) -> bool:
    if isinstance(answer, Scalar):
        return _solves(gold, answer.node)
    if not isinstance(answer, Relation) or len(gold.sides) != len(answer.sides):
        return False
    if gold.operators == answer.operators and all(map(same_expression, gold.sides, answer.sides)):
        return True
    if len(gold.sides) != 2 or gold.operators != answer.operators:
        return False
    ratio = constant_ratio(_difference(gold), _difference(answer))
    if ratio is None:
        return False
    return gold.operators[0] in ("=", "\\ne") or bool(ratio > 0)


def _difference(relation: Relation) -> Node:
    return Apply("add", (relation.sides[0], negated(relation.sides[1])))


def _solves(gold: Relation, answer: Node) -> bool:
    """Whether the gold is an equation linear in the one variable that the answer lacks and solves for."""
    missing = frozenset().union(*(symbols_of(side) for side in gold.sides)) - symbols_of(answer)
    if gold.operators != ("=",) or len(missing) != 1 or not symbols_of(answer):
        return False
    (name,) = missing
    difference = _difference(gold)
    if not same_expression(_replaced(difference, name, answer), Number(Fraction(0))):
        return False
    try:
        point = dict.fromkeys(symbols_of(difference), Fraction(7, 5))
        low, middle, high = (value_of(difference, point | {name: probe}) for probe in AFFINE_PROBES)
    except Undefined:
        return False
    return same_value(low + high, 2 * middle)


def _same_ratio(gold: Ratio, answer: Form) -> bool:
    if isinstance(answer, Scalar) and len(gold.terms) == 2:
        return same_expression(Apply("div", gold.terms), answer.node)
    if not isinstance(answer, Ratio) or len(gold.terms) != len(answer.terms):
        return False
    factors = [Apply("div", pair) for pair in zip(gold.terms, answer.terms, strict=True)]
    return all(same_expression(factors[0], factor) for factor in factors)


def _same_words(gold: Words, answer: Form) -> bool:
    if isinstance(answer, Scalar) and isinstance(answer.node, Symbol):
        return gold.text == answer.node.name.casefold()
    return isinstance(answer, Words) and gold.text == answer.text


COMPARISONS: dict[type, Callable[..., bool]] = {
    Scalar: _same_scalar,
    InBase: _same_in_base,
    Listing: _same_listing,
    Sequence: _same_sequence,
    Region: _same_region,
    Matrix: _same_matrix,
    Relation: _same_relation,
    Ratio: _same_ratio,
    Words: _same_words,
}
