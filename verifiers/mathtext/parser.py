"""From a cleaned text to its form."""

from __future__ import annotations

import re
from collections.abc import Sequence as Sequenced
from fractions import Fraction

from verifiers.mathtext.expressions import (
    Apply,
    Node,
    NotAnExpression,
    Number,
    negated,
    parse_expression,
    symbols_of,
)
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
from verifiers.mathtext.normalization import clean, join_thousands, text_blocks, words_of
from verifiers.mathtext.top_level import closes_at_end, split_top
from verifiers.mathtext.units import split_unit
from verifiers.mathtext.values import Value, at_most, constant, distance, infinite_sign, same_value

MAX_NESTING = 8
SEPARATORS = (",", ";", " and ", " or ", " And ", " Or ")
RELATIONS = ("\\le", "\\ge", "\\ne", "\\approx", "\\equiv", "<", ">", "=")
FLIPPED = {">": "<", "\\ge": "\\le"}
INFINITY = Apply("oo")
REALS = ("\\mathbb{R}", "\\mathbbR", "\\R")
REALS_IN_WORDS = ("all real numbers", "all reals", "real numbers")
APPROXIMATELY = Fraction(1, 1000)
IN_BASE = re.compile(r"^\(?(\d+)\)?_\s*\{?\s*(\d+)\s*\}?$", re.ASCII)
DECIMAL_COMMA = re.compile(r"^(-?)(0,\d{2,}|\d+,\d{2})$", re.ASCII)
MATRIX = re.compile(r"^\\begin\s*\{([pbvBV]?matrix|array)\}(?:\{[lcr|\s]*\})?(.*)\\end\s*\{\1\}$", re.DOTALL)
BARE_MATRIX = re.compile(r"^[(\[]\s*(\\begin.*\\end\s*\{array\})\s*[)\]]$", re.DOTALL)
CHOICE = re.compile(r"^\s*\(?\s*([A-Z])\s*\)?\s*$")
BUILDER = re.compile(r"^\\\{\s*([A-Za-z])\s*(?:\\in\s*\\mathbb\s*\{?[A-Z]\}?\s*)?[|:](.*)\\\}$", re.DOTALL)
GREEK_OR_LETTER = r"(?:\\[A-Za-z]+\s*|[A-Za-z])"
NAME = rf"(?:{GREEK_OR_LETTER}(?:_\s*(?:\{{[^{{}}]*\}}|\w))?'*(?:\^\s*\{{-1\}})?)"
CALL = re.compile(rf"^({NAME})\s*\(\s*({NAME}|\d+)\s*\)$")
LABEL = re.compile(
    rf"^(?:{NAME}|[A-Z]{{2,4}}|[a-z]{{4,}}|\\text\s*\{{[^{{}}]*\}}|m?\s*\\angle\s*[A-Z]{{1,3}}"
    rf"|\\overline\s*\{{[A-Z]{{2}}\}}|\|[A-Z]{{2}}\|)$"
)


def forms_of(text: str) -> list[Form]:
    """The ways in which a text can be read, the likeliest first; none when it cannot be read at all."""
    cleaned = clean(text)
    if not cleaned:
        return []
    comma = DECIMAL_COMMA.match(cleaned)
    readings = [read(cleaned, MAX_NESTING)]
    if comma:
        readings.append(read(cleaned.replace(",", "."), MAX_NESTING))
    return [reading for reading in readings if reading is not None]


def read(text: str, depth: int) -> Form | None:
    """The form of a cleaned text, or None."""
    text = join_thousands(text.lstrip(" ,;").rstrip(" .,;"))
    if not text or depth <= 0:
        return None
    for reader in (
        _reals,
        _matrix,
        _builder,
        _listing,
        _unwrapped,
        _union,
        _membership,
        _relation,
        _bracketed,
        _plus_minus,
    ):
        form = reader(text, depth - 1)
        if form is not None:
            return form
    return _based(text) or _ratio(text) or scalar(text) or _words(text)


