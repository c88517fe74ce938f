"""Equivalence of an answer's form and the gold's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from verifiers.mathtext import decimals, forms, regions, values
from verifiers.mathtext.expressions import (
    Apply,
    Node,
    Number,
    Symbol,
    collect_symbols,
    negate,
    replace_symbol,
)
from verifiers.mathtext.forms import Form, Labelled, Listing, Region, Scalar, Span
from verifiers.mathtext.parts import names_agree, only_counts
from verifiers.mathtext.regions import list_to_region, to_region
from verifiers.mathtext.units import units_agree
from verifiers.mathtext.values import same_expression

T = TypeVar("T")

BOUND = Symbol("bound variable")
COORDINATES = ("xyz", "abcd")
RADIANS = frozenset(["pi", "arcsin", "arccos", "arctan"])
AFFINE_PROBES = (Fraction(3, 11), Fraction(14, 11), Fraction(25, 11))


def same_form(gold: Form, answer: Form) -> bool:
    """Return whether two forms are equivalent; an answer may add labels and units that the gold lacks."""
    if isinstance(gold, Labelled) or isinstance(answer, Labelled):
        return _same_labelled(gold, answer)
    compare = COMPARISONS.get(type(gold))
    return compare(gold, answer) if compare else False


def _same_labelled(gold: Form, answer: Form) -> bool:
    if isinstance(gold, forms.Relation) and isinstance(answer, Labelled):
        return _same_relation(gold, _as_equation(answer))
    if isinstance(answer, forms.Relation) and isinstance(gold, Labelled) and _is_curve(gold):
        return _same_relation(answer, _as_equation(gold))
    tuples = [_as_assignments(form) for form in (gold, answer)]
    if any(form is not None for form in tuples) and _are_assignments(gold, answer):
        return same_form(*(form or other for form, other in zip(tuples, (gold, answer), strict=True)))
    left = gold if isinstance(gold, Labelled) else Labelled(gold)
    right = answer if isinstance(answer, Labelled) else Labelled(answer)
    if left.label and right.label and not names_agree(left.label, right.label):
        return False
    if left.variable and right.variable and left.variable != right.variable:
        return same_form(_rename(left.form, left.variable), _rename(right.form, right.variable))
    return same_form(left.form, right.form)


def _is_curve(gold: Labelled) -> bool:
    """Return whether the gold is an equation in two variables (``y = 2x + 3``), not a value (``x = 5``)."""
    return isinstance(gold.form, Scalar) and bool(collect_symbols(gold.form.node)) and len(gold.label) == 1


def _as_assignments(form: Form) -> Listing | None:
    """Read ``(x, y) = (1, 2)`` as ``x = 1, y = 2``; return None for anything else."""
    if not isinstance(form, Labelled) or not isinstance(form.form, forms.Sequence) or form.label[:1] != "(":
        return None
    names = form.label.strip("()").split(",")
    if len(names) != len(form.form.items) or len(set(names)) != len(names):
        return None
    return Listing(tuple(map(Labelled, form.form.items, names)))


def _are_assignments(gold: Form, answer: Form) -> bool:
    """Return whether gold and answer both name their values, as a list of equations or a tuple of names."""
    return all(
        _as_assignments(form) is not None or (isinstance(form, Listing) and _is_ordered(form))
        for form in (gold, answer)
    )


def _rename(form: Form, name: str) -> Form:
    """Give a variable a neutral name, because ``f(x) = x`` and ``f(z) = z`` are the same function."""
    return Scalar(replace_symbol(form.node, name, BOUND)) if isinstance(form, Scalar) else form


def _as_equation(answer: Labelled) -> Form:
    if not isinstance(answer.form, Scalar) or "(" in answer.label:
        return answer.form
    return forms.Relation((Symbol(answer.label), answer.form.node), ("=",))


def _same_scalar(gold: Scalar, answer: Form) -> bool:
    if isinstance(answer, Listing) and len(answer.items) == 1 and not answer.is_set:
        return same_form(gold, answer.items[0])
    if isinstance(answer, forms.Ratio) and len(answer.terms) == 2:
        return _same_scalar(gold, Scalar(Apply("div", answer.terms)))
    if isinstance(answer, forms.Words) and isinstance(gold.node, Symbol):
        return gold.node.name.isupper() and gold.node.name.casefold() == answer.text
    if not isinstance(answer, Scalar) or not units_agree(_unit(gold), _unit(answer)):
        return False
    if gold.degrees != answer.degrees and (in_radians := _degrees_against_radians(gold, answer)) is not None:
        return in_radians
    if gold.percent == answer.percent:
        return _same_node(gold.node, answer.node)
    readings = (
        [_hundredth(answer.node)] if answer.percent and _is_share(gold.node) else _percent_values(answer)
    )
    return any(_same_node(left, right) for left in _percent_values(gold) for right in readings)


def _is_share(node: Node) -> bool:
    """Return whether a gold is a fraction of at most one, for which ``25%`` can only mean 0.25."""
    value = values.constant(node)
    is_decimal = isinstance(node, Number) and (node.places > 0 or node.value.denominator == 1)
    return not is_decimal and value is not None and values.is_real(value) and values.at_most(abs(value), 1)


def _unit(scalar: Scalar) -> str:
    return scalar.unit or "degree" * scalar.degrees


def _percent_values(scalar: Scalar) -> list[Node]:
    return [scalar.node, _hundredth(scalar.node)] if scalar.percent else [scalar.node]


def _hundredth(node: Node) -> Node:
    if isinstance(node, Number):
        return Number(node.value / 100, node.places + 2 if node.places else 0)
    return Apply("div", (node, Number(Fraction(100))))


def _degrees_against_radians(gold: Scalar, answer: Scalar) -> bool | None:
    """Compare degrees with an angle in radians, written with pi or as an arc function.

    Returns None if the other angle is not in radians, or if the one in degrees is written that way too.
    """
    in_degrees, other = (gold, answer) if gold.degrees else (answer, gold)
    if not _mentions(other.node, RADIANS) or _mentions(in_degrees.node, RADIANS):
        return None
    degrees = Apply("div", (Apply("mul", (other.node, Number(Fraction(180)))), Apply("pi")))
    pair = (in_degrees.node, degrees) if gold.degrees else (degrees, in_degrees.node)
    return _same_node(*pair)


def _mentions(node: Node, names: frozenset[str]) -> bool:
    return isinstance(node, Apply) and (node.name in names or any(_mentions(arg, names) for arg in node.args))


def _same_node(gold: Node, answer: Node) -> bool:
    if collect_symbols(gold) != collect_symbols(answer):
        return False
    if same_expression(gold, answer) or decimals.is_rounded_gold(gold, answer):
        return True
    return decimals.stands_for(answer, gold) or decimals.stands_for(gold, answer)


def _same_part(gold: Form, answer: Form) -> bool:
    """Compare two entries or coordinates, where a decimal needs fewer digits to match an exact gold."""
    if same_form(gold, answer):
        return True
    if not isinstance(gold, Scalar) or not isinstance(answer, Scalar):
        return False
    return gold == replace(answer, node=gold.node) and _is_rounded_part(gold.node, answer.node)


def _is_rounded_part(gold: Node, answer: Node) -> bool:
    return decimals.stands_for(answer, gold, min_digits=decimals.MIN_PART_DIGITS)


def _same_in_base(gold: forms.InBase, answer: Form) -> bool:
    if isinstance(answer, forms.InBase):
        return (gold.digits.lstrip("0"), gold.base) == (answer.digits.lstrip("0"), answer.base)
    if isinstance(answer, Scalar) and isinstance(answer.node, Number) and not answer.node.places:
        return answer.node.value == int(gold.digits) and not answer.percent
    return False


def _same_listing(gold: Listing, answer: Form) -> bool:
    if isinstance(answer, Region):
        region = to_region(gold) if gold.is_set else list_to_region(gold)
        return region is not None and _same_region(region, answer)
    if isinstance(answer, forms.Sequence) and answer.opening == "(" and _is_ordered(gold):
        items = _in_order_of_names(gold.items)
        return _same_sequence(forms.Sequence(tuple(item.form for item in items)), answer)
    if not isinstance(answer, Listing):
        return len(gold.items) == 1 and same_form(gold.items[0].form, answer)
    if len(gold.items) != len(answer.items):
        groups = _groups(answer.items, len(gold.items)) or ()
        return bool(groups) and _same_listing(gold, Listing(groups))
    if _is_ordered(gold) or _is_ordered(answer):
        return _same_labelled_items(gold.items, answer.items)
    return _pair_up(gold.items, answer.items, same_form)


def _groups(items: Sequence[Labelled], count: int) -> tuple[Labelled, ...] | None:
    """Group ``x = 1, y = 2, x = 3, y = 4`` into ``count`` points; None if the names do not repeat in turn."""
    size = len(items) // max(count, 1)
    parts = [items[start : start + size] for start in range(0, len(items), max(size, 1))]
    names = [frozenset(item.label for item in part) for part in parts]
    if size < 2 or len(parts) != count or set(names) != {names[0]} or len(names[0] - {""}) != size:
        return None
    points = (tuple(item.form for item in _in_order_of_names(part)) for part in parts)
    return tuple(Labelled(forms.Sequence(point)) for point in points)


def _is_ordered(listing: Listing) -> bool:
    """Return whether every item has a different label, which makes the list an assignment of values."""
    labels = [item.label for item in listing.items]
    return all(labels) and len(set(labels)) == len(labels) > 1


def _same_labelled_items(gold: Sequence[Labelled], answer: Sequence[Labelled]) -> bool:
    """Compare items by name if both sides have names, else in the order written or sorted by name."""
    labels = [[item.label for item in side] for side in (gold, answer)]
    if all(labels[0]) and all(labels[1]):
        by_name = [[item for item in answer if names_agree(expected.label, item.label)] for expected in gold]
        are_paired = all(len(items) == 1 for items in by_name)
        return are_paired and all(map(same_form, gold, (items[0] for items in by_name)))
    is_bare = not any(labels[0]) or not any(labels[1])
    if is_bare and only_counts([label for label in labels[0] + labels[1] if label]):
        return _pair_up(gold, answer, same_form)
    in_order = sorted(answer, key=lambda item: item.label)
    return all(map(same_form, gold, answer)) or (
        not any(labels[0]) and all(labels[1]) and all(map(same_form, gold, in_order))
    )


def _pair_up(left: Sequence[T], right: Sequence[T], same: Callable[[T, T], bool]) -> bool:
    """Return whether the items can be paired; equality is transitive here, so any match will do."""
    rest = list(right)
    for item in left:
        partner = next((index for index, other in enumerate(rest) if same(item, other)), None)
        if partner is None:
            return False
        rest.pop(partner)
    return not rest


def _same_sequence(gold: forms.Sequence, answer: Form) -> bool:
    if isinstance(answer, Region):
        region = to_region(gold)
        return gold.opening == "(" and region is not None and _same_region(region, answer)
    items: Sequence[Form] = ()
    if isinstance(answer, forms.Matrix):
        items = _vector(answer) or ()
    elif isinstance(answer, Listing) and not answer.is_set:
        items = [] if _repeats_name(answer) else [item.form for item in _in_order_of_names(answer.items)]
    elif isinstance(answer, forms.Sequence):
        items = answer.items
    return len(items) == len(gold.items) and all(map(_same_part, gold.items, items))


def _repeats_name(listing: Listing) -> bool:
    """Return whether a name repeats; ``x = 1, x = 2`` are two values of one variable, not a point."""
    names = [item.label for item in listing.items if item.label]
    return len(set(names)) < len(names)


def _in_order_of_names(items: Sequence[Labelled]) -> list[Labelled]:
    """Sort ``y = 2, x = 1`` into the point (1, 2): the names of coordinates determine their order."""
    names = [item.label for item in items]
    if len(set(names)) == len(names) and any(set(names) <= set(order) for order in COORDINATES):
        return sorted(items, key=lambda item: item.label)
    return list(items)


def _vector(matrix: forms.Matrix) -> list[Form] | None:
    if len(matrix.rows) == 1:
        return list(matrix.rows[0])
    return [row[0] for row in matrix.rows] if len(matrix.rows[0]) == 1 else None


def _same_matrix(gold: forms.Matrix, answer: Form) -> bool:
    if isinstance(answer, forms.Sequence):
        vector = _vector(gold)
        if vector is not None:
            return _same_sequence(forms.Sequence(tuple(vector)), answer)
        rows = [_row(item) for item in answer.items]
        answer = forms.Matrix(tuple(row for row in rows if row is not None)) if all(rows) else answer
    if not isinstance(answer, forms.Matrix) or [*map(len, gold.rows)] != [*map(len, answer.rows)]:
        return False
    return all(all(map(_same_part, *rows)) for rows in zip(gold.rows, answer.rows, strict=True))


def _row(form: Form) -> tuple[Form, ...] | None:
    """Return the items of a bracketed row, including ``[1, 2]``, which was parsed as a closed interval."""
    if isinstance(form, forms.Sequence):
        return form.items
    spans = form.spans if isinstance(form, Region) else ()
    if len(spans) != 1 or not (spans[0].low_closed and spans[0].high_closed):
        return None
    return Scalar(spans[0].low), Scalar(spans[0].high)


def _same_region(gold: Region, answer: Form) -> bool:
    region = to_region(answer) or list_to_region(answer)
    if region is None:
        return False
    if _pair_up(gold.spans, region.spans, _same_span):
        return True
    joined = [regions.union(form) for form in (gold, region)]
    first, second = (form.spans if form else () for form in joined)
    return bool(first) and _pair_up(first, second, _same_span)


def _same_span(gold: Span, answer: Span) -> bool:
    ends = zip(_ends(gold), _ends(answer), strict=True)
    return all(
        a_closed == b_closed and (_same_node(a, b) or _is_rounded_part(a, b))
        for (a, a_closed), (b, b_closed) in ends
    )


def _ends(span: Span) -> list[tuple[Node, bool]]:
    """Return both ends, each with whether it belongs to the interval; an infinite end never does."""
    ends = ((span.low, span.low_closed), (span.high, span.high_closed))
    return [(end, is_closed and not values.infinite_sign(end)) for end, is_closed in ends]


def _same_relation(gold: forms.Relation, answer: Form) -> bool:
    if isinstance(answer, Scalar):
        return _solves(gold, answer.node)
    if not isinstance(answer, forms.Relation) or gold.operators != answer.operators:
        return False
    if all(map(same_expression, gold.sides, answer.sides)):
        return True
    ratio = values.constant_ratio(_difference(gold), _difference(answer)) if len(gold.sides) == 2 else None
    return ratio is not None and (gold.operators[0] in ("=", "\\ne") or bool(ratio > 0))


def _difference(relation: forms.Relation) -> Node:
    return Apply("add", (relation.sides[0], negate(relation.sides[1])))


def _solves(gold: forms.Relation, answer: Node) -> bool:
    """Return whether the gold is a linear equation in a variable, and the answer is that variable's value."""
    missing = frozenset().union(*(collect_symbols(side) for side in gold.sides)) - collect_symbols(answer)
    if gold.operators != ("=",) or len(missing) != 1 or not collect_symbols(answer):
        return False
    (name,) = missing
    difference = _difference(gold)
    if not same_expression(replace_symbol(difference, name, answer), Number(Fraction(0))):
        return False
    try:
        point = dict.fromkeys(collect_symbols(difference), Fraction(7, 5))
        low, middle, high = (values.evaluate(difference, point | {name: probe}) for probe in AFFINE_PROBES)
    except values.Undefined:
        return False
    return values.same_value(low + high, 2 * middle)


def _same_ratio(gold: forms.Ratio, answer: Form) -> bool:
    if isinstance(answer, Scalar) and len(gold.terms) == 2 and not answer.unit:
        return _same_scalar(Scalar(Apply("div", gold.terms)), answer)
    if not isinstance(answer, forms.Ratio) or len(gold.terms) != len(answer.terms):
        return False
    factors = [Apply("div", pair) for pair in zip(gold.terms, answer.terms, strict=True)]
    return all(same_expression(factors[0], factor) for factor in factors)


def _same_words(gold: forms.Words, answer: Form) -> bool:
    if isinstance(answer, Scalar) and isinstance(answer.node, Symbol):
        return gold.text == answer.node.name.casefold()
    return isinstance(answer, forms.Words) and gold.text == answer.text


COMPARISONS: dict[type, Callable[..., bool]] = {
    Scalar: _same_scalar,
    forms.InBase: _same_in_base,
    Listing: _same_listing,
    forms.Sequence: _same_sequence,
    Region: _same_region,
    forms.Matrix: _same_matrix,
    forms.Relation: _same_relation,
    forms.Ratio: _same_ratio,
    forms.Words: _same_words,
}