def scalar(text: str) -> Scalar | None:
    text, unit = split_unit(text)
    degrees = "\u00b0" in text
    text = text.replace("\u00b0", " ").strip()
    percent = text.endswith("\\%")
    try:
        return Scalar(parse_expression(text.removesuffix("\\%")), percent, degrees, unit)
    except NotAnExpression:
        return None


def node_of(text: str) -> Node | None:
    number = scalar(text)
    return None if number is None or number.percent else number.node


def label_of(text: str) -> tuple[str, str] | None:
    """Label and bound variable when the text only names something (``x``, ``f(x)``, ``AB``), else None."""
    plain = re.sub(r"\s+", " ", text).strip()
    call = CALL.match(plain)
    if call:
        return call[1].replace(" ", "") + "()", call[2].replace(" ", "")
    if LABEL.match(plain):
        return re.sub(r"[\s{}]", "", plain), ""
    inner = plain[1:-1] if closes_at_end(plain) and plain[0] == "(" else plain
    names = re.split(r"[,:]", inner)
    if len(names) > 1 and all(LABEL.match(name.strip()) for name in names):
        return "(" + ",".join(re.sub(r"[\s{}]", "", name) for name in names) + ")", ""
    return None


def _reals(text: str, _depth: int) -> Form | None:
    if text.replace(" ", "") in REALS or words_of(text) in REALS_IN_WORDS:
        return Region((Span(negated(INFINITY), INFINITY, False, False),))
    return None


def _unwrapped(text: str, depth: int) -> Form | None:
    if text[0] == "{" and closes_at_end(text):
        return read(text[1:-1], depth)
    blocks = text_blocks(text)
    if len(blocks) == 1 and blocks[0][:2] == (0, len(text)):
        choice = CHOICE.match(blocks[0][2])
        return Words(choice[1].casefold()) if choice else read(blocks[0][2], depth)
    return None


def _matrix(text: str, depth: int) -> Form | None:
    bare = BARE_MATRIX.match(text)
    match = MATRIX.match(bare[1] if bare else text)
    if not match or "\\begin" in match[2]:
        return None
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?", match[2]) if row.strip()]
    cells = [[read(cell, depth) for cell in row.split("&")] for row in rows]
    if not cells or len({len(row) for row in cells}) != 1:
        return None
    filled = tuple(tuple(cell for cell in row if cell is not None) for row in cells)
    return Matrix(filled) if all(len(row) == len(cells[0]) for row in filled) else None


def _builder(text: str, depth: int) -> Form | None:
    """``\\{x | x > 1\\}`` as the region it describes."""
    match = BUILDER.match(text)
    form = read(match[2], depth) if match else None
    return form if isinstance(form, Region) else None


def _listing(text: str, depth: int) -> Form | None:
    is_escaped = text.startswith("\\{") and closes_at_end(text)
    is_set = is_escaped or (text.startswith("{") and closes_at_end(text))
    parts = split_top(text[2:-2] if is_escaped else text[1:-1] if is_set else text, SEPARATORS)
    if len(parts) < 2 and not is_escaped:
        return None
    items: list[Labelled] = []
    for part in parts:
        form = read(part, depth) if part.strip() else None
        if form is None:
            if part.strip() or not items:
                return None
            continue
        items.extend(_spread(form))
    if not is_set and (union := _alternatives(text, items)):
        return union
    if len({item.label for item in items[1:]} | {""}) == 1 and items[0].label:
        items[0] = Labelled(items[0].form)
    return Listing(tuple(items), is_set)


def _spread(form: Form) -> list[Labelled]:
    if isinstance(form, Labelled):
        inner = form.form
        if isinstance(inner, Listing):
            return [Labelled(item.form, form.label, form.variable) for item in inner.items]
        return [form]
    if isinstance(form, Listing) and not form.is_set:
        return list(form.items)
    return [Labelled(form)]


def _alternatives(text: str, items: Sequenced[Labelled]) -> Form | None:
    """``x < 1 or x > 3``: regions joined by "or" are one region."""
    regions = [item.form for item in items if isinstance(item.form, Region)]
    if len(regions) < 2 or len(regions) != len(items) or " or " not in text.lower():
        return None
    return Region(tuple(span for region in regions for span in region.spans))


def _union(text: str, depth: int) -> Form | None:
    parts = split_top(text, ("\\cup",))
    if len(parts) < 2:
        return None
    spans: list[Span] = []
    forms = [read(part, depth) for part in parts]
    if all(isinstance(form, Listing) and form.is_set for form in forms):
        return Listing(tuple(item for form in forms if form is not None for item in _spread_set(form)), True)
    for form in forms:
        region = region_of(form)
        if region is None:
            return None
        spans.extend(region.spans)
    return Region(tuple(spans))


def _spread_set(form: Form) -> tuple[Labelled, ...]:
    return form.items if isinstance(form, Listing) else ()


def region_of(form: Form | None) -> Region | None:
    """The form as a region: an interval, a pair in round brackets, or points in braces."""
    if isinstance(form, Region):
        return form
    if isinstance(form, Sequence) and len(form.items) == 2:
        low, high = form.items
        if isinstance(low, Scalar) and isinstance(high, Scalar):
            return Region((Span(low.node, high.node, form.opening == "[", form.closing == "]"),))
    if isinstance(form, Listing) and form.is_set:
        nodes = [item.form.node for item in form.items if isinstance(item.form, Scalar)]
        if len(nodes) == len(form.items):
            return Region(tuple(Span(node, node, True, True) for node in nodes))
    return None


def _membership(text: str, depth: int) -> Form | None:
    parts = split_top(text, ("\\in",))
    if len(parts) != 2 or label_of(parts[0]) is None:
        return None
    return read(parts[1], depth)


def _bracketed(text: str, depth: int) -> Form | None:
    opening = "\\langle" if text.startswith("\\langle") else text[0]
    if opening not in ("(", "[", "\\langle") or not closes_at_end(text):
        return None
    closing = "\\rangle" if text.endswith("\\rangle") else text[-1]
    parts = split_top(text[len(opening) : -len(closing)], (",", ";"))
    items = [read(part, depth) for part in parts]
    if len(parts) < 2 or any(item is None for item in items):
        return None
    found = tuple(item for item in items if item is not None)
    form = Sequence(
        found, "(" if opening == "\\langle" else opening, ")" if closing == "\\rangle" else closing
    )
    is_interval = len(found) == 2 and "[" in form.opening + ("[" if form.closing == "]" else "")
    return region_of(form) or form if is_interval else form


def _plus_minus(text: str, depth: int) -> Form | None:
    if "\\pm" not in text and "\\mp" not in text:
        return None
    both = [
        read(text.replace("\\pm", first).replace("\\mp", second), depth)
        for first, second in (("+", "-"), ("-", "+"))
    ]
    if any(form is None for form in both):
        return None
    return Listing(tuple(item for form in both if form is not None for item in _spread(form)))


def _relation(text: str, depth: int) -> Form | None:
    parts = split_top(text, RELATIONS, keep=True)
    if len(parts) < 3:
        return None
    sides, operators = [part.strip() for part in parts[::2]], [part.strip() for part in parts[1::2]]
    if "\\equiv" in operators:
        return None
    if "\\approx" in operators:
        return _approximate(sides, operators, depth)
    if set(operators) == {"="}:
        return _equation(sides, depth)
    return _inequality(sides, operators)


def _approximate(sides: list[str], operators: list[str], depth: int) -> Form | None:
    """``exact \\approx decimal`` is the exact side, provided that they are near each other."""
    cut = operators.index("\\approx")
    exact = " ".join(
        piece
        for index in range(cut + 1)
        for piece in ((operators[index - 1],) if index else ()) + (sides[index],)
    ).strip()
    if label_of(exact) or not exact:
        return read(sides[-1], depth)
    form = read(exact, depth)
    inner = form.form if isinstance(form, Labelled) else form
    rough = scalar(sides[-1])
    if not isinstance(inner, Scalar) or rough is None:
        return None
    value, near = constant(inner.node), constant(rough.node)
    if value is None or near is None or not at_most(distance(value, near), _last_place(rough.node, near)):
        return None
    return form


def _last_place(rough: Node, near: Value) -> Value:
    """How far a rounded or cut number may be from the exact one; a whole number less than one."""
    inner = rough.args[0] if isinstance(rough, Apply) and rough.name == "neg" else rough
    if isinstance(inner, Number):
        return Fraction(1, 10**inner.places) if inner.places else Fraction(999, 1000)
    return abs(near) * APPROXIMATELY


def _equation(sides: list[str], depth: int) -> Form | None:
    if not sides[0]:
        return read("=".join(sides[1:]), depth) if len(sides) > 2 else read(sides[1], depth)
    if len(sides) == 2 and label_of(sides[1]) and not label_of(sides[0]):
        sides = sides[::-1]
    label = label_of(sides[0])
    if label is not None and all(label_of(side) or _agrees(side, sides[-1]) for side in sides[1:-1]):
        form = read(sides[-1], depth)
        return None if form is None else Labelled(form, *label)
    nodes = [node_of(side) for side in sides]
    if any(node is None for node in nodes):
        return None
    links = tuple(node for node in nodes if node is not None)
    if any(symbols_of(node) for node in links):
        return Relation(links, ("=",) * (len(links) - 1))
    values = [constant(node) for node in links]
    if any(value is None or not same_value(value, values[0]) for value in values):
        return None
    return Scalar(links[-1])


def _agrees(side: str, last: str) -> bool:
    """Whether two links of a chain of equalities have one value."""
    left, right = node_of(side), node_of(last)
    if left is None or right is None:
        return False
    a, b = constant(left), constant(right)
    return a is not None and b is not None and same_value(a, b)


def _inequality(sides: list[str], operators: list[str]) -> Form | None:
    if any(operator in FLIPPED for operator in operators):
        if any(operator in ("<", "\\le") for operator in operators):
            return None
        sides, operators = sides[::-1], [FLIPPED.get(operator, operator) for operator in operators[::-1]]
    named = [index for index, side in enumerate(sides) if label_of(side)]
    nodes = [node_of(side) for index, side in enumerate(sides)]
    if "\\ne" not in operators and "=" not in operators and len(named) == 1 and len(sides) <= 3:
        return _region_around(named[0], nodes, operators)
    if any(node is None for node in nodes):
        return None
    found = tuple(node for node in nodes if node is not None)
    if operators == ["\\ne"] and len(named) == 1:
        left_out = found[1 - named[0]]
        return Region(
            (Span(negated(INFINITY), left_out, False, False), Span(left_out, INFINITY, False, False))
        )
    return Relation(found, tuple(operators))


def _region_around(middle: int, nodes: list[Node | None], operators: list[str]) -> Form | None:
    """The values a name may take between its bounds."""
    if len(nodes) == 3 and middle != 1:
        return None
    low: Node | None = negated(INFINITY) if middle == 0 else nodes[0]
    high: Node | None = INFINITY if middle == len(nodes) - 1 else nodes[-1]
    if low is None or high is None:
        return None
    low_closed = middle > 0 and operators[0] == "\\le" and not infinite_sign(low)
    high_closed = middle < len(nodes) - 1 and operators[-1] == "\\le" and not infinite_sign(high)
    return Region((Span(low, high, low_closed, high_closed),))


def _based(text: str) -> Form | None:
    match = IN_BASE.match(text)
    return InBase(match[1], match[2]) if match else None


def _ratio(text: str) -> Form | None:
    parts = split_top(text, (":",))
    nodes = [node_of(part) for part in parts]
    if len(parts) < 2 or any(node is None for node in nodes):
        return None
    return Ratio(tuple(node for node in nodes if node is not None))


def _words(text: str) -> Form | None:
    """Letters and nothing else: a text with digits or operators that no rule read is not an answer."""
    bare = re.sub(r"\\(?:text|operatorname)\b|[\s{}().,'\"\-]", "", text)
    if not bare or not all(char.isalpha() for char in bare):
        return None
    return Words(words_of(text))
